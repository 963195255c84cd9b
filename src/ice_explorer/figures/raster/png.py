"""Pixels as a PNG file: a few chunks and zlib, which needs no imaging library among the dependencies."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_COLORS_WITH_OPACITY: Final = 6  # kinds of images: four samples a pixel
_BY_TABLE: Final = 3  # … or one, which stands for an entry of a table
_SUB: Final = 1  # filter: each byte minus that of the pixel before it, which suits lines that run across


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """Encode an image (height, width, 4).

    Where all that shows has one colour, the file holds its opacities alone, a quarter of the bytes; what is fully
    transparent may then take that colour.
    """
    color = _only_color(pixels)
    if color is None:
        return _file(_COLORS_WITH_OPACITY, [], pixels)
    table = color.tobytes() * 256
    return _file(_BY_TABLE, [(b"PLTE", table), (b"tRNS", bytes(range(256)))], pixels[..., 3:])


def _only_color(pixels: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """Return the colour that all pixels have which show; None where they differ."""
    shown = pixels[pixels[..., 3] > 0, :3]
    if len(shown) == 0:
        return np.zeros(3, dtype=np.uint8)
    return shown[0] if np.all(shown == shown[0]) else None


def _file(kind: int, tables: list[tuple[bytes, bytes]], samples: NDArray[np.uint8]) -> bytes:
    """Put (height, width, n_samples) into a file, after the tables that they point into."""
    height, width, n_samples = samples.shape
    before = np.zeros_like(samples)
    before[:, 1:] = samples[:, :-1]
    rows = (samples - before).reshape(height, n_samples * width)
    filtered = np.hstack([np.full((height, 1), _SUB, dtype=np.uint8), rows])
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)  # 8 bits a sample
    chunks = ((b"IHDR", head), *tables, (b"IDAT", zlib.compress(filtered.tobytes(), 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

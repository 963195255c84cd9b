"""Files as tests read them: their content, and their provenance by the libraries that users have."""

import base64
import io
import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pypdf
from PIL import Image
from pyarrow import parquet

from ice_explorer.export.save import file_contents
from ice_explorer.scene.choices import ViewState


def file_bytes(explanation, state, name, what="view", **options):
    """Return what `save` writes into a file of this name; of a CSV the table."""
    state = state if isinstance(state, ViewState) else ViewState(**state)
    return file_contents(explanation, state, Path(name), what, **options)[0]


def picture_origin(content):
    """Return what the picture of a saved notebook tells of itself."""
    with Image.open(io.BytesIO(base64.b64decode(content))) as image:
        return json.loads(image.text["ice-explorer"])


def read_provenance(path):
    """Return what a file tells of itself; of a CSV the file next to it."""
    path = Path(path).resolve()
    match path.suffix.lower():
        case ".svg":
            text = ET.parse(path).findtext(".//{http://purl.org/dc/elements/1.1/}source")  # noqa: S314 - our own
        case ".png":
            with Image.open(path) as image:
                text = image.text["ice-explorer"]
        case ".pdf":
            text = pypdf.PdfReader(path).metadata["/ice-explorer"]
        case ".html":
            script = r'<script type="application/json" id="ice-provenance">([^<]*)</script>'
            text = re.search(script, path.read_text(encoding="utf-8"))[1]
        case ".parquet":
            text = parquet.read_schema(path).metadata[b"ice-explorer"]
        case ".ice":
            with zipfile.ZipFile(path) as archive:
                return json.loads(archive.read("manifest.json"))["provenance"]
        case ".csv":
            text = path.with_name(f"{path.name}.json").read_text(encoding="utf-8")
        case _:
            return json.loads(path.read_text(encoding="utf-8"))["provenance"]
    return json.loads(text)

"""Errors of files: one that cannot be written or read, or what is needed for it and not installed."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from ice_explorer.errors.base import ICEExplorerError, or_listed, quoted, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def _place(path: object) -> str:
    return quoted(str(path))


def _reason(error: OSError) -> str:
    return error.strerror or text_of(error) or type(error).__name__


class MissingDependencyError(ICEExplorerError, ImportError):
    """An optional package is needed and not installed."""

    @classmethod
    def extra(cls, what: str, package: str, extra: str) -> MissingDependencyError:
        """Name the package and the extra that brings it."""
        return cls(f"{what} needs {package}, which is not installed. Run `pip install 'ice-explorer[{extra}]'`.")


class FrontEndMissingError(ICEExplorerError, RuntimeError):
    """The built front end is not where the package expects it."""

    @classmethod
    def bundle(cls, path: object) -> FrontEndMissingError:
        """Say how a source checkout builds it."""
        return cls(
            f"The explorer needs its built front end; there is none at {path}. "
            "In a source checkout run `npm ci && npm run build` in js/, or install the released package."
        )


class ExportError(ICEExplorerError, ValueError):
    """A figure cannot be written as asked."""

    @classmethod
    def suffix(cls, path: object, suffixes: Sequence[str]) -> ExportError:
        """Say which formats there are."""
        return cls(f"`path` must end in {or_listed(suffixes)}; got {_place(path)}. The suffix chooses the format.")

    @classmethod
    def exists(cls, path: object) -> ExportError:
        """Say that nothing is overwritten unasked."""
        return cls(
            f"`path` must not exist yet; there is a file at {_place(path)}. Pass `overwrite=True` to replace it."
        )

    @classmethod
    def no_folder(cls, path: object) -> ExportError:
        """Say that folders are not made unasked."""
        return cls(
            f"`path` must be in a folder that is there; {_place(path)} is in none. Make the folder, or choose another."
        )

    @classmethod
    def one_file_each(cls, path: object, suffix: str) -> ExportError:
        """Say how a file for each feature is named."""
        return cls(
            f"`path` must hold '{{feature}}' where a {suffix} of each feature is wanted; got {_place(path)}. "
            f"Write for example 'figures/{{feature}}{suffix}', or use '.pdf', which has a page for each."
        )

    @classmethod
    def no_provenance(cls, path: object) -> ExportError:
        """Say which files tell where they come from."""
        return cls(
            f"`path` must be a file that an explorer or an explanation saved; {_place(path)} does not say where it "
            "comes from. Save it again, and keep it as it is written: some programs drop what is not shown."
        )

    @classmethod
    def no_file(cls, path: object) -> ExportError:
        """Say that there is nothing to read."""
        return cls(f"`path` must be that of a file; there is none at {_place(path)}. Check its name and its folder.")

    @classmethod
    def no_format(cls, got: object, formats: Sequence[str]) -> ExportError:
        """Say which formats there are to ask for."""
        return cls(f"`format` must be {or_listed(formats)}; got {quoted(got)}. Choose one of them.")

    @classmethod
    def not_written(cls, path: object, error: OSError) -> ExportError:
        """Say that the system does not let a file be written there."""
        advice = (
            "Choose a shorter name." if error.errno == errno.ENAMETOOLONG else "Choose another folder, or make room."
        )
        return cls(
            f"`path` must be where files can be written; at {_place(path)} the system says: {_reason(error)}. {advice}"
        )

    @classmethod
    def not_read(cls, path: object, error: OSError) -> ExportError:
        """Say that the system does not let a file be read."""
        return cls(
            f"`path` must be a file that can be read; of {_place(path)} the system says: {_reason(error)}. "
            "Check its name and its permissions."
        )

    @classmethod
    def no_file_name(cls, path: object, character: str) -> ExportError:
        """Say that no file can have such a name."""
        return cls(
            f"`path` must be a name that the system can write; {_place(path)} holds {character!r}. "
            "Leave that character out."
        )

    @classmethod
    def no_working_folder(cls) -> ExportError:
        """Say that there is nothing to put a file into."""
        return cls(
            "The kernel must run in a folder that is there, to put a file next to the notebook; its folder is gone. "
            "Change it with `os.chdir(...)`, or download the file."
        )

    @classmethod
    def not_all_yet(cls, done: int, total: int) -> ExportError:
        """Say that features are missing."""
        return cls(
            f"All features must be computed to be exported together; {done} of {total} are. "
            "Wait until they are there, or export a picture of the view."
        )

    @classmethod
    def not_a_file(cls, path: object, what: str) -> ExportError:
        """Say that a folder, a device or a link without a target is neither written nor read as a file."""
        return cls(f"`path` must be that of a file; there is {what} at {_place(path)}. Choose another name.")

    @classmethod
    def spreadsheet(cls, path: object) -> ExportError:
        """Say which files spreadsheets open."""
        return cls(
            f"`spreadsheet=True` needs a `path` that ends in '.csv'; got {_place(path)}. "
            "Leave it out for other formats."
        )

"""Errors of files: one that cannot be written or read, or what is needed for it and not installed."""

from __future__ import annotations

import errno

from ice_explorer.errors.base import ICEExplorerError, quoted, text_of


def _reason(error: OSError) -> str:
    return error.strerror or text_of(error) or type(error).__name__


class MissingDependencyError(ICEExplorerError, ImportError):
    """An optional package is needed and not installed."""

    @classmethod
    def extra(cls, what: str, package: str, extra: str) -> MissingDependencyError:
        """Return the error for a missing package, with the extra that installs it."""
        return cls(f"{what} needs {package}, which is not installed.", f"Run `pip install 'ice-explorer[{extra}]'`.")


class FrontEndMissingError(ICEExplorerError, RuntimeError):
    """The built front end is not where the package expects it."""

    @classmethod
    def bundle(cls, path: object) -> FrontEndMissingError:
        """Return the error for a source checkout without a build."""
        return cls(
            f"The explorer needs its built front end; there is none at {path}.",
            "In a source checkout run `npm ci && npm run build` in js/, or install the released package.",
        )


class ExportError(ICEExplorerError, ValueError):
    """A figure cannot be written as asked."""

    @classmethod
    def exists(cls, path: object) -> ExportError:
        """Return the error for a file that would be overwritten."""
        return cls(
            f"`path` must not exist yet; there is a file at {quoted(str(path))}.",
            "Pass `overwrite=True` to replace it.",
        )

    @classmethod
    def one_file_each(cls, path: object, suffix: str) -> ExportError:
        """Return the error for a path that cannot name one file per feature."""
        return cls(
            f"`path` must hold '{{feature}}' where a {suffix} of each feature is wanted; got {quoted(str(path))}.",
            f"Write for example 'figures/{{feature}}{suffix}', or use '.pdf', which has a page for each.",
        )

    @classmethod
    def not_written(cls, path: object, error: OSError) -> ExportError:
        """Return the error for a file that the system refuses to write."""
        advice = (
            "Choose a shorter name." if error.errno == errno.ENAMETOOLONG else "Choose another folder, or make room."
        )
        return cls(
            f"`path` must be where files can be written; at {quoted(str(path))} the system says: {_reason(error)}.",
            advice,
        )

    @classmethod
    def not_read(cls, path: object, error: OSError) -> ExportError:
        """Return the error for a file that the system refuses to read."""
        return cls(
            f"`path` must be a file that can be read; of {quoted(str(path))} the system says: {_reason(error)}.",
            "Check its name and its permissions.",
        )

    @classmethod
    def no_file_name(cls, path: object) -> ExportError:
        """Return the error for a name that no file can have."""
        return cls(
            f"`path` must be a name that the system can write; got {quoted(str(path))}.",
            "Leave out NUL and halves of characters.",
        )

    @classmethod
    def not_a_file(cls, path: object, what: str) -> ExportError:
        """Return the error for a folder or a device."""
        return cls(f"`path` must be that of a file; there is {what} at {quoted(str(path))}.", "Choose another name.")

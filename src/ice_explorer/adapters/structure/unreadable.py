"""Error of a structure reader that does not support a model; the next reader is tried."""

from __future__ import annotations

from ice_explorer.errors import ICEExplorerError


class OtherFormError(ICEExplorerError):
    """A model, or the response that is explained, has another form than a reader knows; the message says which."""

    @classmethod
    def model(cls, model: object, form: str) -> OtherFormError:
        """Return the error for a model that is not of a form such as "linear model"."""
        return cls(f"{type(model).__name__} is not a supported {form}.")

    @classmethod
    def link(cls, name: str) -> OtherFormError:
        """Return the error for an unsupported link."""
        return cls(f"The link {name} is not supported.")

    @classmethod
    def kernel(cls, model: object) -> OtherFormError:
        """Return the error for a kernel that is not radial."""
        return cls(f"The kernel of {type(model).__name__} is not radial.")

    @classmethod
    def response(cls, model: object, response: str) -> OtherFormError:
        """Return the error for a response that is not a function of margins."""
        return cls(f"{response} of {type(model).__name__} is not a supported function of its margins.")

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
    def term(cls, term: str) -> OtherFormError:
        """Return the error for a formula term that is not a column."""
        return cls(f"The term {term!r} of its formula is not a column of X.")

    @classmethod
    def kernel(cls, model: object) -> OtherFormError:
        """Return the error for a kernel that is not radial."""
        return cls(f"The kernel of {type(model).__name__} is not radial.")

    @classmethod
    def activation(cls, name: str) -> OtherFormError:
        """Return the error for an unsupported activation."""
        return cls(f"The activation {name} is not supported.")

    @classmethod
    def response(cls, model: object, response: str) -> OtherFormError:
        """Return the error for a response that is not a function of margins."""
        return cls(f"{response} of {type(model).__name__} is not a supported function of its margins.")

    @classmethod
    def response_of_kernels(cls) -> OtherFormError:
        """Return the error for responses that are not sums of kernels."""
        return cls("Only the decision function of two classes is a sum of kernels.")

"""Why a reader of models has no use for one: it is then left to the other readers, without a word."""

from __future__ import annotations

from ice_explorer.errors import ICEExplorerError


class OtherFormError(ICEExplorerError):
    """A model, or the response that is explained, has another form than a reader knows; the message says which."""

    @classmethod
    def model(cls, model: object, form: str) -> OtherFormError:
        """Name the model, and what it is not: "linear model"."""
        return cls(f"{type(model).__name__} is not a supported {form}.")

    @classmethod
    def link(cls, name: str) -> OtherFormError:
        """Name the link."""
        return cls(f"The link {name} is not supported.")

    @classmethod
    def term(cls, term: str) -> OtherFormError:
        """Name a term of a formula that is more than a column."""
        return cls(f"The term {term!r} of its formula is not a column of X.")

    @classmethod
    def kernel(cls, model: object) -> OtherFormError:
        """Say that the kernel is another."""
        return cls(f"The kernel of {type(model).__name__} is not radial.")

    @classmethod
    def activation(cls, name: str) -> OtherFormError:
        """Name the activation."""
        return cls(f"The activation {name} is not supported.")

    @classmethod
    def response(cls, model: object, response: str) -> OtherFormError:
        """Name the response, which does not follow from margins."""
        return cls(f"{response} of {type(model).__name__} is not a supported function of its margins.")

    @classmethod
    def response_of_kernels(cls) -> OtherFormError:
        """Say which response is a sum of kernels."""
        return cls("Only the decision function of two classes is a sum of kernels.")

"""What can fail, in Python's terms. Each is a ContextError and, where Python has a kind of its own for it, that as well."""
from __future__ import annotations

from typing import Dict, Type

__all__ = ["BadData", "BudgetExceeded", "Cancelled", "Conflict", "ContextError", "ContextLengthExceeded",
           "DeadlineExceeded", "Denied", "Internal", "InvalidArgument", "LimitExceeded", "NotFound", "Unavailable"]


class ContextError(Exception):
    """A call failed. `code` is the name of the error's kind ("budget_exceeded"); docs/errors.md says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Cancelled(ContextError):
    """The caller cancelled."""


class DeadlineExceeded(ContextError, TimeoutError):
    """The time was over."""


class InvalidArgument(ContextError, ValueError):
    """The request or an option is wrong; nothing was done."""


class NotFound(ContextError, LookupError):
    """There is nothing of that name."""


class Conflict(ContextError):
    """Somebody else was first."""


class Denied(ContextError, PermissionError):
    """It is not allowed."""


class Unavailable(ContextError, ConnectionError):
    """A store or a service does not answer; later it may."""


class BadData(ContextError, ValueError):
    """What came from a store or a service is not what it should be."""


class BudgetExceeded(ContextError):
    """The budget has no room for what has to be sent."""


class ContextLengthExceeded(ContextError):
    """The service says that the request is too long."""


class LimitExceeded(ContextError):
    """A limit of the library was passed."""


class Internal(ContextError, RuntimeError):
    """A fault of the library or of a callback."""


_KINDS: Dict[str, Type[ContextError]] = {
    "cancelled": Cancelled, "deadline_exceeded": DeadlineExceeded, "invalid_argument": InvalidArgument,
    "not_found": NotFound, "conflict": Conflict, "denied": Denied, "unavailable": Unavailable, "bad_data": BadData,
    "budget_exceeded": BudgetExceeded, "context_length_exceeded": ContextLengthExceeded,
    "limit_exceeded": LimitExceeded, "internal": Internal}


def error_of(code: str, message: str) -> ContextError:
    return _KINDS.get(code, ContextError)(code, message)

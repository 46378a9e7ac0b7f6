"""Errors a user can act on: one clear sentence with what, where, the value seen and what to do."""

from __future__ import annotations


class AuditError(Exception):
    """A user-fixable problem; shown without traceback.

    what: what is wrong, a clause without a final full stop.
    where: file, row, column or option it was found in; "" if it is in `what`.
    value: the offending value as seen, shortened for the screen.
    remedy: what to do, a clause without a final full stop.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", value: object = None, remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.value = value
        self.remedy = remedy
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """The whole message on one line: `where: what (value seen: ...). remedy.`"""
        head = f"{self.where}: {self.what}" if self.where else self.what
        if self.value is not None:
            head += f" (seen: {shorten(repr(self.value))})"
        tail = f" {self.remedy[0].upper()}{self.remedy[1:]}." if self.remedy else ""
        return f"{one_line(head)}.{one_line(tail, keep_lead=True)}"


class DataError(AuditError):
    """The input data cannot be used as given."""


class ConfigError(AuditError):
    """The chosen options contradict each other or name something that does not exist."""


class ModelError(AuditError):
    """A model, its weights or its package is missing, broken or does not fit."""


class ServerDownError(ModelError):
    """A model server stopped answering; the run pauses, what was answered is kept, resume goes on."""


class RunError(AuditError):
    """A run cannot be found, read, resumed or written."""


class AuditCancelledError(AuditError):
    """The analyst asked the run to stop; finished parts are kept."""

    exit_code = 3


def shorten(text: str, limit: int = 120) -> str:
    """`text` cut in the middle to at most `limit` characters."""
    if len(text) <= limit:
        return text
    keep = (limit - 3) // 2
    return f"{text[:keep]}...{text[-keep:]}"


def one_line(text: str, keep_lead: bool = False) -> str:
    """`text` with every run of white space (and control characters) folded to one space."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f" {folded}" if keep_lead and folded else folded

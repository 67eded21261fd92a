"""The library behind the package, through ctypes."""
from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import re
from pathlib import Path
from typing import Any, Optional

from .errors import InvalidArgument, error_of


def _load() -> ctypes.CDLL:
    # In a wheel it lies beside this file. In an installed prefix it lies in lib, and this file in lib/python3/dist-packages/ctxmgr.
    here = Path(__file__).resolve().parent
    beside = [folder / "libctxmgr_c.so.1" for folder in (here, here.parents[2])]
    names = [os.environ.get("CTXMGR_LIBRARY"), *(str(path) for path in beside if path.exists()),
             "libctxmgr_c.so.1", ctypes.util.find_library("ctxmgr_c")]
    problem: Optional[OSError] = None
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            problem = error
    raise ImportError(f"libctxmgr_c was not found; set CTXMGR_LIBRARY to its path ({problem})")


COMPLETE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t,
                            ctypes.c_int64, ctypes.c_void_p)
COUNT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
INTERNAL = 12
MOST_TOKENS = 2**40  # no text counts more


class Callbacks(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("user", ctypes.c_void_p), ("complete", COMPLETE),
                ("count", COUNT), ("tokenizer", ctypes.c_char_p), ("count_is_exact", ctypes.c_int32),
                ("store", ctypes.c_void_p)]


lib = _load()
_pointer = ctypes.POINTER(ctypes.c_void_p)
lib.ctxmgr_code_name.restype = ctypes.c_char_p
lib.ctxmgr_version.restype = ctypes.c_char_p
lib.ctxmgr_tool_instructions.restype = ctypes.c_char_p
lib.ctxmgr_text_data.restype = ctypes.POINTER(ctypes.c_char)
lib.ctxmgr_text_data.argtypes = [ctypes.c_void_p]
lib.ctxmgr_text_size.restype = ctypes.c_size_t
lib.ctxmgr_text_size.argtypes = [ctypes.c_void_p]
lib.ctxmgr_reply_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
lib.ctxmgr_manager_create.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, _pointer, _pointer]
lib.ctxmgr_thread_create.argtypes = [ctypes.c_void_p, _pointer, _pointer]
for _name in ("build", "plan", "tools", "call_tool", "thread_build", "prepare_compaction", "thread_prepare_compaction"):
    getattr(lib, "ctxmgr_" + _name).argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, _pointer, _pointer]
lib.ctxmgr_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
                             ctypes.POINTER(ctypes.c_int64), _pointer]
lib.ctxmgr_explain.argtypes = [ctypes.c_char_p, ctypes.c_size_t, _pointer, _pointer]
for _name in ("text_free", "reply_set", "manager_destroy", "thread_destroy"):
    getattr(lib, "ctxmgr_" + _name).restype = None
for _name in ("text_free", "manager_destroy", "thread_destroy"):
    getattr(lib, "ctxmgr_" + _name).argtypes = [ctypes.c_void_p]


def version() -> str:
    """The library's version."""
    return str(lib.ctxmgr_version().decode())


def tool_instructions() -> str:
    """For the system prompt: when and how a model uses the tools of Manager.tools()."""
    return str(lib.ctxmgr_tool_instructions().decode())


def explain(metadata: Any) -> str:
    """A receipt as a table for people: the `metadata` of a result in; what was sent and what was left out, and why, out."""
    text = encode(metadata)
    result, error = ctypes.c_void_p(), ctypes.c_void_p()
    check(lib.ctxmgr_explain(text, len(text), ctypes.byref(result), ctypes.byref(error)), error)
    return take(result.value).decode()


def take(text: Optional[int]) -> bytes:
    """The bytes of a text of the library, which is freed."""
    if not text:
        return b""
    copy = ctypes.string_at(lib.ctxmgr_text_data(text), lib.ctxmgr_text_size(text))
    lib.ctxmgr_text_free(text)
    return copy


def check(code: int, error: ctypes.c_void_p) -> None:
    message = take(error.value).decode(errors="replace")
    if code != 0:
        raise error_of(lib.ctxmgr_code_name(code).decode(), message)


def encode_text(text: str) -> bytes:
    """As UTF-8. Half of a surrogate pair is no text: the library must not see another one in its place."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidArgument("invalid_argument", f"half of a surrogate pair at {error.start}") from None


def encode(value: Any) -> bytes:
    """As JSON, or InvalidArgument where it has none."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, cls=_Encoder)
        if _LONG_NUMBER.search(text):
            _check_integers(value)
        return encode_text(text)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise InvalidArgument("invalid_argument", f"this has no JSON: {error}") from None


# Nineteen digits and more, perhaps of a number: only then is it worth a look at each value.
_LONG_NUMBER = re.compile(r"[0-9]{19}")


def _check_integers(value: Any) -> None:
    """Beyond 64 bits the library would read another number."""
    if isinstance(value, int) and not -2**63 <= value < 2**64:
        raise InvalidArgument("invalid_argument", "an integer has more than 64 bits")
    if isinstance(value, dict):
        for item in value.values():
            _check_integers(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check_integers(item)


class _Encoder(json.JSONEncoder):
    """Python's own, in C; what it does not know is asked for here."""

    def default(self, o: Any) -> Any:
        dump = getattr(o, "model_dump", None)  # what the openai package returns
        if callable(dump):
            return dump(exclude_none=True)
        return super().default(o)


def decode(text: bytes) -> Any:
    return json.loads(text)

"""ctxmgr for Python: the messages to send, within a token budget, with a receipt.

    from ctxmgr import Manager

    manager = Manager()
    built = manager.build({"model": "gpt-4o", "messages": messages}, max_input_tokens=8000)
    client.chat.completions.create(**built["body"])
    state = built["thread_state"]          # goes into the next build of the same conversation

The library is found as libctxmgr_c.so.1 on the loader's path, or where CTXMGR_LIBRARY says. docs/c-interface.md has the
fields of requests and results. A manager may be used by several threads at once.
"""
import ctypes
import ctypes.util
import json
import os

__all__ = ["ContextError", "Manager", "version"]


class ContextError(Exception):
    """A call failed. `code` is the name of the error's kind ("budget_exceeded"); docs/errors.md says what to do."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def _load():
    names = [os.environ.get("CTXMGR_LIBRARY"), "libctxmgr_c.so.1", ctypes.util.find_library("ctxmgr_c")]
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            problem = error
    raise ImportError(f"libctxmgr_c was not found; set CTXMGR_LIBRARY ({problem})")


_COMPLETE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t,
                             ctypes.c_int64, ctypes.c_void_p)
_COUNT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


class _Callbacks(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("user", ctypes.c_void_p), ("complete", _COMPLETE),
                ("count", _COUNT), ("tokenizer", ctypes.c_char_p), ("count_is_exact", ctypes.c_int32),
                ("store", ctypes.c_void_p)]


_lib = _load()
_lib.ctxmgr_code_name.restype = ctypes.c_char_p
_lib.ctxmgr_version.restype = ctypes.c_char_p
_lib.ctxmgr_text_data.restype = ctypes.POINTER(ctypes.c_char)
_lib.ctxmgr_text_data.argtypes = [ctypes.c_void_p]
_lib.ctxmgr_text_size.restype = ctypes.c_size_t
_lib.ctxmgr_text_size.argtypes = [ctypes.c_void_p]
_lib.ctxmgr_text_free.argtypes = [ctypes.c_void_p]
_lib.ctxmgr_text_free.restype = None
_lib.ctxmgr_reply_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
_lib.ctxmgr_reply_set.restype = None
_lib.ctxmgr_manager_create.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p,
                                       ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p)]
_lib.ctxmgr_manager_destroy.argtypes = [ctypes.c_void_p]
_lib.ctxmgr_manager_destroy.restype = None
for _name in ("ctxmgr_build", "ctxmgr_plan", "ctxmgr_tools", "ctxmgr_call_tool"):
    getattr(_lib, _name).argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                     ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p)]
_lib.ctxmgr_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
                              ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p)]

_INTERNAL = 12


def version():
    """The library's version."""
    return _lib.ctxmgr_version().decode()


def _take(text):
    """The bytes of a text of the library, which is freed."""
    if not text:
        return b""
    copy = ctypes.string_at(_lib.ctxmgr_text_data(text), _lib.ctxmgr_text_size(text))
    _lib.ctxmgr_text_free(text)
    return copy


def _check(code, error):
    message = _take(error.value).decode(errors="replace")
    if code != 0:
        raise ContextError(_lib.ctxmgr_code_name(code).decode(), message)


def _encode(value):
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


class Manager:
    """Decides what a model sees.

    `complete(request, timeout_ms)` plans and summarises: a chat request as a dict in, a chat completion as a dict out;
    an exception is a failed call. `count(text)` counts tokens; without it exact counters of the library do. `store`:
    "memory" or "sqlite:PATH". `options` are the further fields of a manager's options.
    """

    def __init__(self, complete=None, count=None, tokenizer="", count_is_exact=False, store=None, **options):
        if store is not None:
            options["store"] = store
        # ctypes objects that the library calls have to live as long as the manager.
        self._complete = _COMPLETE(self._completing(complete)) if complete else _COMPLETE()
        self._count = _COUNT(self._counting(count)) if count else _COUNT()
        callbacks = _Callbacks(ctypes.sizeof(_Callbacks), None, self._complete, self._count, tokenizer.encode(),
                               int(count_is_exact), None)
        text = _encode(options)
        manager, error = ctypes.c_void_p(), ctypes.c_void_p()
        self._manager = None
        _check(_lib.ctxmgr_manager_create(text, len(text), ctypes.byref(callbacks), ctypes.byref(manager),
                                          ctypes.byref(error)), error)
        self._manager = manager

    def close(self):
        """Ends it; so does the end of a `with` block. No call may be under way."""
        if self._manager:
            _lib.ctxmgr_manager_destroy(self._manager)
            self._manager = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def build(self, body, **options):
        """Fits a request: {"body", "metadata", "thread_state"}. `options`: max_input_tokens, thread_state, session …"""
        return self._call(_lib.ctxmgr_build, dict(options, body=body))

    def plan(self, body, **options):
        """The dry run: {"plan", "metadata", "would_use_llm", …}."""
        return self._call(_lib.ctxmgr_plan, dict(options, body=body))

    def count(self, text, model=""):
        """Tokens of a text for a model."""
        name, data = model.encode(), text.encode("utf-8", "replace")
        tokens, error = ctypes.c_int64(), ctypes.c_void_p()
        _check(_lib.ctxmgr_count(self._open(), name, len(name), data, len(data), ctypes.byref(tokens),
                                 ctypes.byref(error)), error)
        return tokens.value

    def tools(self, session, form="openai"):
        """Definitions of the tools by which a model reads back what builds of a session left out."""
        return self._call(_lib.ctxmgr_tools, {"session": session, "form": form})

    def call_tool(self, session, name, arguments, id="", agent=""):
        """Runs one of them: the tool's message. `agent`: who calls, where rules are by agent. ContextError "not_found"
        where it is no tool of ours."""
        return self._call(_lib.ctxmgr_call_tool,
                          {"session": session, "name": name, "arguments": arguments, "id": id, "agent": agent})

    def _open(self):
        if not self._manager:
            raise ContextError("invalid_argument", "the manager is closed")
        return self._manager

    def _call(self, function, request):
        text = _encode(request)
        result, error = ctypes.c_void_p(), ctypes.c_void_p()
        _check(function(self._open(), text, len(text), ctypes.byref(result), ctypes.byref(error)), error)
        return json.loads(_take(result.value))

    @staticmethod
    def _completing(complete):
        def call(_user, request, size, timeout_ms, reply):
            try:
                answer = _encode(complete(json.loads(ctypes.string_at(request, size)), timeout_ms))
                _lib.ctxmgr_reply_set(reply, answer, len(answer))
                return 0
            except Exception as error:  # of the host's own making: it must not pass through C
                text = type(error).__name__.encode()
                _lib.ctxmgr_reply_set(reply, text, len(text))
                return _INTERNAL
        return call

    @staticmethod
    def _counting(count):
        def call(_user, text, size):
            try:
                return int(count(ctypes.string_at(text, size).decode("utf-8", "replace")))
            except Exception:
                return -1  # counted as an estimate, and the receipt says so
        return call

from __future__ import annotations

import copy
import ctypes
import json
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._library import COMPLETE, COUNT, INTERNAL, MOST_TOKENS, Callbacks, check, decode, encode, encode_text, lib, take
from .errors import InvalidArgument

Complete = Callable[[Dict[str, Any], int], Mapping[str, Any]]
Count = Callable[[str], int]
Message = Mapping[str, Any]


class Manager:
    """Decides what a model sees. May be used by several threads at once.

    `complete(request, timeout_ms)` plans and summarises: a chat request as a dict in, a chat completion as a dict out;
    an exception is a failed call. `count(text)` counts tokens of any model; with a `tokenizer`, of models of that
    vocabulary; without it exact counters of the library do. What leaves the interpreter in a callback (SystemExit,
    KeyboardInterrupt) is raised by the call that is under way. `store`: "memory" or "sqlite:PATH". `options` are the
    further fields of a manager's options.
    """

    _manager: Optional[ctypes.c_void_p] = None

    def __init__(self, complete: Optional[Complete] = None, count: Optional[Count] = None, tokenizer: str = "",
                 count_is_exact: bool = False, store: Optional[str] = None, **options: Any) -> None:
        if store is not None:
            options["store"] = store
        self._leaving: List[BaseException] = []
        # ctypes objects that the library calls have to live as long as the manager.
        self._complete = COMPLETE(self._completing(complete)) if complete else COMPLETE()
        self._count = COUNT(self._counting(count)) if count else COUNT()
        callbacks = Callbacks(ctypes.sizeof(Callbacks), None, self._complete, self._count, encode_text(tokenizer),
                              int(count_is_exact), None)
        text = encode(options)
        manager, error = ctypes.c_void_p(), ctypes.c_void_p()
        check(lib.ctxmgr_manager_create(text, len(text), ctypes.byref(callbacks), ctypes.byref(manager),
                                        ctypes.byref(error)), error)
        self._manager = manager

    def close(self) -> None:
        """Ends it; so does the end of a `with` block. No call may be under way."""
        if self._manager:
            lib.ctxmgr_manager_destroy(self._manager)
            self._manager = None

    def __enter__(self) -> "Manager":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def build(self, body: Any, **options: Any) -> Dict[str, Any]:
        """Fits a request: {"body", "metadata", "thread_state"}. `options`: max_input_tokens, thread_state, session …"""
        built: Dict[str, Any] = self._call(lib.ctxmgr_build, dict(options, body=body))
        return built

    def plan(self, body: Any, **options: Any) -> Dict[str, Any]:
        """The dry run: {"plan", "metadata", "would_use_llm", …}."""
        plan: Dict[str, Any] = self._call(lib.ctxmgr_plan, dict(options, body=body))
        return plan

    def prepare_compaction(self, body: Any, **options: Any) -> Dict[str, int]:
        """Makes the summaries that the next compaction of a thread will use: what they took. Body and options are those of
        the build before, with its `thread_state` and a `scope` or `session`. Waits for `complete`: call it in the background."""
        usage: Dict[str, int] = self._call(lib.ctxmgr_prepare_compaction, dict(options, body=body))
        return usage

    def thread(self, model: str = "", thread_state: str = "", **options: Any) -> "Thread":
        """A conversation that grows. `thread_state`: of an earlier process. `options`: those of build(), for each one."""
        return Thread(self, model, thread_state, options)

    def count(self, text: str, model: str = "") -> int:
        """Tokens of a text for a model."""
        name, data = encode_text(model), encode_text(text)
        tokens, error = ctypes.c_int64(), ctypes.c_void_p()
        check(lib.ctxmgr_count(self._open(), name, len(name), data, len(data), ctypes.byref(tokens),
                               ctypes.byref(error)), error)
        self._leave()
        return tokens.value

    def tools(self, session: str, form: str = "openai") -> List[Dict[str, Any]]:
        """Definitions of the tools by which a model reads back what builds of a session left out."""
        definitions: List[Dict[str, Any]] = self._call(lib.ctxmgr_tools, {"session": session, "form": form})
        return definitions

    def call_tool(self, session: str, name: str, arguments: Any, id: str = "", agent: str = "") -> Dict[str, Any]:
        """Runs one of them: the tool's message. `agent`: who calls, where rules are by agent. NotFound where it is no
        tool of ours."""
        call = {"session": session, "name": name, "arguments": arguments, "id": id, "agent": agent}
        message: Dict[str, Any] = self._call(lib.ctxmgr_call_tool, call)
        return message

    def _open(self) -> ctypes.c_void_p:
        if not self._manager:
            raise InvalidArgument("invalid_argument", "the manager is closed")
        return self._manager

    def _call(self, function: Any, request: Any, handle: Optional[ctypes.c_void_p] = None) -> Any:
        text = encode(request)
        result, error = ctypes.c_void_p(), ctypes.c_void_p()
        manager = self._open()
        code = function(handle or manager, text, len(text), ctypes.byref(result), ctypes.byref(error))
        answer = take(result.value)
        try:
            self._leave()
        except BaseException:
            take(error.value)
            raise
        check(code, error)
        return decode(answer)

    def _leave(self) -> None:
        if self._leaving:
            raise self._leaving.pop(0)

    def _completing(self, complete: Complete) -> Callable[..., int]:
        def call(_user: Any, request: Any, size: int, timeout_ms: int, reply: Any) -> int:
            try:
                answer = encode(complete(json.loads(ctypes.string_at(request, size)), timeout_ms))
                lib.ctxmgr_reply_set(reply, answer, len(answer))
                return 0
            except BaseException as error:  # of the host's own making: it must not pass through C
                if not isinstance(error, Exception):
                    self._leaving.append(error)
                text = type(error).__name__.encode()
                lib.ctxmgr_reply_set(reply, text, len(text))
                return INTERNAL
        return call

    def _counting(self, count: Count) -> Callable[..., int]:
        def call(_user: Any, text: Any, size: int) -> int:
            try:
                tokens = int(count(ctypes.string_at(text, size).decode("utf-8", "replace")))
                return tokens if 0 <= tokens <= MOST_TOKENS else -1  # ctypes would keep the low bits of a larger one
            except BaseException as error:
                if not isinstance(error, Exception):
                    self._leaving.append(error)
                return -1  # counted as an estimate, and the receipt says so
        return call


class Thread:
    """A conversation that grows: `build(messages)` takes all of it, and hands the library what is new.

    A message that has been changed, or taken out, is seen, and so is everything behind it. `state` goes on in another
    process: `manager.thread(thread_state=state)`. May be used by several threads, one after the other.
    """

    _thread: Optional[ctypes.c_void_p] = None

    def __init__(self, manager: Manager, model: str, thread_state: str, options: Dict[str, Any]) -> None:
        self._manager = manager
        self._model = model
        self._options = options
        self.state = thread_state
        self._seen: List[Any] = []  # copies, so that a change in place is seen; their strings are shared
        self._lock = threading.Lock()
        thread, error = ctypes.c_void_p(), ctypes.c_void_p()
        check(lib.ctxmgr_thread_create(manager._open(), ctypes.byref(thread), ctypes.byref(error)), error)
        self._thread = thread

    def close(self) -> None:
        """Ends it, before the manager ends."""
        if self._thread and self._manager._manager:
            lib.ctxmgr_thread_destroy(self._thread)
        self._thread = None

    def __enter__(self) -> "Thread":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def build(self, messages: Sequence[Message], body: Optional[Mapping[str, Any]] = None,
              **options: Any) -> Dict[str, Any]:
        """The request to send, fitted: {"body", "metadata", "thread_state"}. `body`: its other fields (tools …)."""
        with self._lock:
            if not self._thread:
                raise InvalidArgument("invalid_argument", "the thread is closed")
            keep = self._same(messages)
            new = list(messages[keep:])
            request = dict(self._options, **options)
            request["body"] = dict({"model": self._model} if self._model else {}, **(body or {}), messages=new)
            request["keep"] = keep
            if not self._seen and self.state:
                request["thread_state"] = self.state
            kept = copy.deepcopy(new)
            built: Dict[str, Any] = self._manager._call(lib.ctxmgr_thread_build, request, self._thread)
            self._seen[keep:] = kept
            self.state = built["thread_state"]
            return built

    def prepare_compaction(self, body: Optional[Mapping[str, Any]] = None, **options: Any) -> Dict[str, int]:
        """Manager.prepare_compaction() of what was built last. Another thread may build meanwhile."""
        if not self._thread:
            raise InvalidArgument("invalid_argument", "the thread is closed")
        request = dict(self._options, **options)
        request["body"] = dict({"model": self._model} if self._model else {}, **(body or {}))
        usage: Dict[str, int] = self._manager._call(lib.ctxmgr_thread_prepare_compaction, request, self._thread)
        return usage

    def _same(self, messages: Sequence[Message]) -> int:
        """How many of the first messages are as they were."""
        for i, (seen, given) in enumerate(zip(self._seen, messages)):
            if seen != given:
                return i
        return min(len(self._seen), len(messages))

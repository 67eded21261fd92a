"""The same for asyncio: calls run in threads of their own, since the library blocks and lets go of the interpreter."""
from __future__ import annotations

import asyncio
import functools
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar

from ._manager import Manager, Message, Thread

__all__ = ["AsyncManager", "AsyncThread"]


_Result = TypeVar("_Result")


async def _run(function: Callable[..., _Result], *arguments: Any, **options: Any) -> _Result:
    # Not to be given up: the library would go on with a manager that its owner believes to be idle.
    call = asyncio.get_running_loop().run_in_executor(None, functools.partial(function, *arguments, **options))
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        await asyncio.wait([call])
        if not call.cancelled():
            call.exception()
        raise


class AsyncManager:
    """A Manager whose calls are awaited. Its callbacks are plain functions, which are called from other threads."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._manager = Manager(*arguments, **options)

    def close(self) -> None:
        """Ends it. No call may be under way."""
        self._manager.close()

    async def __aenter__(self) -> "AsyncManager":
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.close()

    async def build(self, body: Any, **options: Any) -> Dict[str, Any]:
        return await _run(self._manager.build, body, **options)

    async def plan(self, body: Any, **options: Any) -> Dict[str, Any]:
        return await _run(self._manager.plan, body, **options)

    async def prepare_compaction(self, body: Any, **options: Any) -> Dict[str, int]:
        return await _run(self._manager.prepare_compaction, body, **options)

    async def count(self, text: str, model: str = "") -> int:
        return await _run(self._manager.count, text, model)

    async def tools(self, session: str, form: str = "openai") -> List[Dict[str, Any]]:
        return await _run(self._manager.tools, session, form)

    async def call_tool(self, session: str, name: str, arguments: Any, id: str = "", agent: str = "") -> Dict[str, Any]:
        return await _run(self._manager.call_tool, session, name, arguments, id, agent)

    def thread(self, model: str = "", thread_state: str = "", **options: Any) -> "AsyncThread":
        return AsyncThread(self._manager.thread(model, thread_state, **options))


class AsyncThread:
    """A Thread whose calls are awaited."""

    def __init__(self, thread: Thread) -> None:
        self._thread = thread

    @property
    def state(self) -> str:
        return self._thread.state

    def close(self) -> None:
        self._thread.close()

    async def build(self, messages: Sequence[Message], body: Optional[Mapping[str, Any]] = None,
                    **options: Any) -> Dict[str, Any]:
        return await _run(self._thread.build, messages, body, **options)

    async def prepare_compaction(self, body: Optional[Mapping[str, Any]] = None, **options: Any) -> Dict[str, int]:
        return await _run(self._thread.prepare_compaction, body, **options)

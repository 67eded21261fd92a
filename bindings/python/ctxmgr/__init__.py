"""ctxmgr for Python: the messages to send, within a token budget, with a receipt.

    from ctxmgr import Manager

    manager = Manager()
    thread = manager.thread("gpt-4o", max_input_tokens=8000)
    built = thread.build(messages)                 # again and again, as messages grows
    client.chat.completions.create(**built["body"])

The library is found where CTXMGR_LIBRARY says, beside the package, or as libctxmgr_c.so.1 on the loader's path.
docs/c-interface.md has the fields of requests and results.
"""
from ._library import explain, tool_instructions, version
from ._manager import Manager, Thread
from .aio import AsyncManager, AsyncThread
from .errors import (BadData, BudgetExceeded, Cancelled, Conflict, ContextError, ContextLengthExceeded,
                     DeadlineExceeded, Denied, Internal, InvalidArgument, LimitExceeded, NotFound, Unavailable)

__all__ = ["AsyncManager", "AsyncThread", "BadData", "BudgetExceeded", "Cancelled", "Conflict", "ContextError",
           "ContextLengthExceeded", "DeadlineExceeded", "Denied", "Internal", "InvalidArgument", "LimitExceeded",
           "Manager", "NotFound", "Thread", "Unavailable", "explain", "tool_instructions", "version"]

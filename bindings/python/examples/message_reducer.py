"""A node of a graph that fits the messages of its state, as LangGraph calls one before a model: state in, update out.

    graph.add_node("fit", fitting_node(manager, "gpt-5.6", 8000))      # reads "messages", writes "llm_input_messages"

The state keeps all messages; the model sees those that fit. Messages may be dicts in OpenAI's form or LangChain's objects,
which langchain_core converts both ways.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List

from ctxmgr import Manager


def add_messages(left: List[Any], right: Any) -> List[Any]:
    """The reducer of the field "messages": what is new stands behind what was there."""
    return left + (right if isinstance(right, list) else [right])


def fitting_node(manager: Manager, model: str, max_input_tokens: int) -> Callable[[Dict[str, Any]], Dict[str, Any]]:
    """One thread for one graph: the whole list comes each time, and the library is handed what is new."""
    thread = manager.thread(model, max_input_tokens=max_input_tokens)

    def fit(state: Dict[str, Any]) -> Dict[str, Any]:
        messages = state["messages"]
        are_dicts = all(isinstance(message, dict) for message in messages)
        if not are_dicts:
            from langchain_core.messages import convert_to_messages, convert_to_openai_messages
            messages = convert_to_openai_messages(messages)
        fitted = thread.build(messages)["body"]["messages"]
        return {"llm_input_messages": fitted if are_dicts else convert_to_messages(fitted)}

    return fit

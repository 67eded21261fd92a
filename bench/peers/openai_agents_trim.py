#!/usr/bin/env python3
"""The OpenAI Agents SDK: ToolOutputTrimmer before each call, and a session's limit on what went before. Usage: peer.py.

It counts no tokens. Defaults: the trimmer's, two user messages untouched; as recommended: one, and a session of 50 items, the
number of its documentation."""
import asyncio

import peer

agents, extensions, config, items, converter = peer.need("agents", "agents.extensions", "agents.run_config", "agents.run_internal.items",
                                                         "agents.models.chatcmpl_converter")


def to_items(m):
    if m["role"] == "tool":
        return [{"type": "function_call_output", "call_id": m["tool_call_id"], "output": m["content"] or ""}]
    text = [{"role": m["role"], "content": m["content"]}] if m.get("content") else []
    return text + [{"type": "function_call", "call_id": c["id"], "name": c["function"]["name"], "arguments": c["function"]["arguments"]}
                   for c in m.get("tool_calls") or []]


def policy_for(budget, setting):
    limit = None if setting == "defaults" else 50
    trimmer = extensions.ToolOutputTrimmer() if setting == "defaults" else extensions.ToolOutputTrimmer(recent_turns=1)
    session, agent, stored = agents.SQLiteSession("run", session_settings=agents.SessionSettings(limit=limit)), agents.Agent(name="peer"), 0

    def send(history):
        nonlocal stored
        system, rest = peer.split_system(history)
        turn = max((i for i, m in enumerate(rest) if m["role"] == "user"), default=0)
        asyncio.run(session.add_items([item for m in rest[stored:turn] for item in to_items(m)]))
        stored = max(stored, turn)
        given = asyncio.run(session.get_items()) + [item for m in rest[turn:] for item in to_items(m)]
        given = items.drop_orphan_function_calls(given)  # As its runner does.
        data = config.CallModelData(model_data=config.ModelInputData(input=given, instructions=None), agent=agent, context=None)
        return system + [dict(m) for m in converter.Converter.items_to_messages(trimmer(data).input)]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

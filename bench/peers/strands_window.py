#!/usr/bin/env python3
"""Strands' SlidingWindowConversationManager. Usage: peer.py.

The window is 40 messages; over the budget the service's overflow error is played, at which it shortens a result or drops
messages, until the request fits by an estimate. As recommended for agents: per turn, the first message pinned."""
import json
import types

import peer

manager, exceptions = peer.need("strands.agent.conversation_manager", "strands.types.exceptions")


def to_strands(m):
    if m["role"] == "tool":
        return {"role": "user", "content": [{"toolResult": {"toolUseId": m["tool_call_id"], "status": "success", "content": [{"text": m["content"] or ""}]}}]}
    content = [{"text": m["content"]}] if m.get("content") else []
    for call in m.get("tool_calls") or []:
        content.append({"toolUse": {"toolUseId": call["id"], "name": call["function"]["name"], "input": {"arguments": call["function"]["arguments"]}}})
    return {"role": m["role"], "content": content}


def to_openai(m):
    text = "".join(c.get("text", "") for c in m["content"])
    results = [c["toolResult"] for c in m["content"] if "toolResult" in c]
    if results:
        return [{"role": "tool", "tool_call_id": r["toolUseId"], "content": "".join(c.get("text") or "" for c in r["content"])} for r in results]
    calls = [{"id": c["toolUse"]["toolUseId"], "type": "function", "function": {"name": c["toolUse"]["name"], "arguments": c["toolUse"]["input"]["arguments"]}}
             for c in m["content"] if "toolUse" in c]
    return [{"role": m["role"], "content": text, **({"tool_calls": calls} if calls else {})}]


def policy_for(budget, setting):
    more = {} if setting == "defaults" else {"per_turn": True, "pin_first": 1}
    window, agent, seen = manager.SlidingWindowConversationManager(**more), types.SimpleNamespace(messages=[]), 0

    def send(history):
        nonlocal seen
        system, rest = peer.split_system(history)
        agent.messages += [to_strands(m) for m in rest[seen:]]
        seen = len(rest)
        window.apply_management(agent)
        while peer.estimate(system) + len(json.dumps(agent.messages)) // peer.CHARACTERS_PER_TOKEN > budget:
            window.reduce_context(agent, e=exceptions.ContextWindowOverflowException("too long"))
        return system + [o for m in agent.messages for o in to_openai(m)]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

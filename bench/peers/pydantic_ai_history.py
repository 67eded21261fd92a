#!/usr/bin/env python3
"""Pydantic AI's ProcessHistory, through an agent whose model only listens. Usage: peer.py.

It has no rule of its own: by default nothing is processed. As recommended: a processor that keeps the newest messages, as in its
documentation, here as many as the budget holds by an estimate, beside the first."""
import peer

pydantic_ai, capabilities, function, m_ = peer.need("pydantic_ai", "pydantic_ai.capabilities", "pydantic_ai.models.function", "pydantic_ai.messages")


def to_model(m):
    if m["role"] == "assistant":
        calls = [m_.ToolCallPart(c["function"]["name"], c["function"]["arguments"], c["id"]) for c in m.get("tool_calls") or []]
        return m_.ModelResponse(parts=([m_.TextPart(m["content"])] if m.get("content") else []) + calls)
    if m["role"] == "tool":
        return m_.ModelRequest(parts=[m_.ToolReturnPart("tool", m["content"] or "", m["tool_call_id"])])
    return m_.ModelRequest(parts=[m_.UserPromptPart(m["content"]) if m["role"] == "user" else m_.SystemPromptPart(m["content"])])


def to_openai(message):
    if message.kind == "response":
        calls = [{"id": p.tool_call_id, "type": "function", "function": {"name": p.tool_name, "arguments": p.args_as_json_str()}} for p in message.tool_calls]
        return [{"role": "assistant", "content": message.text or "", **({"tool_calls": calls} if calls else {})}]
    return [{"role": "tool", "tool_call_id": p.tool_call_id, "content": p.content} if p.part_kind == "tool-return" else
            {"role": p.part_kind.split("-")[0], "content": p.content} for p in message.parts]


def policy_for(budget, setting):
    if setting == "defaults":
        return None
    converted, sent = [], []

    def newest(messages):
        left, begin = budget - peer.estimate(to_openai(messages[0])), len(messages)
        for i in range(len(messages) - 1, 0, -1):
            if (left := left - peer.estimate(to_openai(messages[i]))) < 0:
                break
            if not any(p.part_kind == "tool-return" for p in messages[i].parts):  # A result needs its call.
                begin = i
        return messages[:1] + messages[begin if begin < len(messages) else -1:]

    def listen(messages, _info):
        sent[:] = messages
        return m_.ModelResponse(parts=[m_.TextPart("done")])
    agent = pydantic_ai.Agent(function.FunctionModel(listen), capabilities=[capabilities.ProcessHistory(newest)])

    def send(history):
        converted.extend(to_model(m) for m in history[len(converted):])
        agent.run_sync(message_history=list(converted))
        return [o for m in sent for o in to_openai(m)]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

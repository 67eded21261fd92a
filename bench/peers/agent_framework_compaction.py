#!/usr/bin/env python3
"""Microsoft Agent Framework's compaction strategies. Usage: peer.py.

Defaults: truncation at the budget to half of it, by its own estimate of tokens. As recommended: a token budget over older
results collapsed, then truncation, the first user message protected."""
import asyncio
import json

import peer

framework, compaction = peer.need("agent_framework", "agent_framework._compaction")


def to_framework(m):
    content = framework.Content
    if m["role"] == "tool":
        return framework.Message(role="tool", contents=[content.from_function_result(m["tool_call_id"], result=m["content"] or "")])
    contents = [content.from_text(m["content"])] if m.get("content") else []
    for call in m.get("tool_calls") or []:
        contents.append(content.from_function_call(call["id"], call["function"]["name"], arguments=call["function"]["arguments"]))
    return framework.Message(role=m["role"], contents=contents)


def to_openai(m):
    results = [c for c in m.contents if c.type == "function_result"]
    if results:
        return [{"role": "tool", "tool_call_id": c.call_id, "content": c.result if isinstance(c.result, str) else json.dumps(c.result)} for c in results]
    calls = [{"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}} for c in m.contents if c.type == "function_call"]
    return [{"role": str(m.role), "content": m.text, **({"tool_calls": calls} if calls else {})}]


def policy_for(budget, setting):
    counter = compaction.CharacterEstimatorTokenizer()
    first = setting == "recommended"
    strategy = compaction.TruncationStrategy(max_n=budget, compact_to=budget // 2, tokenizer=counter, preserve_first_user_group=first)
    if first:
        strategy = compaction.TokenBudgetComposedStrategy(
            token_budget=budget, tokenizer=counter, strategies=[compaction.ToolResultCompactionStrategy(keep_last_tool_call_groups=3), strategy])
    state, seen = [], 0

    def send(history):
        nonlocal seen
        compaction.extend_compaction_messages(state, [to_framework(m) for m in history[seen:]])
        seen = len(history)
        compaction.annotate_token_counts(state, tokenizer=counter)
        asyncio.run(strategy(state))
        return [o for m in compaction.included_messages(state) for o in to_openai(m)]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

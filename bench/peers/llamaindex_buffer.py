#!/usr/bin/env python3
"""LlamaIndex's memory buffer: the newest messages within the limit, from a user message on. Usage: peer.py.

Defaults: its limit of 3 000 tokens; as recommended the limit is what the system messages leave of the budget. It counts all messages
anew for each that it drops, so that an estimate takes the place of its tokenizer here."""
import peer

llms, memory = peer.need("llama_index.core.llms", "llama_index.core.memory")


def policy_for(budget, setting):
    buffer, seen = None, 0

    def send(history):
        nonlocal buffer, seen
        system, rest = peer.split_system(history)
        if buffer is None:
            limit = {} if setting == "defaults" else {"token_limit": max(500, budget - peer.estimate(system))}
            buffer = memory.ChatMemoryBuffer.from_defaults(tokenizer_fn=lambda text: range(len(text) // peer.CHARACTERS_PER_TOKEN), **limit)
        for m in rest[seen:]:
            buffer.put(llms.ChatMessage(role=m["role"], content=m.get("content") or "", additional_kwargs={
                k: m[k] for k in ("tool_calls", "tool_call_id") if m.get(k)}))
        seen = len(rest)
        return system + [{"role": m.role.value, "content": m.content or "", **m.additional_kwargs} for m in buffer.get()]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

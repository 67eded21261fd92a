#!/usr/bin/env python3
"""LangChain's trim_messages: the newest messages within the budget by its approximate counter. Usage: peer.py."""
import peer

messages, = peer.need("langchain_core.messages")


def policy_for(budget, setting):
    more = {} if setting == "defaults" else {"include_system": True, "start_on": "human", "end_on": ("human", "tool")}

    def send(history):
        kept = messages.trim_messages(messages.convert_to_messages(history), max_tokens=budget, token_counter="approximate",
                                      strategy="last", **more)
        return messages.convert_to_openai_messages(kept)
    return send


if __name__ == "__main__":
    peer.main(policy_for)

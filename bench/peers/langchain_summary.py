#!/usr/bin/env python3
"""LangChain's SummarizationMiddleware, with the scripted summariser. Usage: peer.py.

By default there is no trigger, and nothing happens; as recommended: at 0.8 of the budget, the newest 20 messages kept, which is
its default."""
import peer

messages, middleware, openai = peer.need("langchain_core.messages", "langchain.agents.middleware", "langchain_openai")
address = peer.summariser()


def policy_for(budget, setting):
    if setting == "defaults":
        return None
    model = openai.ChatOpenAI(model="scripted", base_url=address, api_key="none")
    summary = middleware.SummarizationMiddleware(model, trigger=("tokens", int(0.8 * budget)))
    state, seen = [], 0

    def send(history):
        nonlocal state, seen
        system, rest = peer.split_system(history)
        for message in messages.convert_to_messages(rest[seen:]):
            message.id = f"m{seen}"
            seen += 1
            state.append(message)
        changed = summary.before_model({"messages": state}, None)
        if changed:  # The first of them removes all.
            state = [m for m in changed["messages"] if not isinstance(m, messages.RemoveMessage)]
        return system + messages.convert_to_openai_messages(state)
    return send


if __name__ == "__main__":
    peer.main(policy_for)

#!/usr/bin/env python3
"""Deep Agents' summarization, which clips old arguments first and writes what it cuts into a file. Usage: peer.py.

By default it begins at 170 000 tokens, and nothing happens; as recommended the model's profile says its limit, the budget: then at
0.85 of it, a tenth kept. The scripted summariser answers."""
import tempfile

import peer

messages, types, openai, backends, summarization = peer.need("langchain_core.messages", "langchain.agents.middleware.types", "langchain_openai",
                                                             "deepagents.backends", "deepagents.middleware.summarization")
address, folder = peer.summariser(), tempfile.TemporaryDirectory()


def policy_for(budget, setting):
    profile = {} if setting == "defaults" else {"profile": {"max_input_tokens": budget}}
    model = openai.ChatOpenAI(model="scripted", base_url=address, api_key="none", **profile)
    summary = summarization.create_summarization_middleware(model, backends.FilesystemBackend(folder.name, virtual_mode=True))
    converted, state = [], {}

    def send(history):
        system, rest = peer.split_system(history)
        converted.extend(messages.convert_to_messages(rest[len(converted):]))
        sent = []

        def handler(request):
            sent[:] = request.messages
            return types.ModelResponse(result=[messages.AIMessage("done")])
        request = types.ModelRequest(model=model, messages=list(converted), system_prompt="\n".join(m["content"] for m in system) or None, tool_choice=None,
                                     tools=[], response_format=None, state={"messages": list(converted), **state}, runtime=None)
        answer = summary.wrap_model_call(request, handler)
        command = getattr(answer, "command", None)
        state.update({k: v for k, v in (command.update if command else {}).items() if k != "messages"})
        return system + messages.convert_to_openai_messages(sent)
    return send


if __name__ == "__main__":
    peer.main(policy_for)

#!/usr/bin/env python3
"""LangChain's ContextEditingMiddleware with ClearToolUsesEdit. Usage: peer.py.

The default trigger is 100 000 tokens; as recommended it is 0.8 of the budget, the newest three results kept."""
import peer

messages, middleware, types, fakes = peer.need("langchain_core.messages", "langchain.agents.middleware",
                                               "langchain.agents.middleware.types", "langchain_core.language_models.fake_chat_models")


def policy_for(budget, setting):
    edit = middleware.ClearToolUsesEdit() if setting == "defaults" else middleware.ClearToolUsesEdit(trigger=int(0.8 * budget))
    editing = middleware.ContextEditingMiddleware(edits=[edit])
    model = fakes.GenericFakeChatModel(messages=iter([]))

    def send(history):
        system, rest = peer.split_system(history)
        sent = []

        def handler(request):
            sent.extend(request.messages)
            return types.ModelResponse(result=[messages.AIMessage("done")])
        editing.wrap_model_call(types.ModelRequest(model=model, messages=messages.convert_to_messages(rest), system_prompt=None, tool_choice=None,
                                                   tools=[], response_format=None, state={"messages": []}, runtime=None), handler)
        return system + messages.convert_to_openai_messages(sent)
    return send


if __name__ == "__main__":
    peer.main(policy_for)

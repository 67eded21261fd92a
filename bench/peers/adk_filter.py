#!/usr/bin/env python3
"""Google ADK's ContextFilterPlugin: the newest invocations, each from a user message on. Usage: peer.py.

It counts no tokens. By default nothing is filtered; with this setting, which is ours, the newest three invocations stay."""
import asyncio

import peer

plugins, models, types = peer.need("google.adk.plugins.context_filter_plugin", "google.adk.models.llm_request", "google.genai.types")


def to_adk(m):
    if m["role"] == "tool":
        response = types.FunctionResponse(id=m["tool_call_id"], name="tool", response={"result": m["content"]})
        return types.Content(role="user", parts=[types.Part(function_response=response)])
    parts = [types.Part(text=m["content"])] if m.get("content") else []
    for call in m.get("tool_calls") or []:
        parts.append(types.Part(function_call=types.FunctionCall(id=call["id"], name=call["function"]["name"], args={})))
    return types.Content(role="user" if m["role"] == "user" else "model", parts=parts)


def policy_for(budget, setting):
    if setting == "defaults":
        return None
    plugin, contents = plugins.ContextFilterPlugin(num_invocations_to_keep=3), []

    def send(history):
        system, rest = peer.split_system(history)
        contents.extend(to_adk(m) for m in rest[len(contents):])
        request = models.LlmRequest(contents=list(contents))
        asyncio.run(plugin.before_model_callback(callback_context=None, llm_request=request))
        kept = {id(content) for content in request.contents}
        return system + [m for m, content in zip(rest, contents) if id(content) in kept]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

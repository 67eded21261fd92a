#!/usr/bin/env python3
"""The OpenHands SDK's LLMSummarizingCondenser, with the scripted summariser. Usage: peer.py.

By default it condenses beyond 80 events, and counts no tokens where the model's window is not known; as recommended its max_tokens is the
budget. The SDK's other condensers do nothing, or join others. It refuses models with windows of under 16 384 tokens."""
import logging
import os
import warnings

import peer

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True")
sdk, condensers, events, views = peer.need("openhands.sdk", "openhands.sdk.context.condenser", "openhands.sdk.event", "openhands.sdk.context.view")
logging.disable(logging.ERROR)
warnings.simplefilter("ignore")  # The scripted model has no price.
address = peer.summariser()
Result = type("Result", (sdk.Observation,), {"__module__": __name__})


def to_events(m, place, actions):
    text = [sdk.TextContent(text=m["content"])] if m.get("content") else []
    if m["role"] in ("system", "developer") and place == 0:
        return [events.SystemPromptEvent(system_prompt=text[0], tools=[])]
    if m["role"] == "tool":
        call = actions[m["tool_call_id"]]
        return [events.ObservationEvent(observation=Result(content=text), action_id=call.id, tool_name=call.tool_name, tool_call_id=call.tool_call_id)]
    calls = [sdk.llm.MessageToolCall(id=c["id"], origin="completion", **c["function"]) for c in m.get("tool_calls") or []]
    source = {"user": "user", "assistant": "agent"}.get(m["role"], "environment")
    made = [events.ActionEvent(thought=[] if i else text, tool_name=c.name, tool_call_id=c.id, tool_call=c, llm_response_id=f"r{place}") for i, c in enumerate(calls)]
    actions.update((action.tool_call_id, action) for action in made)
    return made or [events.MessageEvent(source=source, llm_message=sdk.Message(role=m["role"], content=text))]


def to_openai(m):
    more = {"tool_calls": [c.to_chat_dict() for c in m.tool_calls]} if m.tool_calls else {"tool_call_id": m.tool_call_id} if m.tool_call_id else {}
    return {"role": m.role, "content": "".join(c.text for c in m.content), **more}


def policy_for(budget, setting):
    llm = sdk.LLM(model="openai/scripted", base_url=address, api_key="none")
    condenser, view, actions, seen = condensers.default_condenser(llm), views.View(), {}, 0
    if setting == "recommended":
        condenser = condenser.model_copy(update={"max_tokens": budget})

    def send(history):
        nonlocal seen
        for place in range(seen, len(history)):
            for event in to_events(history[place], place, actions):
                view.append_event(event)
        seen = len(history)
        for _ in range(5):  # As in the agent's loop a condensation is an event, after which the next step asks again.
            if isinstance(condensed := condenser.condense(view, agent_llm=llm), views.View):
                break
            view.append_event(condensed)
        return [to_openai(m) for m in sdk.LLMConvertibleEvent.events_to_messages(view.events)]
    return send


if __name__ == "__main__":
    peer.main(policy_for)

"""An agent loop with the openai package: pip install openai, OPENAI_API_KEY (and OPENAI_BASE_URL) set.

    python3 agent_loop.py "How large is this folder?" [MODEL]

The list of messages grows for ever; what is sent fits the budget. What a build leaves out, the model reads back by tools.
"""
import json
import os
import sys

from ctxmgr import Manager, tool_instructions

OWN_TOOLS = [{"type": "function", "function": {
    "name": "list_folder", "description": "Names and sizes of the files in a folder.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}]
SESSION = "agent"


def list_folder(path):
    try:
        with os.scandir(path) as entries:
            return "\n".join(f"{entry.name} {entry.stat(follow_symlinks=False).st_size}" for entry in entries)
    except OSError as error:
        return f"error: {error.strerror}"


def answer(manager, call):
    """The message that answers a call: ours or the library's."""
    name, arguments = call.function.name, call.function.arguments
    if name != "list_folder":
        return manager.call_tool(SESSION, name, arguments, id=call.id)
    return {"role": "tool", "tool_call_id": call.id, "content": list_folder(json.loads(arguments)["path"])}


def run(client, model, question, most_steps=20):
    messages = [{"role": "system", "content": f"Answer in one sentence. {tool_instructions()}"}, {"role": "user", "content": question}]
    with Manager() as manager, manager.thread(model, session=SESSION, max_input_tokens=8000) as thread:
        tools = OWN_TOOLS + manager.tools(SESSION)
        for _ in range(most_steps):
            reply = client.chat.completions.create(**thread.build(messages, {"tools": tools})["body"])
            message = reply.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content
            messages += [answer(manager, call) for call in message.tool_calls]
    return "(no answer in so many steps)"


if __name__ == "__main__":
    from openai import OpenAI
    print(run(OpenAI(), sys.argv[2] if len(sys.argv) > 2 else "gpt-5.4-mini", sys.argv[1]))

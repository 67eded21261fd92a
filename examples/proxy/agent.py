#!/usr/bin/env python3
"""A small agent, as one may have it already: agent.py BASE_URL [STEPS]

It asks a question, does what the model asks for, and ends when the model says something. It keeps its whole conversation
and sends all of it each time; what fits is the affair of whoever stands behind BASE_URL.
"""
import json
import sys
import urllib.request

QUESTION = "What is the fee of berth 7? Look through the records, and do not write to them."
TOOLS = [{"type": "function", "function": {
    "name": "read_file", "description": "Reads a file",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}]


def read_file(path):
    """Records that nobody can read at once: some two thousand tokens each."""
    lines = [f"## {path}"]
    for number in range(60):
        lines.append(f"Entry {number} of {path}: berth {number % 12}, draught {3 + number % 7}.{number % 10} m, "
                     f"moored at {number % 24:02}:{number * 7 % 60:02}, crane {number % 5}, paid {100 + number * 13} crowns.")
    return "\n".join(lines)


def ask(base_url, messages, step, steps):
    body = json.dumps({"model": "gpt-5.6", "messages": messages, "tools": TOOLS}).encode()
    request = urllib.request.Request(f"{base_url}/v1/chat/completions", body, {
        "content-type": "application/json", "x-script-step": str(step), "x-script-steps": str(steps)})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["choices"][0]["message"]


def main():
    base_url, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 29
    messages = [{"role": "system", "content": "You answer questions about a harbour."},
                {"role": "user", "content": QUESTION}]
    for step in range(steps + 1):
        message = ask(base_url, messages, step, steps)
        messages.append(message)
        for call in message.get("tool_calls") or []:
            path = json.loads(call["function"]["arguments"])["path"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": read_file(path)})
        if not message.get("tool_calls"):
            print(message["content"])
            return
    sys.exit("the model did not come to an end")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A small agent, as one may have it already: agent.py BASE_URL [STEPS [WINDOW]]

It reads one record after the other, as the model asks for them. Then its user asks for something that stood in the second
record, and it prints the answer. It keeps its whole conversation and sends all of it each time; what fits is the affair of
whoever stands behind BASE_URL. With WINDOW it sends only its instructions, the task and the newest messages that take so many tokens, as
agents without a library do.
"""
import json
import sys
import urllib.request

TASK = "Look through the records of the harbour, and do not write to them. I ask you something afterwards."
QUESTION = "What is the fee of berth 7?"
BYTES_OF_A_TOKEN = 3  # Roughly, of such records.
TOOLS = [{"type": "function", "function": {
    "name": "read_file", "description": "Reads a file",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}]


def read_file(path):
    """Records that nobody can read at once: some two thousand tokens each."""
    lines = [f"## {path}"]
    if path.endswith("-1.md"):
        lines.append("The fee of berth 7 is 340 crowns.")
    for number in range(60):
        lines.append(f"Entry {number} of {path}: berth {number % 12}, draught {3 + number % 7}.{number % 10} m, "
                     f"moored at {number % 24:02}:{number * 7 % 60:02}, crane {number % 5}, paid {100 + number * 13} crowns.")
    return "\n".join(lines)


def newest(messages, tokens):
    """What a plain window keeps: instructions and task, then the newest messages that fit, from a call on and not from its result."""
    rest, room = messages[2:], tokens - sum(len(json.dumps(message)) for message in messages[:2] + TOOLS) // BYTES_OF_A_TOKEN
    first = len(rest)
    for i in range(len(rest) - 1, -1, -1):
        room -= len(json.dumps(rest[i])) // BYTES_OF_A_TOKEN
        if room < 0:
            break
        if rest[i]["role"] != "tool":
            first = i
    return messages[:2] + rest[first:]


def ask(base_url, messages, step):
    body = json.dumps({"model": "gpt-5.6", "messages": messages, "tools": TOOLS}).encode()
    request = urllib.request.Request(f"{base_url}/v1/chat/completions", body, {
        "content-type": "application/json", "x-script-step": str(step)})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["choices"][0]["message"]


def main():
    base_url, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 29
    window = int(sys.argv[3]) if len(sys.argv) > 3 else None
    messages = [{"role": "system", "content": "You answer questions about a harbour."}, {"role": "user", "content": TASK}]
    send = lambda: newest(messages, window) if window else messages
    for step in range(steps):
        message = ask(base_url, send(), step)
        messages.append(message)
        for call in message.get("tool_calls") or []:
            path = json.loads(call["function"]["arguments"])["path"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": read_file(path)})
    messages.append({"role": "user", "content": QUESTION})
    print(ask(base_url, send(), steps)["content"])


if __name__ == "__main__":
    main()

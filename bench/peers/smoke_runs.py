#!/usr/bin/env python3
"""Three small runs of our own making: an agent with tools, a chat, an agent in the text protocol. smoke_runs.py OUT.jsonl"""
import json
import sys


def agent(steps=12):
    messages = [{"role": "system", "content": "You keep the books."}, {"role": "user", "content": "Find the late fee in the ledgers."}]
    for i in range(steps):
        arguments = json.dumps({"path": f"ledgers/page_{i}.csv"})
        messages += [{"role": "assistant", "content": "", "tool_calls": [{"id": f"c{i}", "type": "function", "function": {"name": "read", "arguments": arguments}}]},
                     {"role": "tool", "tool_call_id": f"c{i}", "content": f"page {i}: " + f"invoice {4000 + i} paid, nothing owed. " * 40}]
    return messages + [{"role": "assistant", "content": "There is none."}]


def chat(turns=20):
    messages = [{"role": "system", "content": "You help in a garden."}]
    for i in range(turns):
        messages += [{"role": "user", "content": f"Which plant goes into bed {i}? " + "It has sun in the morning. " * 20},
                     {"role": "assistant", "content": f"Beans for bed {i}. " + "Water them twice a week. " * 20}]
    return messages


def text_protocol(steps=12):
    messages = [{"role": "user", "content": "Count the lines of the letters. Answer with one command."}]
    for i in range(steps):
        messages += [{"role": "assistant", "content": f"```bash\nwc -l letters/{i}.txt\n```"}, {"role": "user", "content": f"{i + 30} letters/{i}.txt\n" + "no more to see here\n" * 60}]
    return messages + [{"role": "assistant", "content": "All counted."}]


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for name, make in (("tools", agent), ("chat", chat), ("text", text_protocol)):
            out.write(json.dumps({"id": f"smoke/{name}", "messages": make()}) + "\n")

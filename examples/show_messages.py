#!/usr/bin/env python3
"""Shows the messages of a request for people: `ctxpack build request.json --budget 1200 | show_messages.py [LINES]`.
Long texts are cut after so many lines (default: none is)."""
import json
import sys
import textwrap

most = int(sys.argv[1]) if len(sys.argv) > 1 else None
for number, message in enumerate(json.load(sys.stdin)["messages"], 1):
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "\n".join(part.get("text", f"[{part['type']}]") for part in content)
    lines = [piece for line in text.splitlines() for piece in textwrap.wrap(line, 100) or [""]]
    for call in message.get("tool_calls", []):
        lines.append(f"calls {call['function']['name']} {call['function']['arguments']}")
    if most is not None and len(lines) > most:
        lines = lines[: most - 1] + [f"[{len(lines) - most + 1} lines more]"]
    for at, line in enumerate(lines):
        print(f"{number if at == 0 else '':>2} {message['role'] if at == 0 else '':<10} {line}".rstrip())

"""What the adapters share: runs in, requests out, and a summariser on loopback that keeps every name.

  NAME.py RUNS.jsonl --budget N --requests OUT.jsonl [--setting defaults|recommended]

An adapter gives `main()` a function from budget and setting to a policy: an object that is called with the history of
each step of one run (OpenAI messages) and gives what the peer would send. `None` as policy: the setting changes nothing.
"""
import argparse
import http.server
import importlib
import json
import re
import sys
import threading
import time

CHARACTERS_PER_TOKEN = 4  # What most of the packages estimate with.
NAME = re.compile(r"[\w./#-]*(?:[/_\d]|[a-z][A-Z])[\w./#-]*")


def environment(adapter):
    """The folder of setup.sh in which its package is."""
    return {"headroom_compress": "headroom", "openhands_condensers": "openhands"}.get(adapter, "main")


def need(*modules):
    """Imports them; where one is absent, says so and ends well."""
    try:
        return [importlib.import_module(module) for module in modules]
    except ImportError as error:
        print(f"skipped: {error} (bench/peers/setup.sh installs it)")
        sys.exit(77)


def estimate(messages):
    return sum(len(json.dumps(message, ensure_ascii=False)) for message in messages) // CHARACTERS_PER_TOKEN


def split_system(history):
    """System messages, which most packages keep apart, and the rest."""
    system = [m for m in history if m["role"] in ("system", "developer")]
    return system, [m for m in history if m["role"] not in ("system", "developer")]


class Summariser(http.server.BaseHTTPRequestHandler):
    """A chat completion: all names of what it was sent, the newest first, in at most 4 000 characters. Every peer's best case."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = "\n".join(m["content"] if isinstance(m["content"], str) else json.dumps(m["content"]) for m in request["messages"])
        names = " ".join(dict.fromkeys(reversed(NAME.findall(text))))[:4000]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Names so far: " + names}}
        body = json.dumps({"id": "s", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice],
                           "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def summariser():
    """Starts one; its base address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Summariser)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def main(policy_for):
    parser = argparse.ArgumentParser()
    parser.add_argument("runs")
    parser.add_argument("--budget", type=int, required=True)
    parser.add_argument("--requests", required=True)
    parser.add_argument("--setting", choices=("defaults", "recommended"), default="recommended")
    o = parser.parse_args()
    steps, failed, seconds, unchanged = 0, 0, 0.0, 0
    with open(o.runs, encoding="utf-8") as runs, open(o.requests, "w", encoding="utf-8") as out:
        for run in map(json.loads, filter(str.strip, runs)):
            policy = policy_for(o.budget, o.setting)
            for step, message in enumerate(run["messages"]):
                if message["role"] != "assistant" or step == 0:
                    continue
                history, row = run["messages"][:step], {"run": run["id"], "step": step}
                before = time.perf_counter()
                try:
                    row["messages"] = policy(history) if policy else history
                except Exception as error:  # A peer's own failure is a result.
                    row["error"] = f"{type(error).__name__}: {error}"[:300]
                    failed += 1
                seconds += time.perf_counter() - before
                steps += 1
                unchanged += row.get("messages") == history
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{steps} steps, {1000 * seconds / max(1, steps):.2f} ms a step, {failed} failed, {unchanged} with the whole history")

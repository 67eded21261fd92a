#!/usr/bin/env python3
"""Recorded agent runs, built with a planner that has everything summarised, and with a summariser that keeps nothing:
planned_runs.py RUNS --budget N [--requests FILE] [--no-client]

What is left of the names then is what the notes hold. RUNS: {"id", "messages"} a line. Prints plans, summaries and their
tokens; `--requests` writes {"run", "step", "messages"} a line, as `ctxpack simulate --requests` does. Finds the library
on the loader's path or where CTXMGR_LIBRARY says.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bindings" / "python"))
from ctxmgr import ContextError, Manager  # noqa: E402


class Client:
    """Plans "summarise all of it"; summarises everything as the same three words."""

    def __init__(self):
        self.plans = self.summaries = self.tokens = 0
        self.prompts = set()
        self.twice = 0

    def __call__(self, request, timeout_ms):
        prompt = request["messages"][-1]["content"]
        aliases = re.findall(r"^(a\d+) \| ", prompt, re.M)
        if aliases:
            self.plans += 1
            reply = json.dumps({"reasoning": "", "decisions": [
                {"artifact": alias, "strategy": "summarize", "priority": 1, "rationale": "", "focus": "", "query": "",
                 "target_tokens": 2000} for alias in aliases]})
        else:
            self.summaries += 1
            self.twice += prompt in self.prompts
            self.prompts.add(prompt)
            reply = "They worked on."
        used = sum(len(message["content"]) for message in request["messages"]) // 4
        self.tokens += used + len(reply) // 4
        return {"choices": [{"message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": used, "completion_tokens": len(reply) // 4}}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("runs")
    arguments.add_argument("--budget", type=int, required=True)
    arguments.add_argument("--requests")
    arguments.add_argument("--no-client", action="store_true", help="the same without a model, to compare with")
    arguments = arguments.parse_args()
    out = open(arguments.requests, "w") if arguments.requests else None
    client = Client()
    steps = failed = tokens = 0
    with open(arguments.runs, encoding="utf-8") as runs:
        for run in map(json.loads, runs):
            state = None
            with Manager(complete=None if arguments.no_client else client) as manager:
                for step, message in enumerate(run["messages"]):
                    if message["role"] != "assistant":
                        continue
                    options = {"max_input_tokens": arguments.budget, "scope": run["id"],
                               "planner": "deterministic" if arguments.no_client else "llm"}
                    if state:
                        options["thread_state"] = state
                    steps += 1
                    try:
                        built = manager.build({"model": "gpt-5", "messages": run["messages"][:step]}, **options)
                    except ContextError as error:
                        failed += 1
                        print(f"{run['id']}, step {step}: {error}", file=sys.stderr)
                        continue
                    state = built["thread_state"]
                    tokens += built["metadata"]["input_tokens_used"]
                    if out:
                        out.write(json.dumps({"run": run["id"], "step": step, "messages": built["body"]["messages"]}) + "\n")
    print(f"{steps} requests, {failed} failed, {tokens} tokens sent; {client.plans} plans, {client.summaries} summaries "
          f"({client.twice} of them asked for before), {client.tokens} tokens of planning")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Processor time of an agent's step in Python, with a thread and with the whole list each time: python_thread.py [STEPS]

Needs the package ctxmgr (`pip install ./bindings/python`), or CTXMGR_LIBRARY and PYTHONPATH=bindings/python.
"""
import json
import statistics
import sys
import time

import ctxmgr

BUDGET = {"max_input_tokens": 16000}


def step(i):
    call = {"id": f"c{i}", "type": "function", "function": {"name": "read", "arguments": json.dumps({"page": i})}}
    return [{"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{i}", "content": f"page {i}: " + f"invoice {4000 + i} paid, nothing owed. " * 50}]


def median_ms(build, messages, steps):
    times = []
    for i in range(steps):
        messages += step(len(messages))
        before = time.thread_time()
        build(messages)
        times.append(1000 * (time.thread_time() - before))
    return statistics.median(times)


def main():
    messages = [{"role": "user", "content": "Find the late fee."}] + [m for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 600) for m in step(-i)]
    print(f"{len(messages)} messages, {len(json.dumps(messages)) / 1e6:.2f} MB")
    with ctxmgr.Manager() as manager, manager.thread("gpt-4o", **BUDGET) as thread:
        thread.build(messages)
        print(f"thread.build(): {median_ms(thread.build, messages, 60):.1f} ms a step")
        state = ""

        def whole(messages):
            nonlocal state
            state = manager.build({"model": "gpt-4o", "messages": messages}, thread_state=state, **BUDGET)["thread_state"]
        whole(messages)
        print(f"manager.build(): {median_ms(whole, messages, 10):.1f} ms a step")


if __name__ == "__main__":
    main()

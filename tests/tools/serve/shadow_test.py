#!/usr/bin/env python3
"""The shadow says what `simulate` says: shadow_test.py CTXPACK [RUNS [BUDGET [MOST_RUNS]]]

Conversations go step by step through `serve --shadow`, before a service that gets them untouched. The share of the price and of the
names that it forecasts is within 3 points of what `ctxpack simulate` says of the same recorded runs. RUNS: other runs than the ones
made here, as JSON Lines.
"""
import http.client
import json
import re
import subprocess
import sys
import tempfile

from service import start_service

MODEL = "gpt-5"


def made_run(number):
    """An agent that reads files, and uses now and then what an older one said."""
    messages = [{"role": "system", "content": f"You are agent {number}."}, {"role": "user", "content": "Audit the services."}]
    for i in range(40):
        path = f"src/service_{number}_{i}.py" if i % 7 else f"lib/port_{number}_{max(0, i - 9)}.cfg"
        call = {"id": f"c{i}", "type": "function", "function": {"name": "read_file", "arguments": json.dumps({"path": path})}}
        lines = "\n".join(f"def handler_{number}_{i}_{j}(): return load('lib/port_{number}_{i}.cfg', {4000 + i * 10 + j})" for j in range(12))
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]},
                     {"role": "tool", "tool_call_id": f"c{i}", "content": lines}]
    return {"id": f"run{number}", "messages": messages + [{"role": "assistant", "content": "Done."}]}


def shadowed(ctxpack, runs, budget):
    service = start_service()
    proxy = subprocess.Popen([ctxpack, "serve", "--upstream", service.url, "--budget", str(budget),
                              "--shadow", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    port = int(proxy.stdout.readline().rsplit(":", 1)[1])
    client, sent = http.client.HTTPConnection("127.0.0.1", port, timeout=60), []
    for run in runs:
        for i, message in enumerate(run["messages"]):
            if i == 0 or message["role"] != "assistant":
                continue
            tools = {"tools": run["tools"]} if run.get("tools") else {}
            sent.append(json.dumps({"model": MODEL, "messages": run["messages"][:i], **tools}).encode())
            client.request("POST", "/v1/chat/completions", sent[-1], {"content-type": "application/json", "x-ctxmgr-thread": run["id"]})
            answer = client.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
    proxy.terminate()
    words = proxy.communicate(timeout=60)[1].replace("\u00a0", " ").replace("\u202f", " ")
    assert service.bodies == sent, "requests go on untouched"
    return words


def simulated(ctxpack, runs, budget):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(run) + "\n" for run in runs)
        file.flush()
        out = subprocess.run([ctxpack, "simulate", file.name, "--budget", str(budget), "--model", MODEL, "--json"], capture_output=True,
                             text=True, check=True).stdout
    return json.loads(out)["policies"]


def main():
    ctxpack, budget = sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 4000
    runs = [made_run(i) for i in range(3)]
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as file:
            runs = [json.loads(line) for line in file][:int(sys.argv[4]) if len(sys.argv) > 4 else None]
    words = shadowed(ctxpack, runs, budget)
    last = words.strip().splitlines()[-1]
    found = re.search(r"you would have paid ([\d.]+) of what everything costs\. ([\d ]+) of ([\d ]+) steps would have lacked", last)
    assert found, words
    names = re.search(r"Still there: ([\d.]+) % of the names", last)
    policies = simulated(ctxpack, runs, budget)
    everything, fitted = policies["everything"], policies["ctxmgr"]
    price = fitted["usd"] / everything["usd"]
    kept = 100 * fitted["literals_kept"] / fitted["literals"]
    print(f"forecast {found[1]} of the price and {names[1]} % of the names; simulate {price:.3f} and {kept:.1f} %")
    assert abs(float(found[1]) - price) <= 0.03, (found[1], price)
    assert abs(float(names[1]) - kept) <= 3, (names[1], kept)
    if len(sys.argv) <= 2:
        assert "After 50 requests in " in words and "After 100 requests in " in words, words


if __name__ == "__main__":
    main()

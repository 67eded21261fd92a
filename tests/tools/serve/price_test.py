#!/usr/bin/env python3
"""The page of the proxy prices a conversation as the simulation does: price_test.py CTXPACK

A conversation is recorded, and its requests go through the proxy, before a service that reports no usage. The page says what they
cost, what everything would have cost, and what came from the cache; `ctxpack simulate` says the same of the recorded run.
"""
import http.client
import json
import re
import subprocess
import sys
import tempfile

from service import start_service

BUDGET = 2000
MODEL = "gpt-5"


def recorded():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Keep the books."}]
    for turn in range(80):
        entries = " ".join(f"entry {turn * 31 + i} of the ledger" for i in range(60))
        messages += [{"role": "assistant", "content": f"Noted, {turn}."}, {"role": "user", "content": entries}]
    return messages + [{"role": "assistant", "content": "Done."}]


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {"content-type": "application/json", "x-ctxmgr-thread": "books"})
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.status == 200, (answer.status, text)
    return text


def page_of(ctxpack, messages):
    service = start_service()
    proxy = subprocess.Popen([ctxpack, "serve", "--upstream", service.url, "--budget", str(BUDGET),
                              "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(proxy.stdout.readline().rsplit(":", 1)[1])
        for i, message in enumerate(messages):
            if message["role"] == "assistant":
                ask(port, "POST", "/v1/chat/completions", json.dumps({"model": MODEL, "messages": messages[:i]}))
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", ask(port, "GET", "/?thread=books&part=main")))
    finally:
        proxy.kill()
        proxy.wait()


def simulated(ctxpack, messages):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as runs:
        runs.write(json.dumps({"id": "books", "messages": messages}) + "\n")
        runs.flush()
        out = subprocess.run([ctxpack, "simulate", runs.name, "--budget", str(BUDGET), "--model", MODEL, "--json"], capture_output=True,
                             text=True, check=True).stdout
    return json.loads(out)["policies"]


def check_shown(page, pattern, expected):
    """The page rounds: what it shows is the figure with as many digits."""
    found = re.search(pattern, page)
    assert found, (pattern, page[:2000])
    digits = len(found[1].partition(".")[2])
    assert abs(float(found[1]) - expected) <= 0.5000001 * 10 ** -digits, (pattern, found[1], expected)


def main():
    ctxpack, messages = sys.argv[1], recorded()
    page, policies = page_of(ctxpack, messages), simulated(ctxpack, messages)
    ours = policies["ctxmgr"]
    assert ours["compactions"] > 0 and ours["usd"] != policies["everything"]["usd"], ours
    check_shown(page, r"what was sent: \$([\d.]+)", ours["usd"])
    check_shown(page, r"everything, with a cache: \$([\d.]+)", policies["everything"]["usd"])
    check_shown(page, r"([\d.]+) % of the input from the cache", 100 * ours["cached_tokens"] / ours["tokens"])
    print(f"sent ${ours['usd']:.5f}, everything ${policies['everything']['usd']:.5f}, the page says the same")


if __name__ == "__main__":
    main()

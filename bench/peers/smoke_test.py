#!/usr/bin/env python3
"""An adapter on three small runs of our own: each step has a request, and the scorer reads all of them.

smoke_test.py ADAPTER CTXPACK [FOLDER]: FOLDER is where setup.sh installed; default .venv beside this file. Skipped (77) without it."""
import json
import pathlib
import subprocess
import sys
import tempfile

import peer
import smoke_runs

HERE = pathlib.Path(__file__).resolve().parent
BUDGET = 2000
MAY_LEAVE_ALL = ("headroom_compress", "openai_agents_trim")  # Results of some forms, or of turns before the last one, alone.


def requests_of(adapter, python, runs, out, setting):
    command = [python, HERE / f"{adapter}.py", runs, "--budget", str(BUDGET), "--requests", out, "--setting", setting]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        print(done.stdout.strip())
        sys.exit(77)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in out.read_text().splitlines()]


def main():
    adapter, ctxpack = sys.argv[1:3]
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else HERE / ".venv"
    python = folder / peer.environment(adapter) / "bin" / "python"
    if not python.exists():
        print(f"skipped: {python} is not there (bench/peers/setup.sh makes it)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        runs, out = directory / "runs.jsonl", directory / f"{adapter}.jsonl"
        subprocess.run([sys.executable, HERE / "smoke_runs.py", runs], check=True)
        steps = sum(m["role"] == "assistant" and i > 0 for make in (smoke_runs.agent, smoke_runs.chat, smoke_runs.text_protocol)
                    for i, m in enumerate(make()))
        for setting in ("defaults", "recommended"):
            rows = requests_of(adapter, python, runs, out, setting)
            assert len(rows) == steps and not any("error" in row for row in rows), f"{setting}: a step has no request"
            scored = json.loads(subprocess.run([ctxpack, "simulate", runs, "--budget", str(BUDGET), "--score", out, "--json"],
                                               check=True, capture_output=True, text=True).stdout)["policies"]
            assert scored[adapter]["failed"] == 0 and scored[adapter]["steps"] == steps, setting
        assert adapter in MAY_LEAVE_ALL or scored[adapter]["tokens"] < scored["everything"]["tokens"], "nothing was left out"
    print("ok")


if __name__ == "__main__":
    main()

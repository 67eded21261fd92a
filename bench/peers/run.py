#!/usr/bin/env python3
"""Every adapter on a sample of recorded runs, each within its time; what was skipped is said.

  run.py RUNS_DIR OUT --budget N [--seconds 240] [--runs coding:8 sql:2:400 …] [--python FOLDER] [--only ADAPTER …]

Of each kind, RUNS_DIR/KIND.jsonl, so many runs are taken, spread evenly, each up to so many messages (the last one the agent's). They
are in OUT/runs, and the requests of each adapter and setting in OUT/requests: compare.py makes tables of both.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import peer

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("coding:8", "sessions:2", "text:6", "tau:8", "webshop:1", "sql:2:400")
DOES_NOTHING_BY_DEFAULT = ("adk_filter", "deepagents_summary", "langchain_editing", "langchain_summary", "pydantic_ai_history")


def sample(source, kinds, out):
    """Writes the files of runs; the ids in each, in the order of `kinds`."""
    ids = {}
    out.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        name, count, *most = kind.split(":")
        rows = [json.loads(line) for line in (source / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]
        rows = rows[::max(1, len(rows) // int(count))][:int(count)]
        for row in rows:
            messages = row["messages"][:int(most[0])] if most else row["messages"]
            while messages and messages[-1]["role"] != "assistant":
                messages = messages[:-1]
            row["messages"], row["asks"] = messages, [ask for ask in row.get("asks", []) if ask["at"] < len(messages)]
        (out / f"{name}.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        ids[name] = [row["id"] for row in rows]
    return ids


def complete(path, ids, steps):
    """Keeps the requests of the kinds that came to their end; the names of the others."""
    rows, done = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            break  # The adapter was stopped in the middle of it.
        rows.append((row["run"], line))
        done[row["run"]] = done.get(row["run"], 0) + 1
    whole = [kind for kind, runs in ids.items() if all(done.get(run) == steps[run] for run in runs)]
    path.write_text("".join(line + "\n" for run, line in rows if any(run in ids[kind] for kind in whole)), encoding="utf-8")
    return [kind for kind in ids if kind not in whole]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs_dir", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--budget", type=int, required=True)
    parser.add_argument("--seconds", type=int, default=240)
    parser.add_argument("--runs", nargs="+", default=KINDS)
    parser.add_argument("--python", type=pathlib.Path, default=HERE / ".venv")
    parser.add_argument("--only", nargs="*", default=[])
    o = parser.parse_args()
    ids = sample(o.runs_dir, o.runs, o.out / "runs")
    (o.out / "requests").mkdir(exist_ok=True)
    everything, steps = o.out / "all.jsonl", {}
    everything.write_text("".join((o.out / "runs" / f"{kind}.jsonl").read_text(encoding="utf-8") for kind in ids), encoding="utf-8")
    for run in map(json.loads, everything.read_text(encoding="utf-8").splitlines()):
        steps[run["id"]] = sum(m["role"] == "assistant" and i > 0 for i, m in enumerate(run["messages"]))
    for adapter in sorted(path.stem for path in HERE.glob("*_*.py") if "peer.main(" in path.read_text()):
        if o.only and adapter not in o.only:
            continue
        python = o.python / peer.environment(adapter) / "bin" / "python"
        for setting in ("recommended",) if adapter in DOES_NOTHING_BY_DEFAULT else ("defaults", "recommended"):
            name = adapter if setting == "recommended" else f"{adapter}-defaults"
            path, began = o.out / "requests" / f"{name}.jsonl", time.monotonic()
            if not python.exists():
                print(f"{name}: skipped: {python} is not there")
                continue
            command = [python, HERE / f"{adapter}.py", everything, "--budget", str(o.budget), "--requests", path, "--setting", setting]
            try:
                said = subprocess.run(command, capture_output=True, text=True, timeout=o.seconds)
                end = said.stdout.strip() or said.stderr.strip()[-300:]
            except subprocess.TimeoutExpired:
                end = f"stopped after {o.seconds} s"
            missing = complete(path, ids, steps) if path.exists() else list(ids)
            if len(missing) == len(ids):
                path.unlink(missing_ok=True)
            print(f"{name}: {end}{'; skipped: ' + ', '.join(missing) if missing else ''} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())

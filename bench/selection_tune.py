#!/usr/bin/env python3
"""Constants of the selection, chosen by leaving one source out.

Usage: selection_tune.py DATA_DIR selection_tune [--every N] [--rounds N] [NAME=VALUE,VALUE...]...

DATA_DIR as for selection_eval.sh. For each source the constants are chosen by all the others, one constant after the other over
a few values (coordinate descent from neutral ones), by the mean over those sources; the score of the source left out is by
constants that it had no part in choosing. Prints a table by source and what was chosen for each.
--every N: chooses by each N-th case only; what is left out is always scored by all of its cases.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

SINGLE = ["greedy", "bm25_chunk", "bm25_chunk_stem", "bm25_nbr"]
SINGLE_NAMES = {"bm25_chunk": "chunk", "bm25_chunk_stem": "chunk_stem", "bm25_nbr": "nbr"}
# The first value of each is neutral: the ingredient does nothing, or all is alike.
GRID = {
    "hint_before": [9, 0.5, 0.2, 0],
    "far": [0, 2],
    "passage": [1, 0.5, 0.25],
    "atom_nbr": [0, 1, 2],
    "gamma": [2, 3, 4],
    "q0": [1, 0.5, 0.3],
    "rho": [0, 0.3, 0.5],
    "assistant": [1, 0.5],
}


def scorer_of(data):
    spec = importlib.util.spec_from_file_location("score", os.path.join(data, "score.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gold_row(source, metric, case_id, case):
    needles = case["gold"].get("needles")
    if not needles:
        return {"case_id": case_id, "items": source.gold_items(case), "soft": metric == "soft"}
    if metric == "ev_far":
        needles = [n for n in needles if n["dist_tokens"] >= 1000]
    words = [{"value": n["value"], "words": sorted(source.surroundings(case, n))} for n in needles]
    return {"case_id": case_id, "needles": words} if words else None


def write_gold(data, baselines, folder):
    """What each case has to keep, as the scorer reads it, one file a source, and a list of the sources."""
    scorer = scorer_of(data)
    path = os.path.join(folder, "sources.jsonl")
    with open(path, "w", encoding="utf-8") as sources:
        for name, spec in baselines.items():
            source = scorer.Source(os.path.join(data, "data"), name)
            row = {"source": name, "budgets": spec["budgets"], "gold": os.path.join(folder, name + ".jsonl")}
            for kind in ("cases", "histories", "artifacts"):
                file = os.path.join(data, "data", f"{name}.{kind}.jsonl")
                if os.path.exists(file):
                    row[kind] = file
            with open(row["gold"], "w", encoding="utf-8") as file:
                for case_id, case in source.cases.items():
                    gold = gold_row(source, spec["metric"], case_id, case)
                    if gold:
                        file.write(json.dumps(gold) + "\n")
            sources.write(json.dumps(row) + "\n")
    return path


class Program:
    """Scores by cell for a setting; every setting is scored once."""

    def __init__(self, program, gold, every):
        self.process = subprocess.Popen(
            [program, gold, str(every)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.known = {}

    def cells(self, setting, source=None):
        text = ",".join(f"{name}={value:g}" for name, value in sorted(setting.items()))
        key = (source, text)
        if key not in self.known:
            self.process.stdin.write((source + "|" if source else "") + text + "\n")
            self.process.stdin.flush()
            self.known[key] = json.loads(self.process.stdout.readline())
        return self.known[key]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def objective(cells, left_out):
    return mean(mean(values) for source, values in cells.items() if source != left_out)


def descend(program, grid, left_out, rounds):
    """A value has to win by more than noise: 0.0003 of the mean."""
    setting = {name: values[0] for name, values in grid.items()}
    best = objective(program.cells(setting), left_out)
    for _ in range(rounds):
        before = best
        for name, values in grid.items():
            for value in values:
                trial = {**setting, name: value}
                found = objective(program.cells(trial), left_out)
                if found > best + 0.0003:
                    best, setting = found, trial
        if best == before:
            break
    return setting


def single_baseline(spec):
    rows = {name: spec["baselines"][name] for name in SINGLE if None not in spec["baselines"].get(name, [None])}
    best = max(rows, key=lambda name: mean(rows[name]))
    return SINGLE_NAMES.get(best, best), rows[best]


def percent(values):
    return " / ".join(f"{100 * v:.1f}" for v in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program")
    parser.add_argument("grid", nargs="*")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_intermixed_args()
    with open(os.path.join(args.data, "baselines.json"), encoding="utf-8") as file:
        baselines = json.load(file)
    grid = {name: list(map(float, values.split(","))) for name, values in (item.split("=") for item in args.grid)} or GRID
    with tempfile.TemporaryDirectory() as folder:
        gold = write_gold(args.data, baselines, folder)
        sample, whole = Program(args.program, gold, args.every), Program(args.program, gold, 1)
        ours = whole.cells({})
        print("| source | budgets | ours | left out | best single baseline | oracle |\n|---|---|---|---|---|---|")
        left, chosen = {}, {}
        for name, spec in baselines.items():
            chosen[name] = descend(sample, grid, name, args.rounds)
            left[name] = whole.cells(chosen[name], name)[name]
            label, row = single_baseline(spec)
            print(f"| {name} | {' / '.join(map(str, spec['budgets']))} | {percent(ours[name])} | {percent(left[name])} "
                  f"| {label} {percent(row)} | {percent(spec['baselines']['oracle'])} |", flush=True)
        rows = {"all cells": lambda table: mean(v for name in baselines for v in table[name]),
                "sources": lambda table: mean(mean(table[name]) for name in baselines)}
        single = {name: single_baseline(spec)[1] for name, spec in baselines.items()}
        oracle = {name: spec["baselines"]["oracle"] for name, spec in baselines.items()}
        for label, of in rows.items():
            print(f"| mean of {label} | | {percent([of(ours)])} | {percent([of(left)])} | {percent([of(single)])} "
                  f"| {percent([of(oracle)])} |")
        print("\nchosen without each source, where not as all others say:")
        everything = descend(sample, grid, None, args.rounds)
        print("  by all:", ", ".join(f"{k}={v:g}" for k, v in everything.items()))
        for name, setting in chosen.items():
            differs = {k: v for k, v in setting.items() if v != everything[k]}
            print(f"  {name}:", ", ".join(f"{k}={v:g}" for k, v in differs.items()) or "the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Answers that a larger budget loses: whole builds of recorded questions at budgets in steps of 50.

  bench/budget_sweep.py DATA_DIR [CTXPACK] [--cases 50] [--from 250] [--to 1500]

DATA_DIR as for selection_eval.sh. Takes the cases evenly over all sources that have one gold sentence, span or value at
least. A pair of a case and a budget counts as a loss where less of the gold is there than at the budget before; each is
listed. Exits with 1 where more than 1 % of the pairs are losses. Python 3 standard library only.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile


def predictions(program, data, source, cases, budgets):
    """Contexts by case and budget."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
        file.flush()
        command = [program, "select", file.name, "--whole", "--counter", "chars4", "--budget", ",".join(map(str, budgets))]
        for kind in ("histories", "artifacts"):
            path = os.path.join(data, "data", f"{source}.{kind}.jsonl")
            if os.path.exists(path):
                command += [f"--{kind}", path]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {(row["case_id"], row["budget"]): row["context"] for row in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default="build/release/tools/ctxpack/ctxpack")
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--from", dest="first", type=int, default=250)
    parser.add_argument("--to", dest="last", type=int, default=1500)
    args = parser.parse_args()
    sys.path.insert(0, args.data)
    sys.dont_write_bytecode = True
    import score

    with open(os.path.join(args.data, "baselines.json"), encoding="utf-8") as file:
        specs = json.load(file)
    budgets = list(range(args.first, args.last + 1, 50))
    pairs, losses = 0, collections.defaultdict(list)
    for number, (name, spec) in enumerate(specs.items()):
        source = score.Source(os.path.join(args.data, "data"), name)
        share = args.cases // len(specs) + (number < args.cases % len(specs))
        # Values near the end are sent anyway; soft shares rise and fall by sentences: what counts is whole gold.
        metric = "ev_far" if spec["metric"] == "ev_far" else "ev"
        usable = [case for case in source.cases.values() if source.score(case, "").get(metric) is not None]
        step = max(1, len(usable) // max(1, share))
        chosen = usable[step // 2 :: step][:share]
        found = predictions(args.program, args.data, name, chosen, budgets)
        for case in chosen:
            before = 0.0
            for budget in budgets:
                now = source.score(case, found[case["case_id"], budget])[metric]
                pairs += 1
                if now < before - 1e-9:
                    losses[name].append((case["case_id"], budget, before, now))
                before = now
    count = sum(map(len, losses.values()))
    for name, rows in losses.items():
        for case, budget, before, now in rows:
            print(f"{name:12} {budget:6} {100 * before:6.1f} -> {100 * now:6.1f}  {case}")
    print(f"{count} of {pairs} pairs lose gold that the budget before had ({100 * count / max(1, pairs):.2f} %)")
    return 1 if count > 0.01 * pairs else 0


if __name__ == "__main__":
    sys.exit(main())

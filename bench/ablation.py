#!/usr/bin/env python3
"""What each ingredient of the deterministic selection gives, and how much hangs on its constants.

Usage: selection_ablation.py DATA_DIR selection_variant [ablation | flatness | counters | shapes | NAME=VALUE[,NAME=VALUE]...]

DATA_DIR as for selection_eval.sh. `ablation` (the default) switches one ingredient off at a time; `flatness` halves and
doubles each constant; `counters` selects with other counters and less room; `shapes` gives the same text in other
pieces. Prints means over the budgets of each
source, over all cells, and how much of the room was used. A number of --jobs runs at once (default 2).
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

ABLATION = [
    ("everything", ""),
    ("no hints", "hint=0"),
    ("hints before the question in full", "hint_before=9"),
    ("assistants' turns count in full", "assistant=1"),
    ("reports of errors like other lines", "reports=1"),
    ("no following of titles", "link=0"),
    ("titles are for nothing (both)", "link=0"),
    ("identifiers count like words", "ident=0"),
    ("no wider topic", "far=0"),
    ("atoms of an item alike", "q0=1"),
    ("repeated words count in full", "repeated=1"),
    ("nothing around a document's sentences", "atom_nbr=0"),
    ("passages of an item alike", "passage=1"),
    ("room filled to the end", "least=0"),
    ("length does not matter", "rho=0"),
]
OTHER_SHAPES = [
    ("as it is", []),
    ("all of a case as one document", ["--join", "1"]),
]
COUNTERS = [
    ("characters / 4", ["--counter", "chars4"]),
    ("characters / 4, 80 % of the room", ["--counter", "chars4", "--share", "0.8"]),
    ("o200k_base, 80 % of the room", ["--counter", "o200k", "--share", "0.8"]),
]


def settings(text):
    return [part for assignment in text.split(",") if assignment for part in ("--set", assignment)]


def flatness(program):
    variants = [("as it is", [])]
    for line in subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout.splitlines():
        name, value = line.split()
        for factor in (0.5, 2):
            changed = f"{name}={float(value) * factor:g}"
            variants.append((changed, settings(changed)))
    return variants


def evaluate(data, program, options):
    baselines = os.path.join(data, "baselines.json")
    with open(baselines, encoding="utf-8") as file:
        sources = json.load(file)
    with tempfile.NamedTemporaryFile() as predictions:
        for source, spec in sources.items():
            command = [program, f"{data}/data/{source}.cases.jsonl", "--budget", ",".join(map(str, spec["budgets"]))]
            for kind in ("histories", "artifacts"):
                path = f"{data}/data/{source}.{kind}.jsonl"
                command += ["--" + kind, path] if os.path.exists(path) else []
            subprocess.run(command + options, check=True, stdout=predictions)
        score = [sys.executable, f"{data}/score.py", predictions.name, "--json"]
        score += ["--data", f"{data}/data", "--baselines", baselines]
        report = json.loads(subprocess.run(score, check=True, capture_output=True, text=True).stdout)
        with open(predictions.name, encoding="utf-8") as lines:
            used = [len(p["context"]) / (4 * p["budget"]) for p in map(json.loads, lines)]
        report["used"] = sum(used) / len(used)
        return report


def row(label, report):
    cells = {}
    for cell in report["cells"]:
        cells.setdefault(cell["source"], []).append(100 * cell["value"])
    means = [sum(values) / len(values) for values in cells.values()]
    return "| ".join([f"| {label:36}"] + [f"{m:6.2f} " for m in means] + [f"{100 * report['mean']['value']:6.2f} "] + [f"{100 * report['used']:4.0f} |"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program")
    parser.add_argument("what", nargs="*", default=["ablation"])
    parser.add_argument("--option", action="append", default=[], help="passed on, for every variant")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    variants = []
    for what in args.what:
        if what == "ablation":
            variants += [(label, settings(text)) for label, text in ABLATION]
        elif what == "flatness":
            variants += flatness(args.program)
        elif what == "counters":
            variants += COUNTERS
        elif what == "shapes":
            variants += OTHER_SHAPES
        else:
            variants.append((what, settings(what)))
    variants = [(label, options + args.option) for label, options in variants]
    with open(os.path.join(args.data, "baselines.json"), encoding="utf-8") as file:
        print("| | " + " | ".join(json.load(file)) + " | mean of all cells | of the room |")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        reports = pool.map(lambda variant: evaluate(args.data, args.program, variant[1]), variants)
        for (label, _), report in zip(variants, reports):
            print(row(label, report), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tables and a chart of what peers send for recorded runs, all scored by `ctxpack simulate --score`.

  bench/peers/compare.py CTXPACK --budget N --runs coding.jsonl tau.jsonl ... --requests OUT/*.jsonl [--chart CHART.svg]

One table for each file of runs, and one of all, of the policies that have requests for each of them. The chart has the price against
what is kept from far back, one point a policy at its recommended setting, hollow where it is over the budget in more than a hundredth of its requests. Python 3
standard library only.
"""
import argparse
import html
import json
import pathlib
import subprocess
import tempfile

NAMES = (("literals", "literals"), ("far", "far_literals"), ("words", "words"), ("far", "far_words"))
RECALLS = (("state", "outcomes"), ("text", "texts"), ("demands", "demands"), ("asked back", "asked_back"), ("next 3", "asked_back_next"))


def of_runs(requests, ids, out):
    """The requests of these runs only; whether there are any. A file without them takes the runs out of all rows."""
    found = False
    with open(requests, encoding="utf-8") as lines, open(out, "w", encoding="utf-8") as kept:
        for line in lines:
            run = json.JSONDecoder().raw_decode(line, line.index(":") + 2)[0]
            if run in ids:
                kept.write(line)
                found = True
    return found


def scored(ctxpack, budget, runs, requests):
    ids = {json.loads(line)["id"] for line in open(runs, encoding="utf-8") if line.strip()}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for path in requests:
            part = pathlib.Path(folder) / pathlib.Path(path).name
            if of_runs(path, ids, part):
                files += ["--score", part]
        command = [ctxpack, "simulate", runs, "--budget", str(budget), "--json", *files]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def add(total, figures):
    for key, value in figures.items():
        if isinstance(value, dict):
            add(total.setdefault(key, {}), value)
        else:
            total[key] = total.get(key, 0) + value


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def table(title, runs, policies):
    everything = policies["everything"]
    asked = everything.get("asked_back", {}).get("asked", 0)
    print(f"\n{title}: {runs} runs, {everything['steps']} requests, {everything['literals']} literals ({everything['far_literals']} far), "
          f"{everything['words']} words ({everything['far_words']} far), {asked} questions\n")
    columns = ["policy", "price x", *(f"{name} %" for name, _ in NAMES + RECALLS), "rewrites", "over", "torn", "failed"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for name, p in policies.items():
        cells = [f"{p['usd'] / everything['usd']:.2f}", *(percent(p[f"{key}_kept"], p[key]) for _, key in NAMES)]
        for _, key in RECALLS:
            found = p.get(key, {"asked": 0, "found": 0})
            cells.append(percent(found["found"], found["asked"]))
        cells += [str(p[key]) for key in ("rewrites", "over_budget", "torn", "failed")]
        print(f"| {name.replace('_', ' ')} | " + " | ".join(cells) + " |")


def chart(path, title, policies):
    """Price to the right, far words and answers upwards; SVG without a library."""
    policies = {name: p for name, p in policies.items() if not name.endswith("-defaults")}
    width, height, left, bottom = 900, 560, 60, 50
    everything = policies["everything"]["usd"]
    highest = max(1.0, *(p["usd"] / everything for p in policies.values())) * 1.08

    def place(p):
        found = p.get("asked_back", {"asked": 0, "found": 0})
        share = (p["far_words_kept"] + found["found"]) / max(1, p["far_words"] + found["asked"])
        return left + p["usd"] / everything / highest * (width - left - 150), height - bottom - share * (height - bottom - 50)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="24" font-size="14">{html.escape(title)}</text>',
             f'<path d="M{left} 50V{height - bottom}H{width - 20}" fill="none" stroke="#888"/>',
             f'<text x="{left}" y="{height - 12}">price, as a multiple of sending everything</text>',
             f'<text x="{left + 4}" y="46">words from far back, and answers to questions, that are there (%)</text>',
             f'<text x="{width - 20}" y="{height - 12}" text-anchor="end">hollow: over the budget in more than 1 % of the requests</text>']
    for share in (0, 25, 50, 75, 100):
        y = height - bottom - share / 100 * (height - bottom - 50)
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{share}</text>')
    for tick in range(int(highest * 4) + 1):
        parts.append(f'<text x="{left + tick / 4 / highest * (width - left - 150):.0f}" y="{height - bottom + 16}" text-anchor="middle">{tick / 4:g}</text>')
    taken = [(place(p)[0] - 6, place(p)[0] + 6, place(p)[1] + 4) for p in policies.values()]
    for name, p in sorted(policies.items(), key=lambda row: place(row[1])[1]):
        x, y = place(p)
        text = name.replace("_", " ")
        wide = 6.5 * len(text)
        spots = [(start, y + 4 + down) for down in (0, 11, -11, 24) for start in (x + 8, x - 8 - wide)]
        free = [s for s in spots if s[0] > left and not any(a < s[0] + wide and s[0] < b and abs(s[1] - c) < 12 for a, b, c in taken)]
        start, at = (free or spots)[0]
        taken.append((start, start + wide, at))
        colour = "#c0392b" if name == "ctxmgr" else "#2c6fbb" if "_" in name and not name.startswith("cut_") else "#777"
        anchor = "" if start > x else ' text-anchor="end"'
        inside = "white" if p["over_budget"] > 0.01 * p["steps"] else colour
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{inside}" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{start + (0 if start > x else wide):.1f}" y="{at:.1f}"{anchor}>{html.escape(text)}</text>')
    pathlib.Path(path).write_text("\n".join(parts) + "\n</svg>\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ctxpack")
    parser.add_argument("--budget", type=int, required=True)
    parser.add_argument("--runs", nargs="+", required=True)
    parser.add_argument("--requests", nargs="+", required=True)
    parser.add_argument("--chart")
    o = parser.parse_args()
    total, runs, seen = {}, 0, {}
    for path in o.runs:
        figures = scored(o.ctxpack, o.budget, path, o.requests)
        table(f"{pathlib.Path(path).stem}, {o.budget} tokens", figures["runs"], figures["policies"])
        add(total, figures["policies"])
        for name in figures["policies"]:
            seen[name] = seen.get(name, 0) + 1
        runs += figures["runs"]
    total = {name: figures for name, figures in total.items() if seen[name] == len(o.runs)}
    table(f"all, {o.budget} tokens", runs, total)
    if o.chart:
        chart(o.chart, f"{runs} recorded runs at {o.budget:,} tokens".replace(",", " "), total)


if __name__ == "__main__":
    main()

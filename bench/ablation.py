#!/usr/bin/env python3
"""What does each mechanism buy, and each constant?

    ablation.py check [REPOSITORY]
    ablation.py mechanisms COPY [--data DATA_DIR [--whole]] [--runs RUNS.jsonl ...] [--budgets 4000,8000] [--only NAME,...] [--jobs 2]
    ablation.py constants DATA_DIR selection_variant [ablation | flatness | counters | shapes | NAME=VALUE[,NAME=VALUE]...]

`check` proves that each switch still fits into the sources, once; exit code 1 if one does not. `mechanisms` copies the repository to
COPY, puts the switches in, builds ctxpack there, and prints a row for each mechanism off, for all off, and for none: the means of the
cells of DATA_DIR (as for selection_eval.sh), and of each file of recorded runs the price as a share of sending everything, the literals
and words that the requests still have, and the answers. Beside it are the lines of the sources that a mechanism is made of. One of over
50 lines that gains less than 0.1 everywhere goes.

`constants` switches one ingredient of the selection off at a time (`ablation`, the default); `flatness` halves and doubles each
constant; `counters` selects with other counters and less room; `shapes` gives the same text in other pieces. It prints means over the
budgets of each source, over all cells, and how much of the room was used. A number of --jobs runs at once (default 2).
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A mechanism, the source that has it, the text behind which its switch goes, and what the switch does. Both are C++.
Switch = collections.namedtuple("Switch", "name file anchor code")
SWITCHES = [
    Switch("pairs of words", "selection/word_pairs.cpp",
           "void add_word_pairs(const Corpus& corpus, const Query& query, std::vector<double>& scores) {", "return;"),
    Switch("repeated words", "selection/redundancy.cpp", "void ChosenWords::add(Term wording) {", "return;"),
    Switch("other numbers", "selection/redundancy.cpp", "Term pattern_of(const ItemAnalysis& item, std::size_t atom) {", "return 0;"),
    Switch("short turns", "selection/relevance.cpp",
           "void add_short_turns_beside(const Corpus& corpus, const std::vector<double>& item, std::vector<double>& result) {",
           "return;"),
    Switch("days", "index/date_terms.cpp", "std::vector<Term> terms_of_time(Timestamp time) {", "return {};"),
    Switch("filled history", "build/compaction.cpp",
           "GrownThread filled(const GrowthTerms& terms, GrownThread thread) {", "return thread;"),
    Switch("dense JSON", "structure/dense_view.cpp",
           "std::string dense_view(std::string_view text, ContentFormat format) {", "return std::string(text);"),
    Switch("cutting JSON", "structure/cut_json.cpp", "void cut_json(std::string_view text, std::vector<Atom>& atoms) {",
           "return cut_lines(text, ContentFormat::text, atoms);"),
    Switch("cutting code", "structure/cut_code.cpp", "void cut_code(std::string_view text, std::vector<Atom>& atoms) {",
           "return cut_lines(text, ContentFormat::text, atoms);"),
    Switch("captions", "selection/atom_match.cpp",
           "void add_captions(const ItemAnalysis& item, std::vector<double>& match) {", "return;"),
    Switch("records share", "selection/atom_match.cpp",
           "void share_in_records(const ItemAnalysis& item, std::size_t longest, std::vector<double>& match) {", "return;"),
    Switch("blocks share", "selection/atom_match.cpp",
           "                     std::vector<double>& match) {", "return;"),
    Switch("small rests", "selection/knapsack.cpp", "std::optional<Taken> small_rest(std::size_t c, double used) const {",
           "return std::nullopt;"),
    Switch("beside reports", "selection/atom_match.cpp",
           "void add_beside_reports(const ItemAnalysis& item, std::string_view text, std::vector<char>& reports) {", "return;"),
    Switch("routine lines", "selection/atom_match.cpp",
           "void mark_routine(const ItemAnalysis& item, std::string_view text, AtomMatch& match) {",
           "match.routine.assign(item.atoms.size(), 0); return;"),
    Switch("languages", "index/languages.cpp", "std::optional<Language> recognize_language(std::string_view text) {",
           "return std::nullopt;"),
    Switch("subject of a call", "index/call_subject.cpp", "CallSubject subject_of(std::string_view call) {", "return {};"),
    Switch("says little", "selection/query.cpp", "bool says_little(std::string_view text) {", "return false;"),
    Switch("small talk", "selection/query.cpp", "bool is_small_talk(std::string_view text) {", "return false;"),
    Switch("refers back", "selection/query.cpp", "bool refers_back(std::string_view text) {", "return false;"),
    Switch("words that ask", "words/asking.cpp", "if (has_question_mark(piece)) return true;", "return false;"),
    Switch("requests", "words/asking.cpp", "bool requests_in(std::string_view piece) {", "return false;"),
    Switch("lines in base64", "words/names.cpp", "bool is_base64_line(std::string_view run) {", "return false;"),
    Switch("torn times", "words/names.cpp",
           "bool is_torn_time(std::string_view text, std::size_t first, std::size_t last) {", "return false;"),
    Switch("names in capitals", "words/names.cpp", "std::vector<std::string_view> capitals_in(std::string_view text) {",
           "return {};"),
    Switch("abbreviations", "structure/full_stop.cpp",
           "FullStop full_stop_at(std::string_view text, std::size_t begin, std::size_t at, bool small_goes_on) {",
           "return FullStop::ends;"),
    Switch("equal texts once", "build/layout_search.cpp", "if (chosen.index < first_item) {", "said.clear();"),
    Switch("polls go first", "history/thread_analysis.cpp",
           "bool are_alike(const std::vector<ConversationMessage>& messages, const Group& a, const Group& b) {", "return false;"),
    Switch("host's ranking", "selection/relevance.cpp", "void add_ranking(const Corpus& corpus, std::vector<double>& item) {",
           "return;"),
    Switch("tables named by title", "selection/candidates.cpp",
           "std::vector<char> named_by_title(const Corpus& corpus, const Query& query) {",
           "return std::vector<char>(corpus.items(), 0);"),
    Switch("lines asked by name", "selection/candidates.cpp",
           "void set_named(const std::vector<Candidate>& candidates, std::vector<AtomMatch>& matches) {", "return;"),
    Switch("reports of errors", "selection/atom_match.cpp",
           "void add_reports(const ItemAnalysis& item, std::string_view text, AtomMatch& match) {",
           "match.reports.assign(item.atoms.size(), 0); return;"),
    Switch("said again", "selection/corpus.cpp", "bool Corpus::superseded(std::size_t i) const {", "return false;"),
    Switch("cutting Markdown", "structure/cut_markdown.cpp", "void cut_markdown(std::string_view text, std::vector<Atom>& atoms) {",
           "return cut_lines(text, ContentFormat::text, atoms);"),
    Switch("arguments cut", "structure/cut_calls.cpp", "std::string_view call_arguments(std::string_view line) {", "return {};"),
    Switch("nothing new", "selection/knapsack.cpp", "bool says_nothing_new(std::size_t c) const {", "return false;"),
    Switch("whole turns", "structure/text_structure.cpp",
           "TextStructure whole_turn(std::string_view text, ContentFormat format) {", "return analyze_structure(text, format);"),
    Switch("names of a question", "build/evidence.cpp", "[[nodiscard]] bool any() const {", "return false;"),
    Switch("marks of quotes", "history/thread_evidence.cpp",
           "std::string written(const QuoteMark& mark, const std::vector<ConversationMessage>& messages) {", "return {};"),
    Switch("restated tasks", "build/evidence.cpp", "const auto asked = content_words(task);", "return {};"),
    Switch("evidence of a task", "build/thread_search.cpp",
           "GrownThread with_task_evidence(const GrowthTerms& terms, GrownThread thread) {", "return thread;"),
    Switch("evidence kept once", "build/compaction.cpp",
           "std::vector<ShownEvidence> aged(const GrowthTerms& terms, const std::vector<ShownEvidence>& evidence) {",
           "return {};"),
    Switch("early cut of what cannot fit", "build/compaction.cpp",
           "GrownThread cut_what_cannot_fit(const GrowthTerms& terms, GrownThread thread, std::size_t end) {", "return thread;"),
    Switch("calls beside results", "index/item_analysis.cpp",
           "void remove_said(const ItemTerms& terms, std::vector<Term>& asked) {", "return;"),
    Switch("reminders", "history/thread_roles.cpp",
           "bool ThreadRoles::recurs(std::size_t message, std::size_t seen) const {", "return false;"),
    Switch("outputs in text", "history/thread_roles.cpp", "ThreadRole ThreadRoles::of(std::size_t message, std::size_t seen) const {",
           "return entries_[message].role;"),
    Switch("failed results", "extracts/failed_result.cpp", "bool is_failed_result(std::string_view text) {", "return false;"),
    Switch("pasted texts", "history/pasted_text.cpp", "bool may_hold_pasted_text(std::string_view message) {", "return false;"),
    Switch("short sentences", "history/user_words.cpp", "for (const bool only_messages : {true, false}) {", "return;"),
    Switch("orders and short sentences", "history/user_words.cpp", "void choose_orders() {", "return;"),
    Switch("sentences beside rules", "history/user_words.cpp",
           "void choose_neighbours(const SentencePlace& place, std::size_t longest) {", "return;"),
    Switch("other words of the user", "history/user_words.cpp", "void choose_more() {", "return;"),
    Switch("least evidence of a task", "build/grown_thread.cpp", "const auto left = terms.room - task_tokens;",
           "return {notes, part(policy.evidence_share, left)};"),
]

SWITCH_HEADER = """#pragma once
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#include <cstdlib>
#include <string>
/// Whether a mechanism is off: OFF is a list of names, each between two commas.
inline bool is_off(const char* name) {
  static const std::string off = std::getenv("OFF") == nullptr ? "" : std::getenv("OFF");
  return off.find("," + std::string(name) + ",") != std::string::npos;
}
"""

ABLATION = [
    ("everything", ""),
    ("no hints", "hint=0"),
    ("hints before the question in full", "hint_before=9"),
    ("hints of a chat in full", "hint_chat=0.7"),
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


def source_of(root, switch):
    return root / "src" / "engine" / switch.file


def misfits(root):
    """What keeps a switch from being put in."""
    for switch in SWITCHES:
        source = source_of(root, switch)
        times = source.read_text(encoding="utf-8").count(switch.anchor) if source.exists() else 0
        if times != 1:
            yield f"{switch.name}: {source.relative_to(root)} has {times} times: {switch.anchor}"


def put_in(root):
    (root / "src" / "core" / "switches.hpp").write_text(SWITCH_HEADER, encoding="utf-8")
    for switch in SWITCHES:
        source = source_of(root, switch)
        text = source.read_text(encoding="utf-8")
        text = text.replace(switch.anchor, f'{switch.anchor} if (is_off("{switch.name}")) {{ {switch.code} }}', 1)
        include = '#include "core/switches.hpp"\n'
        source.write_text(text if include in text else include + text, encoding="utf-8")


def build_copy(copy):
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, files.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    put_in(copy)
    # As the tests are built, so that the compiler's cache has all but the sources with switches.
    subprocess.run(["cmake", "--preset", "test"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", copy / "build" / "test", "--target", "ctxpack"], check=True, stdout=subprocess.DEVNULL)


def lines_of(switch):
    """From the anchor to the end of its function: what the switch leaves out at least."""
    text = source_of(ROOT, switch).read_text(encoding="utf-8")
    rest = text[text.index(switch.anchor):]
    return rest[:rest.index("\n}")].count("\n") + 2


def selected(data, whole, program, environment):
    with open(os.path.join(data, "baselines.json"), encoding="utf-8") as file:
        sources = json.load(file)
    with tempfile.NamedTemporaryFile() as predictions:
        for source, spec in sources.items():
            cases = f"{data}/data/{source}.cases.jsonl"
            if not os.path.exists(cases):
                continue
            command = [program, "select", cases, "--budget", ",".join(map(str, spec["budgets"])), "--counter", "chars4"]
            command += ["--whole"] if whole else []
            for kind in ("histories", "artifacts"):
                path = f"{data}/data/{source}.{kind}.jsonl"
                command += ["--" + kind, path] if os.path.exists(path) else []
            subprocess.run(command, check=True, stdout=predictions, env=environment)
        score = [sys.executable, f"{data}/score.py", predictions.name, "--json", "--data", f"{data}/data"]
        report = subprocess.run(score + ["--baselines", f"{data}/baselines.json"], check=True, capture_output=True, text=True).stdout
        return [f"{100 * json.loads(report)['mean']['value']:.2f}"]


def replayed(runs, budget, program, environment):
    command = [program, "simulate", runs, "--budget", str(budget), "--json"]
    policies = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)["policies"]
    ours = policies["ctxmgr"]
    percent = lambda kept, all_of_them: f"{100 * kept / all_of_them:.1f}" if all_of_them else "-"
    price = f"{ours['usd'] / policies['everything']['usd']:.3f}" if policies["everything"]["usd"] else "-"
    answers = ours.get("asked_back", {"found": 0, "asked": 0})
    return [price, percent(ours["literals_kept"], ours["literals"]), percent(ours["words_kept"], ours["words"]),
            percent(answers["found"], answers["asked"])]


def mechanisms(args):
    if args.data is None and not args.runs:
        sys.exit("nothing to measure with: --data, --runs")
    copy = pathlib.Path(args.copy).resolve()
    program = copy / "build" / "test" / "tools" / "ctxpack" / "ctxpack"
    if not program.exists():
        build_copy(copy)
    budgets = args.budgets.split(",")
    wanted = [s for s in SWITCHES if args.only is None or s.name in args.only.split(",")]
    variants = [("none off", []), *((s.name, [s]) for s in wanted), ("all off", wanted)]
    columns = ["whole builds" if args.whole else "selection"] if args.data else []
    columns += [f"{pathlib.Path(r).stem} {b}: {what}" for r in args.runs for b in budgets for what in ("price", "literals", "words", "answers")]
    print("| off | lines | " + " | ".join(columns) + " |")
    print("|---|--:|" + "--:|" * len(columns))

    def measure(variant):
        environment = {**os.environ, "OFF": "," + ",".join(s.name for s in variant[1]) + ","}
        cells = selected(args.data, args.whole, program, environment) if args.data else []
        for runs in args.runs:
            for budget in budgets:
                cells += replayed(runs, budget, program, environment)
        return cells

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for (name, switches), cells in zip(variants, pool.map(measure, variants)):
            print(f"| {name} | {sum(map(lines_of, switches))} | " + " | ".join(cells) + " |", flush=True)


def constants(args):
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


def check(args):
    found = list(misfits(pathlib.Path(args.repository).resolve()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("check")
    command.add_argument("repository", nargs="?", default=ROOT)
    command.set_defaults(run=check)
    command = commands.add_parser("mechanisms")
    command.add_argument("copy")
    command.add_argument("--data")
    command.add_argument("--runs", nargs="*", default=[])
    command.add_argument("--whole", action="store_true", help="whole builds in place of the selection alone")
    command.add_argument("--budgets", default="8000")
    command.add_argument("--only")
    command.add_argument("--jobs", type=int, default=2)
    command.set_defaults(run=mechanisms)
    command = commands.add_parser("constants")
    command.add_argument("data")
    command.add_argument("program")
    command.add_argument("what", nargs="*", default=["ablation"])
    command.add_argument("--option", action="append", default=[], help="passed on, for every variant")
    command.add_argument("--jobs", type=int, default=2)
    command.set_defaults(run=constants)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes evaluation cases of kinds of text that the evaluation data lacks, from Debian packages and this machine's Python:

    selection_probe.py DEST SCORE_PY     then     bench/selection_eval.sh DEST CTXPACK

faq      a hundred answers, one question
faqdoc   one long document (all answers of a FAQ), one question; gold are the first sentences of the answer
pycode   one module without its docstrings, the docstring of one function; gold are the first lines of that function
records  JSON, CSV and Markdown tables of countries, one of them asked for
logs     700 lines made by chance, one to three of which answer

SCORE_PY is the scorer of the evaluation data; it is copied to DEST. Each source gets a baseline: stemless BM25 over
pieces of 100 tokens (whole answers for faq, lines for records and logs). Needs apt; the texts stay in DEST.
"""
import ast
import collections
import csv
import datetime
import glob
import gzip
import importlib.util
import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

destination, score_py = sys.argv[1:3]
packages = os.path.join(destination, "packages")
os.makedirs(os.path.join(destination, "data"), exist_ok=True)
os.makedirs(packages, exist_ok=True)
shutil.copy(score_py, os.path.join(destination, "score.py"))
spec = importlib.util.spec_from_file_location("score", score_py)
score = importlib.util.module_from_spec(spec)
spec.loader.exec_module(score)
random.seed(7)
squeeze = score.squeeze


def unpack(package):
    subprocess.run(["apt-get", "download", "-q", package], cwd=packages, check=True, stdout=subprocess.DEVNULL)
    archive = glob.glob(os.path.join(packages, package + "_*.deb"))[0]
    subprocess.run(["dpkg", "-x", archive, packages], check=True)


def read(pattern):
    for path in sorted(glob.glob(os.path.join(packages, pattern))):
        opened = gzip.open(path, "rt", errors="replace") if path.endswith(".gz") else open(path, errors="replace")
        with opened as file:
            yield os.path.basename(path).split(".")[0], file.read()


def questions():
    """(document, question, answer) of the FAQs of Perl, Python and Vim."""
    markup = re.compile(r"[BCIFLE]<([^>]*)>")
    for name, text in read("usr/share/perl/*/pod/perlfaq[1-9].pod"):
        for match in re.finditer(r"^=head2 (.*?)\n(.*?)(?=^=head|\Z)", text, re.S | re.M):
            yield name, markup.sub(r"\1", match[1]), markup.sub(r"\1", re.sub(r"X<[^>]*>", "", match[2]))
    for name, text in read("usr/share/doc/python3.11/html/_sources/faq/*.txt"):
        parts = re.split(r"^(.+)\n-{5,}\n", text, flags=re.M)
        for question, answer in zip(parts[1::2], parts[2::2]):
            yield "python-" + name, question, re.split(r"^.+\n=+\n", answer, flags=re.M)[0]
    for name, text in read("usr/share/doc/vim/FAQ.gz"):
        text = text[text.index("SECTION 1 - GENERAL", text.index("SECTION 2 -")):]
        for match in re.finditer(r"^\d+\.\d+\. (.*?)\n\n(.*?)(?=^\d+\.\d+\. |^SECTION|\Z)", text, re.S | re.M):
            yield "vim-faq", match[1], match[2]


class Source:
    """Texts and questions; `piece`: characters of a piece that the baseline chooses."""

    def __init__(self, name, kind, metric, budgets, piece=400):
        self.name, self.kind, self.metric, self.budgets, self.piece = name, kind, metric, budgets, piece
        self.artifacts, self.histories, self.cases = {}, {}, []

    def add(self, artifact, content):
        self.artifacts[artifact] = content

    def tell(self, history, messages):
        """Adds a conversation of (role, content), (role, content, name of the call, its arguments)."""
        rows = []
        for number, (role, content, *call) in enumerate(messages):
            row = {"id": f"{history}/{number}", "seq": number, "role": role, "content": content}
            if call and role == "assistant":
                row["tool_calls"] = [{"id": f"{history}/{number}", "name": call[0], "arguments": call[1]}]
            if role == "tool":
                row["tool_call_id"] = f"{history}/{number - 1}"
            rows.append(row)
        self.histories[history] = rows

    def ask(self, query, artifacts, gold, spans=(), history=None):
        evidence = {"message_ids": [], "artifact_ids": [gold] if gold else []}
        if spans:
            evidence["spans"] = [{"artifact_id": gold, "text": span} for span in spans]
        self.cases.append({"case_id": f"{self.name}/{len(self.cases)}", "source": self.name, "kind": self.kind,
                           "history_id": history, "cutoff_seq": len(self.histories.get(history, ())), "query": query,
                           "artifact_ids": artifacts, "gold": evidence, "answer": [], "meta": {}})

    def units(self, case):
        """What the baseline chooses from: whole texts where there are many, pieces of a single one."""
        texts = [self.artifacts[artifact] for artifact in case["artifact_ids"]]
        if case["history_id"]:
            texts += [score.render(message) for message in self.histories[case["history_id"]]]
        return texts if len(texts) > 1 and self.kind == "multidoc" else [p for text in texts for p in pieces(text, self.piece)]

    def write(self):
        kind = "document" if self.kind == "multidoc" else "tool_result"
        rows = [{"artifact_id": a, "type": kind, "source": self.name, "title": a.split(" ")[0], "content": c}
                for a, c in self.artifacts.items()]
        told = [{"history_id": history, "messages": messages} for history, messages in self.histories.items()]
        for what, items in (("artifacts", rows), ("histories", told), ("cases", self.cases)):
            if not items:
                continue
            with open(os.path.join(destination, "data", f"{self.name}.{what}.jsonl"), "w") as file:
                file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def make_faq(answered):
    faq, faqdoc = Source("faq", "multidoc", "soft", [500, 1000, 2000]), Source("faqdoc", "multidoc", "soft", [1000, 2000])
    names = [f"{document} {i}" for i, (document, _, _) in enumerate(answered)]
    for name, (_, _, answer) in zip(names, answered):
        faq.add(name, answer)
    documents = collections.defaultdict(list)
    for document, _, answer in answered:
        documents[document].append(answer)
    for document, answers in documents.items():
        faqdoc.add(document, "\n\n".join(answers))
    for i in random.sample(range(len(answered)), 250):
        document, question, answer = answered[i]
        pool = random.sample([name for name in names if name != names[i]], 99) + [names[i]]
        random.shuffle(pool)
        faq.ask(question, pool, names[i])
        if len(faqdoc.artifacts[document]) > 20_000:
            faqdoc.ask(question, [document], document, [squeeze(s) for s in score.sentences(answer)][:6])
    return faq, faqdoc


def make_pycode():
    source = Source("pycode", "agent", "soft", [500, 1000, 2000])
    for path in sorted(glob.glob("/usr/lib/python3.11/*.py") + glob.glob("/usr/lib/python3.11/*/*.py")):
        text = open(path, errors="replace").read()
        if not 12_000 < len(text) < 200_000:
            continue
        dropped, functions = set(), []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Module)) and ast.get_docstring(node):
                dropped |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
                if isinstance(node, ast.FunctionDef) and len(node.body) > 3:
                    functions.append(node)
        lines = list(enumerate(text.split("\n"), 1))
        name = path.split("python3.11/")[1]
        source.add(name, "\n".join(line for number, line in lines if number not in dropped))
        for node in random.sample(functions, min(2, len(functions))):
            told = squeeze(ast.get_docstring(node).split("\n\n")[0])
            body = [squeeze(line) for number, line in lines if node.lineno <= number <= node.end_lineno
                    and number not in dropped and len(line.strip()) > 20][:8]
            if len(told) >= 30 and body:
                source.ask(told, [name], name, body)
    return source


def make_records():
    source, keys = Source("records", "agent", "ev", [250, 500, 1000], 150), ["alpha_2", "alpha_3", "name", "numeric", "official_name"]
    countries = json.loads(next(read("usr/share/iso-codes/json/iso_3166-1.json"))[1])["3166-1"]
    for k in range(8):
        rows = random.sample(countries, 150)
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([keys] + [[row.get(key, "") for key in keys] for row in rows])
        cells = lambda row: "| " + " | ".join(str(row.get(key, "")) for key in keys) + " |"
        source.add(f"compact {k}", json.dumps(rows, ensure_ascii=False))
        source.add(f"indented {k}", json.dumps({"items": rows}, ensure_ascii=False, indent=2))
        source.add(f"csv {k}", table.getvalue())
        source.add(f"markdown {k}", "\n".join([cells({key: key for key in keys}), "|---" * 5 + "|"] + [cells(r) for r in rows]))
        for row in random.sample(rows, 8):
            query, name = f"What is the numeric code of {row['name']}?", f'"name": "{row["name"]}"'
            source.ask(query, [f"compact {k}"], f"compact {k}", [f'"numeric": "{row["numeric"]}"', name])
            source.ask(f"Which three letter code does {row['name']} have?", [f"indented {k}"], f"indented {k}",
                       [f'"alpha_3": "{row["alpha_3"]}"', name])
            line = next(line for line in table.getvalue().split("\n") if line.startswith(row["alpha_2"] + ","))
            source.ask(query, [f"csv {k}"], f"csv {k}", [line, ",".join(keys)])
            source.ask(query, [f"markdown {k}"], f"markdown {k}", [cells(row), "| alpha_2 | alpha_3"])
    return source


INCIDENTS = [
    ("Why did the payment of order {o} fail?", ["ERROR billing[311] order {o} card declined: insufficient_funds",
                                                "WARN billing[311] order {o} retry 2 of 2 gave up"]),
    ("Which user was locked out after too many attempts?", ["WARN auth[212] user {u} locked after 5 failed logins"]),
    ("What happened to the search index rebuild?", ["INFO search[500] index rebuild started shards=12 name=products-{o}",
                                                    "ERROR search[500] index rebuild aborted: disk full on node-{u}"]),
    ("When did the mailer lose its connection to the SMTP relay?", ["ERROR mailer[610] smtp relay mx{o}.example.net reset"]),
    ("How large was the slow inventory query?", ["WARN inventory[402] slow query took 18423ms rows={o}77 plan=seqscan"])]


def make_logs():
    source = Source("logs", "agent", "ev", [250, 500, 1000], 90)
    services = ["auth", "billing", "search", "mailer", "gateway", "inventory"]
    operations = ["GET /v1/items", "POST /v1/orders", "GET /v1/users", "PUT /v1/carts", "DELETE /v1/sessions"]
    for k in range(40):
        now, lines = datetime.datetime(2026, 3, 1 + k % 28, 8), []
        for _ in range(700):
            now += datetime.timedelta(milliseconds=random.randint(20, 900))
            lines.append(f"{now.isoformat()}Z INFO {random.choice(services)}[{random.randint(100, 999)}] "
                         f"{random.choice(operations)} 200 {random.randint(2, 80)}ms req={random.getrandbits(40):x}")
        chosen = random.sample(INCIDENTS, 3)
        places, asked = iter(random.sample(range(700), 6)), []
        for query, told in chosen:
            order, user, gold = random.randint(10, 99), random.randint(1000, 9999), []
            for place, line in zip(sorted(next(places) for _ in told), told):
                lines[place] = lines[place].split(" ")[0] + " " + line.format(o=order, u=user)
                gold.append(lines[place])
            asked.append((query.format(o=order, u=user), gold))
        source.add(f"log {k}", "\n".join(lines))
        for query, gold in asked:
            source.ask(query, [f"log {k}"], f"log {k}", gold)
    return source


def words(text):
    """Words, and pairs of characters of scripts without blanks."""
    found = []
    for word in re.findall(r"[^\W_]+", text.lower()):
        if re.search("[\u3041-\u30ff\u4e00-\u9fff]", word):
            found += [word[i:i + 2] for i in range(max(1, len(word) - 1))]
        else:
            found.append(word)
    return found


def pieces(text, size):
    out, current = [], ""
    for line in text.split("\n"):
        current += line + "\n"
        if len(current) >= size:
            out, current = out + [current], ""
    return out + [current]


def bm25_choice(units, query, budget):
    counts = [collections.Counter(words(unit)) for unit in units]
    lengths = [sum(count.values()) for count in counts]
    frequency = collections.Counter(word for count in counts for word in count)
    average = sum(lengths) / len(lengths) or 1

    def worth(i):
        return sum(math.log(1 + (len(units) - frequency[w] + .5) / (frequency[w] + .5)) * counts[i][w] * 2.2 /
                   (counts[i][w] + 1.2 * (.25 + .75 * lengths[i] / average)) for w in set(words(query)) if counts[i][w])

    left, taken = 4 * budget, []
    for i in sorted(range(len(units)), key=lambda i: -worth(i)):
        if len(units[i]) + 1 <= left:
            left -= len(units[i]) + 1
            taken.append(i)
    return "\n".join(units[i] for i in sorted(taken))


def share_that_fits(scorer, case, budget):
    found = sorted(sum(map(len, item)) for item in scorer.gold_items(case))
    left, whole = 4 * budget, 0
    for size in found:
        whole += size <= left
        left -= size
    return {"ev": whole / len(found), "soft": min(1, 4 * budget / max(1, sum(found)))}


def baseline(source):
    scorer = score.Source(os.path.join(destination, "data"), source.name)
    means, most = [], []
    for budget in source.budgets:
        values = [scorer.score(case, bm25_choice(source.units(case), case["query"], budget))[source.metric]
                  for case in source.cases]
        means.append(sum(values) / len(values))
        fitting = [share_that_fits(scorer, case, budget)[source.metric] for case in source.cases]
        most.append(sum(fitting) / len(fitting))
    return {"metric": source.metric, "budgets": source.budgets,
            "baselines": {"bm25": means, "recency": [0.0] * len(means), "oracle": most}}


def write_all(sources):
    for source in sources:
        source.write()
    with open(os.path.join(destination, "baselines.json"), "w") as file:
        json.dump({source.name: baseline(source) for source in sources}, file)
    print(f"{sum(len(source.cases) for source in sources)} cases in {destination}")


def answered_questions():
    for wanted in ["perl-doc", "python3.11-doc", "vim-doc"]:
        unpack(wanted)
    answered = [(document, squeeze(question), answer.strip()) for document, question, answer in questions()]
    return [entry for entry in answered if len(entry[2]) > 120]


if __name__ == "__main__":
    unpack("iso-codes")
    write_all([*make_faq(answered_questions()), make_pycode(), make_records(), make_logs()])

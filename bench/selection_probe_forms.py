#!/usr/bin/env python3
"""A second probe, of other forms of text, made like selection_probe.py and used like it:

    selection_probe_forms.py DEST SCORE_PY     then     bench/selection_eval.sh DEST CTXPACK

faq_LL    Debian's FAQ in German, French, Russian, Japanese and Chinese as one document; a heading asks
chat      many sessions of questions and answers; an earlier answer is asked for in other words, after talk of other things
wide      CSV (with quoted commas), TSV and aligned tables of packages with many columns; one cell is asked for
stanzas   packages as paragraphs of "Field: value"; gold are the package's name and the field
xml       a database of file types; gold are the element's opening line and the pattern in it
nested    an API reference as deeply nested JSON; gold are a method's signature and the version that added it
options   git's manual, forty pages; gold is an option and the paragraph under it
changes   changelogs; gold are an entry and the line of the version that it stands under
diffs     twenty patches as one diff; a patch is asked for by its description; gold are its changed lines and its file
twohop    two tables; what is asked for in one stands under a code that the other has
reread    an agent that reads files, edits one and reads it again; gold is the value that the newest reading has
"""
import csv
import glob
import gzip
import html
import io
import json
import os
import random
import re
import subprocess
import tarfile
import textwrap

import selection_probe as probe
from selection_probe import Source, packages, read, score, squeeze, unpack

FAQ_LANGUAGES = ["de", "fr", "ru", "ja", "zh-cn"]
PATCHED = ["bash", "openssh", "grub2", "systemd", "python3.11", "vim"]


def make_faqs():
    for language in FAQ_LANGUAGES:
        unpack("debian-faq-" + language)
        source = Source("faq_" + language[:2], "multidoc", "soft", [500, 1000])
        text = next(read(f"usr/share/doc/debian/FAQ/debian-faq.{language}.txt.gz"))[1]
        parts = re.split(r"^\d+\.\d+(?:\.\d+)?\.[^\S\n]+(\S.*(?:\n\S.*)*)\n\n", text, flags=re.M)
        answers = [(squeeze(question), textwrap.dedent(re.split(r"^(?:Chapter|Kapitel|\S.*\d+\.\s)", answer, flags=re.M)[0]).strip())
                   for question, answer in zip(parts[1::2], parts[2::2])]
        answers = [entry for entry in answers if len(entry[1]) > (60 if language in ("ja", "zh-cn") else 120)]
        source.add(language, "\n\n".join(answer for _, answer in answers))
        for question, answer in answers:
            source.ask(question, [language], language, [squeeze(s) for s in score.sentences(answer)][:6])
        yield source


SMALL_WORDS = set("""a an the how do does did i can could should would what is are was were my in on of to for with why when where which and or
from by it its there any so not be if that this you your use using get have has make between into as at""".split())
ASKED_AGAIN = ["Earlier you told me about {}. What was it again?", "Remind me of what we said on {}, please.",
               "Going back to {}: could you repeat your answer?", "I forgot the thing about {}."]
SMALL_TALK = [("Thanks, that helped.", "You're welcome! Let me know if anything else comes up."),
              ("Good morning, me again.", "Good morning! What are you working on today?"),
              ("Let me try that.", "Sure, take your time.")]


def make_chat(answered):
    source = Source("chat", "conversation", "soft", [500, 1000])
    answered = [entry for entry in answered if len(entry[2]) < 2500]
    for k in range(12):
        chosen, messages = random.sample(answered, 50), []
        for number, (_, question, answer) in enumerate(chosen):
            if number % 7 == 0:
                messages += [("user", SMALL_TALK[1][0]), ("assistant", SMALL_TALK[1][1])]
            messages += [("user", question), ("assistant", answer)]
            if random.random() < 0.3:
                talk = random.choice(SMALL_TALK[::2])
                messages += [("user", talk[0]), ("assistant", talk[1])]
        source.tell(f"chat {k}", messages)
        for _, question, answer in random.sample(chosen[:40], 10):
            told = [word for word in re.findall(r"[\w./$@%+#-]*\w", question) if word.lower() not in SMALL_WORDS]
            kept = sorted(random.sample(range(len(told)), (2 * len(told) + 2) // 3))
            if not kept:
                continue
            query = random.choice(ASKED_AGAIN).format(" ".join(told[i] for i in reversed(kept)))
            source.ask(query, [], None, [squeeze(s) for s in score.sentences(answer)][:6], f"chat {k}")
    return source


def available_packages():
    text = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout
    found = {}
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", stanza, flags=re.M))
        if {"Homepage", "Depends", "Section"} <= fields.keys() and len(fields["Depends"]) < 300:
            found[fields["Package"]] = fields
    return [found[name] for name in sorted(found)]


COLUMNS = ["Package", "Version", "Architecture", "Section", "Priority", "Installed-Size", "Size", "Maintainer", "Homepage", "SHA256"]


def make_wide(available):
    source = Source("wide", "agent", "ev", [250, 500, 1000], 150)
    for k in range(6):
        rows = random.sample(available, 150)
        for row in rows:
            row["Maintainer"] = re.sub(r" <.*", "", row["Maintainer"]) + (", et al." if row["Package"][0] in "abc" else "")
        cells = [COLUMNS] + [[row.get(column, "") for column in COLUMNS] for row in rows]
        quoted = io.StringIO()
        csv.writer(quoted, lineterminator="\n").writerows(cells)
        widths = [max(len(row[i]) for row in cells) for i in range(4)]
        tables = {"csv": quoted.getvalue(), "tsv": "\n".join("\t".join(row) for row in cells),
                  "aligned": "\n".join("  ".join(f"{cell:{w}}" for cell, w in zip(row[:4], widths)).rstrip() for row in cells)}
        for name, table in tables.items():
            source.add(f"{name} {k}", table)
            lines = table.split("\n")
            for number in random.sample(range(len(rows)), 8):
                package = rows[number]["Package"]
                query = random.choice(["Which version of {} is there?", "To which section does {} belong?"]).format(package)
                source.ask(query, [f"{name} {k}"], f"{name} {k}", [squeeze(lines[number + 1]), squeeze(lines[0])])
    return source


def make_stanzas(available):
    source = Source("stanzas", "agent", "ev", [250, 500, 1000], 150)
    fields = ["Package", "Version", "Installed-Size", "Maintainer", "Architecture", "Depends", "Description", "Homepage", "Section"]
    for k in range(8):
        rows = random.sample(available, 80)
        source.add(f"status {k}", "\n\n".join("\n".join(f"{f}: {row[f]}" for f in fields if f in row) for row in rows))
        for row in random.sample(rows, 12):
            field, query = random.choice([("Version", "Which version of {} is there?"), ("Depends", "What does {} depend on?"),
                                          ("Homepage", "Where is the homepage of {}?")])
            source.ask(query.format(row["Package"]), [f"status {k}"], f"status {k}",
                       ["Package: " + row["Package"], squeeze(f"{field}: {row[field]}")])
    return source


def make_xml():
    unpack("shared-mime-info")
    source = Source("xml", "agent", "ev", [250, 500, 1000], 150)
    text = next(read("usr/share/mime/packages/freedesktop.org.xml"))[1]
    text = re.sub(r'\n *<comment xml:lang="(?!de|fr)[^"]*">.*?</comment>', "", text)
    types = re.findall(r"^  <mime-type.*?</mime-type>\n", text, re.S | re.M)
    for k in range(6):
        chosen = random.sample(types, 60)
        source.add(f"types {k}", "<mime-info>\n" + "".join(chosen) + "</mime-info>\n")
        wanted = [t for t in chosen if t.count("<glob") in (1, 2) and "<comment>" in t]
        for entry in random.sample(wanted, 15):
            comment = html.unescape(re.search(r"<comment>(.*?)</comment>", entry)[1])
            source.ask(f"Which file names does a {comment} have?", [f"types {k}"], f"types {k}",
                       [re.search(r"<mime-type[^>]*>", entry)[0]] + re.findall(r"<glob[^>]*>", entry))
    return source


def methods(node):
    """(signature, versions) of all methods below a node."""
    for child in node if isinstance(node, list) else node.values() if isinstance(node, dict) else []:
        yield from methods(child)
    if isinstance(node, dict) and node.get("type") == "method" and node.get("meta", {}).get("added"):
        yield node["textRaw"], node["meta"]["added"]


def make_nested():
    unpack("nodejs-doc")
    source = Source("nested", "agent", "ev", [500, 1000, 2000])
    for path in sorted(glob.glob(os.path.join(packages, "usr/share/doc/nodejs/api/*.json.gz"))):
        name = os.path.basename(path).split(".")[0]
        with gzip.open(path, "rt") as file:
            document = json.load(file)
        found = list(methods(document))
        if name == "all" or len(found) < 8:
            continue
        source.add(name, json.dumps(document, ensure_ascii=False))
        for signature, versions in random.sample(found, 8):
            source.ask(f"Which version of node added {signature.strip('`')}?", [name], name,
                       [squeeze(json.dumps(signature, ensure_ascii=False)), f'"added": {json.dumps(versions)}'])
    return source


def make_options():
    unpack("git-doc")
    source = Source("options", "multidoc", "soft", [500, 1000])
    pages = dict(read("usr/share/doc/git-doc/git-*.txt"))
    asked = []
    for page, text in pages.items():
        source.add(page, text)
        for match in re.finditer(r"^(--[a-z-]+)(?:=\S*)?::\n((?:\t.*\n)+)", text, re.M):
            if len(match[2]) > 80:
                asked.append((page, match[1], [squeeze(line) for line in match[0].split("\n") if line.strip()][:8]))
    for page, option, gold in random.sample(asked, 150):
        pool = random.sample([name for name in pages if name != page], 39) + [page]
        random.shuffle(pool)
        source.ask(f"What does the option {option} of {page.replace('-', ' ', 1)} do?", pool, page, gold)
    return source


def make_changes():
    source = Source("changes", "agent", "ev", [250, 500, 1000])
    for path in sorted(glob.glob("/usr/share/doc/*/changelog.Debian.gz")):
        with gzip.open(path, "rt", errors="replace") as file:
            text = file.read()[:60_000]
        if len(text) < 20_000 or len(source.artifacts) >= 30:
            continue
        name, asked = path.split("/")[4], []
        for version in re.finditer(r"^(\S+ \([^)]*\)[^\n]*)\n\n(.*?)^ -- ", text, re.S | re.M):
            for entry in re.finditer(r"^ +\* (.*?Closes: #(\d+)\)?)", version[2], re.M):
                asked.append((entry[2], [squeeze(version[1]), squeeze(entry[1])]))
        if len(asked) < 6:
            continue
        source.add(name, text)
        for bug, gold in random.sample(asked, 5):
            source.ask(f"Which version of {name} closed bug #{bug}?", [name], name, gold)
    return source


def patches():
    """(package, description, diff) of the patches that Debian applies."""
    state, lists = os.path.join(packages, "apt"), os.path.join(packages, "sources.list")
    os.makedirs(os.path.join(state, "lists/partial"), exist_ok=True)
    os.makedirs(os.path.join(state, "archives/partial"), exist_ok=True)
    # Where the machine's own packages come from.
    site = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Identifier: Packages"],
                          check=True, capture_output=True, text=True).stdout.split("\n")[0]
    with open(lists, "w") as file:
        file.write("deb-src " + site + "\n")
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=" + lists, "-o", "Dir::Etc::sourceparts=/dev/null",
           "-o", "Dir::State::lists=" + state + "/lists", "-o", "Dir::Cache=" + state]
    subprocess.run(apt + ["update"], check=True, stdout=subprocess.DEVNULL)
    for package in PATCHED:
        subprocess.run(apt + ["source", "--download-only", "--diff-only", package], cwd=packages, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(glob.glob(os.path.join(packages, package + "_*.debian.tar.xz"))[0]) as archive:
            for member in sorted(archive.getmembers(), key=lambda m: m.name):
                if not member.isfile() or not member.name.startswith("debian/patches/"):
                    continue
                text = archive.extractfile(member).read().decode("utf-8", "replace")
                told = re.search(r"^(?:Subject|Description): (.*(?:\n .*)*)", text, re.M)
                start = re.search(r"^(?:diff --git |Index: |--- )", text, re.M)
                if told and start and len(text) < 20_000:
                    yield package, squeeze(re.sub(r"^\[PATCH[^]]*\]", "", told[1].split("\n\n")[0]).strip()), text[start.start():]


def make_diffs():
    source = Source("diffs", "agent", "soft", [500, 1000, 2000])
    every = [entry for entry in patches() if len(entry[1]) >= 25]
    for first in range(0, len(every), 20):
        part, name = every[first:first + 20], f"diff {first // 20}"
        source.add(name, "".join(text.rstrip("\n") + "\n" for _, _, text in part))
        for _, told, text in part:
            changed = [squeeze(line) for line in text.split("\n") if re.match(r"[+-](?![+-])", line) and len(line.strip()) > 15]
            at = re.search(r"^\+\+\+ .*", text, re.M)
            if changed and at:
                source.ask(told[:200], [name], name, [squeeze(at[0])] + changed[:8])
    return source


def make_twohop(available):
    unpack("tzdata")
    source = Source("twohop", "agent", "ev", [250, 500, 1000], 120)
    table = lambda name: [line for line in next(read("usr/share/zoneinfo/" + name))[1].split("\n") if line and line[0] != "#"]
    countries, zones = table("iso3166.tab"), table("zone.tab")
    source.add("countries", "code\tcountry\n" + "\n".join(countries))
    source.add("zones", "code\tcoordinates\tzone\tcomments\n" + "\n".join(zones))
    for line in countries:
        code, country = line.split("\t")[:2]
        gold = [zone for zone in zones if zone.startswith(code + "\t")]
        if 1 <= len(gold) <= 3:
            source.ask(f"Which time zones are there in {country}?", ["countries", "zones"], "zones", [squeeze(g) for g in [line] + gold])
    named = [row for row in available if "Source" in row and not set(probe.words(row["Source"])) & set(probe.words(row["Package"]))]
    for k in range(8):
        rows = random.sample(named, 100)
        binaries = [f"{row['Package']},{row['Section']},{row['Source'].split(' ')[0]}" for row in rows]
        sources = sorted({f"{row['Source'].split(' ')[0]},{row['Homepage']},{row['Installed-Size']}" for row in rows})
        source.add(f"binaries {k}", "package,section,source\n" + "\n".join(binaries))
        source.add(f"sources {k}", "source,homepage,size\n" + "\n".join(sources))
        for row in random.sample(rows, 12):
            name = row["Source"].split(" ")[0]
            source.ask(f"What is the homepage of the source of {row['Package']}?", [f"binaries {k}", f"sources {k}"], f"sources {k}",
                       [next(b for b in binaries if b.startswith(row["Package"] + ",")), f"{name},{row['Homepage']}"])
    return source


def make_reread():
    source = Source("reread", "agent", "ev", [500, 1000, 2000])
    constant = re.compile(r"^(\s*[A-Za-z_][\w.]* = )(\d{1,6})$|^(.*\b[a-z_]+=)(\d{1,6})\)?:$", re.M)
    files = []
    for path in sorted(glob.glob("/usr/lib/python3.11/*.py") + glob.glob("/usr/lib/python3.11/*/*.py")):
        text = open(path, errors="replace").read()
        text = text[:6000].rsplit("\n", 1)[0]
        values = [m for m in constant.finditer(text) if m[1] and len(m[1].strip()) > 8]
        if len(values) >= 2:
            files.append((path.split("python3.11/")[1], text, values))
    for k in range(60):
        chosen, messages = random.sample(files, 8), [("user", "Please raise the limits in these modules and run the tests.")]
        name, newest, values = chosen[0]
        wanted = random.choice(values)
        older = newest[:wanted.start(2)] + str(int(wanted[2]) + random.randint(3, 90)) + newest[wanted.end(2):]
        reading = lambda path, text: [("assistant", "", "read_file", json.dumps({"path": path})), ("tool", text)]
        for path, text, _ in chosen[1:4]:
            messages += reading(path, text)
        messages += reading(name, older)
        messages += [("assistant", "Now I change it.", "edit_file", json.dumps({"path": name, "edit": "see plan"})), ("tool", "1 replacement made")]
        messages += reading(chosen[4][0], chosen[4][1]) + reading(name, newest)
        for path, text, _ in chosen[5:]:
            messages += reading(path, text)
        messages += [("assistant", "All tests pass.")]
        source.tell(f"run {k}", messages)
        line = squeeze(newest[newest.rfind("\n", 0, wanted.start(2)) + 1:wanted.end(2)])
        source.ask(f"What is {wanted[1].split('=')[0].strip()} in {name} now?", [], None, [line], f"run {k}")
    return source


if __name__ == "__main__":
    random.seed(7)
    answered, available = probe.answered_questions(), available_packages()
    probe.write_all([*make_faqs(), make_chat(answered), make_wide(available), make_stanzas(available), make_xml(), make_nested(),
                     make_options(), make_changes(), make_diffs(), make_twohop(available), make_reread()])

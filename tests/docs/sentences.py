"""No sentence of the pages, and of the comments of public headers, has more than 30 words. Code, tables and what a comment hides are not read; code in a line is a word.

Usage: sentences.py ROOT, the folder of the sources"""
import re
import sys
from pathlib import Path

MOST = 30


def without_code(text):
    text = re.sub(r"(?s)<!--.*?-->", "", text)
    text = re.sub(r"(?ms)^\s*```.*?^\s*```", "", text)
    lines, indented = [], True
    for line in text.splitlines():
        # What is indented by four behind an empty line is what a terminal shows.
        is_code = line.startswith("    ") and indented
        indented = is_code or not line.strip()
        lines.append("" if is_code or line.lstrip().startswith(("|", "#")) else line)
    return lines


def paragraphs(lines):
    """With the line that each begins at. An item of a list is a paragraph."""
    text, begin = "", 0
    for number, line in enumerate(lines + [""], 1):
        if not line.strip() or re.match(r"\s*([-*]|\d+\.) ", line):
            if text:
                yield begin, text
            text = ""
        if line.strip():
            begin = begin if text else number
            text += " " + re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip()


def sentences(text):
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|No|cf)\.", r"\1", text)
    return re.split(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*A-Z0-9]|code)", text)


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def comments(header):
    """What a header says of its names, a paragraph each: tables and samples are left out."""
    text, begin = "", 0
    for number, line in enumerate(header.read_text(encoding="utf-8").splitlines() + [""], 1):
        behind, alone = re.search(r"///<(.*)$", line), re.match(r"\s*///(?!<)(.*)$", line)
        said = alone[1] if alone else ""
        goes_on = said.strip() and not re.match(r"\s*[|-]| {5}", said)
        if text and not goes_on:
            yield begin, text
            text = ""
        if goes_on:
            begin = begin if text else number
            text += " " + said.strip()
        if behind:
            yield number, behind[1]


def long_sentences(page):
    read = comments(page) if page.suffix != ".md" else paragraphs(without_code(page.read_text(encoding="utf-8")))
    return [f"{page.name}:{line}: {len(words(s))} words: {s.strip()[:90]}…" for line, text in read
            for s in sentences(text) if len(words(s)) > MOST]


def main():
    root = Path(sys.argv[1])
    pages = sorted([*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("docs/proof/*.md")])
    long = [line for page in pages if page.stem not in {"CHANGELOG", "THIRD_PARTY_NOTICES"} for line in long_sentences(page)]
    headers = sorted((root / "include").rglob("*.h*"))
    long += [line for header in headers for line in long_sentences(header)]
    for line in long:
        print(line)
    print(f"{len(headers)} headers, {len(pages)} pages; {len(long)} sentences with more than {MOST} words")
    return 1 if long or len(pages) < 20 or len(headers) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())

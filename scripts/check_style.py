#!/usr/bin/env python3
"""Checks what docs/style.md asks of names, sizes, comments, words and CMake lists.

usage: scripts/check_style.py [ROOT]
"""

import os
import re
import sys

import source_tree
from source_tree import Problem, code_spans, line_of, matches

LINES_MAX = 600
ROOM_README_LINES_MAX = 30
EXCEPTIONS = "scripts/style_exceptions.txt"
EMPTY_NAMES = ("_util", "_utils", "_helper", "_helpers", "_impl")
TODO_KINDS = ("soon", "later", "perf", "test")

CLASS_HEAD = re.compile(
    r"^(?:template[ ]*<[^\n]*>\n)?class\s+(?:[A-Z_]+(?:\([^)]*\))?\s+)?(\w+)[^;{]*\{",
    re.MULTILINE,
)
NEW_OR_DELETE = re.compile(
    r"(?<!operator )\bnew\s+[\w:<]|(?<!operator )(?<!= )\bdelete(?:\[\])?\s+[\w*(:]"
)
# A new that is handed to its owner in the same expression is how a factory reaches a private
# constructor.
OWNED_NEW = re.compile(r"(?<=>\()(\s*)new\b")
BUILT_IN = (
    r"(?:unsigned\s+)?(?:bool|char|short|int|long|float|double|(?:std::)?size_t"
    r"|(?:std::)?u?int\d+_t)"
)
C_CAST = re.compile(
    rf"(?<![\w>)\]])\((?:const\s+)?{BUILT_IN}\s*\**\)"
    r"\s*(?!const\b|noexcept\b|override\b|final\b)[\w(&*~-]"
)
VIRTUAL_DEFAULT = re.compile(
    r"\bvirtual\b[^;{}]*?\([^;{}]*?[^=!<>]=[^=][^;{}]*?\)(?=[^;{}()]*[;{=])"
)
COMMENTED_CODE = re.compile(
    r"^[ \t]*// ?(?![A-Z_]+\()(?:[\w:]+(?:\.|->|::))*\w+(?:\(.*\)| = [^=].*);[ \t]*$",
    re.MULTILINE,
)
TODO = re.compile(r"\bTODO\b(?:\((\w*)\):\s*\S)?")


class StyleRules:
    """The words table, the length exceptions and the CMake lists, read once."""

    def __init__(self, root):
        self.root = root
        self.words = []
        for row in source_tree.read_table(root, "words"):
            self.words += [
                (word, _word_pattern(word), row[1], code_spans(row[2]))
                for word in code_spans(row[0])
            ]
        self.exceptions = self._read_exceptions()
        self.listed = self._listed_sources()

    def _read_exceptions(self):
        if not os.path.exists(os.path.join(self.root, EXCEPTIONS)):
            return {}
        exceptions = {}
        for line in source_tree.read_text(self.root, EXCEPTIONS).splitlines():
            words = line.split("#")[0].split()
            if len(words) == 2 and words[1].isdigit():
                exceptions[words[0]] = int(words[1])
            elif words:
                raise source_tree.StyleError(f"{EXCEPTIONS}: not 'path lines': {line}")
        return exceptions

    def _listed_sources(self):
        listed = set()
        for folder, text in source_tree.cmake_lists(self.root):
            text = re.sub(r"\$\{(?:CMAKE|PROJECT)_SOURCE_DIR\}/", "/", text)
            text = text.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            for word in re.findall(r"[\w./+-]+\.(?:cpp|capnp)\b", text):
                path = word[1:] if word.startswith("/") else os.path.join(folder, word)
                listed.add(os.path.normpath(path))
        return listed

    def check_length(self, path, lines):
        allowed = self.exceptions.get(path)
        if allowed is None:
            message = f"{lines} lines; more than {LINES_MAX}: move a concept out"
            wrong = lines > LINES_MAX
        elif lines <= LINES_MAX:
            message, wrong = f"fits now: take it off {EXCEPTIONS}", True
        elif lines > allowed:
            message, wrong = f"{lines} lines; {EXCEPTIONS} grants {allowed}, never more", True
        else:
            message = f"shrank: lower its entry in {EXCEPTIONS} to {lines}"
            wrong = lines < allowed
        if wrong:
            yield Problem(path, lines, "length", message)

    def check_source(self, path):
        """A .h or .cpp file."""
        text = source_tree.read_text(self.root, path)
        code = source_tree.strip_comments_and_strings(text)
        yield from self.check_length(path, text.count("\n"))
        yield from self._check_names(path)
        yield from self._check_words(path, text, code)
        yield from _check_patterns(path, text, code)
        if not text.startswith("//") and not self._is_told_by_another(path):
            yield Problem(path, 1, "opening", "the first line is a comment: what this is")
        if path.endswith(".h"):
            yield from _check_header(path, text, code)
        else:
            yield from self._check_cpp(path, text)

    def _is_told_by_another(self, path):
        """Whether its header, or for a unit test the thing tested, says what a source is."""
        own_header = os.path.join(self.root, path[: -len(".cpp")] + ".h")
        return path.endswith(".cpp") and (path.startswith("tests/") or os.path.exists(own_header))

    def _check_names(self, path):
        stem = os.path.splitext(os.path.basename(path))[0]
        if stem.endswith(EMPTY_NAMES) or stem == "manager":
            yield Problem(path, 1, "name", "the ending says nothing: name the concept")
        if not re.fullmatch(r"[a-z0-9_]+", stem):
            yield Problem(path, 1, "name", "file names are snake_case")

    def _check_words(self, path, text, code):
        for word, pattern, instead, allowed in self.words:
            if matches(path, allowed):
                continue
            searched = text if word.isupper() else code
            for match in pattern.finditer(searched):
                line = line_of(text, match.start())
                yield Problem(path, line, "word", f"{word}: {instead.replace('`', '')}")

    def _check_cpp(self, path, text):
        if path not in self.listed:
            yield Problem(path, 1, "unlisted", "no CMakeLists.txt names it: nothing builds it")
        own = path[: -len(".cpp")] + ".h"
        if os.path.exists(os.path.join(self.root, own)):
            first = re.search(r'^#include [<"]([^>"]+)', text, re.MULTILINE)
            if first and first.group(1) != own:
                yield Problem(path, line_of(text, first.start()), "include", f'"{own}" comes first')

    def check_rooms(self, sources):
        """Every room with code has a README of its own, and a short one."""
        rooms = source_tree.Rooms(self.root)
        with_code = {rooms.room_of(path) for path in sources} - {None, rooms.MAIN, "tests"}
        with_code |= set(source_tree.declared_rooms(self.root))
        for room in sorted(with_code):
            readme = os.path.join(room, "README.md")
            if not os.path.exists(os.path.join(self.root, readme)):
                yield Problem(readme, 1, "readme", "a room says what it is in a README.md")
        for readme in source_tree.find_files(self.root, ("README.md",)):
            lines = source_tree.read_text(self.root, readme).count("\n")
            if lines > ROOM_README_LINES_MAX and not readme.startswith("tests/"):
                message = f"{lines} lines; at most {ROOM_README_LINES_MAX}"
                yield Problem(readme, lines, "readme", message)

    def check_scripts(self):
        for path in source_tree.find_files(self.root, (".py",), ("scripts", "tests")):
            yield from self.check_length(path, source_tree.read_text(self.root, path).count("\n"))
        for path in self.exceptions:
            if not os.path.exists(os.path.join(self.root, path)):
                yield Problem(path, 1, "length", f"is gone: take it off {EXCEPTIONS}")


def _word_pattern(word):
    """A word stands alone; one that ends in () is a call that is no member and has no scope."""
    if word.endswith("()"):
        return re.compile(rf"(?<![\w.:>]){re.escape(word[:-2])}\s*\(")
    before = r"(?<![\w:])" if word[0].isalnum() else ""
    if word[0].islower() and "::" not in word:
        before = r"(?<!\w)"
    if word.endswith("_clock::now"):
        before = r"(?<!\w)"
    after = r"(?!\w)" if word[-1].isalnum() else ""
    return re.compile(before + re.escape(word).replace(r"\ ", r"\s+") + after)


def _check_patterns(path, text, code):
    unowned = OWNED_NEW.sub(r"\1   ", code)
    for rule, pattern, searched, message in (
        ("memory", NEW_OR_DELETE, unowned, "std::make_unique and a unique_ptr, not new and delete"),
        ("cast", C_CAST, code, "static_cast, not a C cast"),
        ("virtual", VIRTUAL_DEFAULT, code, "a virtual function has no default argument"),
        ("comment", COMMENTED_CODE, text, "code in a comment: delete it, history keeps it"),
    ):
        for match in pattern.finditer(searched):
            start = match.start() + len(match.group(0)) - len(match.group(0).lstrip())
            yield Problem(path, line_of(text, start), rule, message)
    for match in TODO.finditer(text):
        if match.group(1) not in TODO_KINDS:
            kinds = "|".join(TODO_KINDS)
            yield Problem(path, line_of(text, match.start()), "todo", f"write TODO({kinds}): what")


def _check_header(path, text, code):
    if "#pragma once" not in text:
        yield Problem(path, 1, "header", "#pragma once is missing")
    lines = text.splitlines()
    for match in CLASS_HEAD.finditer(code):
        line = line_of(code, match.start())
        above = lines[line - 2].strip() if line >= 2 else ""
        if not above.startswith("//") and not above.endswith("*/"):
            message = f"{match.group(1)} has no comment: what it is, Life, Thread, Invariant"
            yield Problem(path, line, "class", message)


def check_tree(root):
    rules = StyleRules(root)
    sources = source_tree.find_files(root, (".h", ".cpp"))
    problems = []
    for path in sources:
        problems += rules.check_source(path)
    problems += rules.check_rooms(sources)
    problems += rules.check_scripts()
    return problems


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..")
    try:
        problems = check_tree(root)
    except source_tree.StyleError as error:
        print(f"check_style: {error}")
        return 2
    return source_tree.report("check_style", problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

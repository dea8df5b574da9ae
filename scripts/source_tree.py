"""What the checkers share: the tables of docs/style.md, the walk over the sources, patterns."""

import fnmatch
import functools
import os
import re
from typing import NamedTuple

CODE_DIRS = ("common", "jobmanager", "taskmanager", "cli", "tests", "schemas")
SKIPPED_DIRS = {"build", ".git", ".cache", "__pycache__"}


class Problem(NamedTuple):
    """One finding; prints as file:line: rule: message."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


class StyleError(Exception):
    """docs/style.md lacks a table, or a row of it cannot be read."""


def read_text(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def find_files(root, suffixes, dirs=CODE_DIRS):
    """Paths relative to root, sorted, of the files below dirs that end in one of suffixes."""
    found = []
    for top in dirs:
        for folder, subfolders, names in os.walk(os.path.join(root, top)):
            subfolders[:] = [name for name in subfolders if name not in SKIPPED_DIRS]
            relative = os.path.relpath(folder, root)
            found += [os.path.join(relative, name) for name in names if name.endswith(suffixes)]
    return sorted(found)


def read_table(root, name):
    """Rows of the table that follows the `read by` marker `name`; a row is a list of cells."""
    text = read_text(root, "docs/style.md")
    marker = re.search(rf"<!-- read by scripts/\w+\.py: {name} -->\n", text)
    if not marker:
        raise StyleError(f"docs/style.md: no table is marked '{name}'")
    rows = []
    for line in text[marker.end() :].splitlines():
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    if len(rows) < 3:
        raise StyleError(f"docs/style.md: the table '{name}' has no rows")
    return rows[2:]


def code_spans(cell):
    return re.findall(r"`([^`]+)`", cell)


@functools.lru_cache(maxsize=None)
def _matcher(pattern):
    return re.compile(fnmatch.translate(pattern)).match


def matches(path, patterns):
    """Whether path is in; a pattern after '!' takes out, and the last one that matches decides."""
    inside = False
    for pattern in patterns:
        wanted = not pattern.startswith("!")
        if _matcher(pattern.lstrip("!"))(path):
            inside = wanted
    return inside


class Rooms:
    """The rank table: which room a path belongs to, and its rank."""

    MAIN = "main.cpp"

    def __init__(self, root):
        self.rank_of = {}
        for rank, cell in ((row[0], row[1]) for row in read_table(root, "ranks")):
            for room in code_spans(cell):
                self.rank_of[room] = int(rank)

    def room_of(self, path):
        """The room of a file, or None when the table names none."""
        if os.path.basename(path) == self.MAIN and not path.startswith("tests/"):
            return self.MAIN
        return longest_prefix(path, self.rank_of)


def longest_prefix(path, folders):
    """The deepest of folders that holds path, or None."""
    while path:
        path = os.path.dirname(path)
        if path in folders:
            return path
    return None


def cmake_lists(root):
    """(folder, text without comments) of every CMakeLists.txt."""
    for path in find_files(root, ("CMakeLists.txt",)):
        yield os.path.dirname(path), re.sub(r"#[^\n]*", "", read_text(root, path))


def declared_rooms(root):
    """Room name -> the set of rooms its weir_room() may use."""
    rooms = {}
    for _, text in cmake_lists(root):
        for call in re.findall(r"\bweir_room\(([^)]*)\)", text):
            words = call.split()
            if "NAME" not in words:
                continue
            name = words[words.index("NAME") + 1]
            used = set()
            if "MAY_USE" in words:
                for word in words[words.index("MAY_USE") + 1 :]:
                    if word.isupper():
                        break
                    used.add(word)
            rooms[name] = used
    return rooms


def strip_comments_and_strings(text):
    """C++ text with comments and literals blanked out; lines and columns stay where they are."""

    def blank(match):
        token = match.group(0)
        if token[0] in "/":
            return re.sub(r"[^\n]", " ", token)
        return token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]

    return _TOKENS.sub(blank, text)


_TOKENS = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | (?<=R)"(?P<delimiter>[^()\s\\"]{0,16})\(.*?\)(?P=delimiter)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def report(tool, problems):
    """Prints the findings; returns the exit code."""
    for problem in sorted(problems):
        print(problem)
    if problems:
        print(f"{tool}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
        return 1
    return 0

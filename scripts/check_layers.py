#!/usr/bin/env python3
"""Checks that includes go down only: the tables `ranks`, `edges` and `homes` of docs/style.md.

usage: scripts/check_layers.py [ROOT]
"""

import os
import re
import sys

import source_tree
from source_tree import Problem, code_spans, matches

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


class LayerRules:
    """The tables, read once, and the tree they are held against."""

    def __init__(self, root):
        self.root = root
        self.rooms = source_tree.Rooms(root)
        self.edges = [
            (row[0], code_spans(row[1]), code_spans(row[2]), row[3])
            for row in source_tree.read_table(root, "edges")
        ]
        self.homes = [
            (row[0], code_spans(row[1]), code_spans(row[2]))
            for row in source_tree.read_table(root, "homes")
        ]
        self.may_use = source_tree.declared_rooms(root)

    def check_file(self, path):
        """The problems of one source file."""
        room = self.rooms.room_of(path)
        if room is None:
            return [Problem(path, 1, "N3", "lies in no room of the rank table (docs/style.md)")]
        problems = []
        text = source_tree.read_text(self.root, path)
        for include in INCLUDE.finditer(text):
            header = include.group(2)
            is_quoted = include.group(1) == '"'
            line = source_tree.line_of(text, include.start(2))
            for rule, message in self._check_include(path, room, header, is_quoted):
                problems.append(Problem(path, line, rule, message))
        return problems

    def _check_include(self, path, room, header, is_quoted):
        for rule, headers, allowed in self.homes:
            if matches(header, headers) and not matches(path, allowed):
                where = " ".join(allowed) or "nowhere"
                yield rule, f"<{header}> may be included by: {where}"

        if header.split("/")[0] not in source_tree.CODE_DIRS:
            if is_quoted and os.path.exists(os.path.join(self.root, os.path.dirname(path), header)):
                yield "N3", f'"{header}": write the full path from the root of the tree'
            return
        target = self.rooms.room_of(header)
        if target is None:
            yield "N3", f'"{header}" lies in no room of the rank table'
            return
        if target != "schemas" and not os.path.exists(os.path.join(self.root, header)):
            yield "N3", f'"{header}" does not exist'

        closed = [
            edge for edge in self.edges if matches(path, edge[1]) and matches(header, edge[2])
        ]
        for rule, _, _, reason in closed:
            yield rule, f'"{header}": {reason}'
        if not closed:
            yield from self._check_rank(path, room, header, target)

    def _check_rank(self, path, room, header, target):
        rank, target_rank = self.rooms.rank_of[room], self.rooms.rank_of[target]
        visible_to_tests = room == "tests" and target == "common/testing"
        if room != target and target_rank >= rank and not visible_to_tests:
            yield "N3", (
                f'"{header}": {room} has rank {rank} and sees only lower ones, {target} has'
                f" {target_rank}"
            )
            return
        library = source_tree.longest_prefix(path, self.may_use)
        target_library = source_tree.longest_prefix(header, self.may_use)
        if library is None or target_library in (None, library):
            return
        if target_library not in self.may_use[library] and room != source_tree.Rooms.MAIN:
            yield "N3", f'"{header}": {library} does not name {target_library} under MAY_USE'


def check_tree(root):
    rules = LayerRules(root)
    problems = []
    for path in source_tree.find_files(root, (".h", ".cpp")):
        problems += rules.check_file(path)
    return problems


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..")
    try:
        problems = check_tree(root)
    except source_tree.StyleError as error:
        print(f"check_layers: {error}")
        return 2
    return source_tree.report("check_layers", problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

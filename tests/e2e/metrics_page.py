"""docs/operations/metrics.md as a test reads it, and what a daemon says in the same form."""

import re

import weir_process as wp

ROW = re.compile(r"\| `(?P<name>\w+)` \| (?P<type>\w+) \| (?P<labels>[^|]*) ?\|")
TYPE = re.compile(r"# TYPE (?P<name>\w+) (?P<type>\w+)")
SAMPLE = re.compile(r"(?P<name>\w+)(?:\{(?P<labels>.*)\})? \S+")


class Page:
    def __init__(self):
        self.text = (wp.ROOT / "docs/operations/metrics.md").read_text()

    def table(self, heading):
        """{name: (type, names of labels)} of the table below a heading."""
        section = self.text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        return {row["name"]: (row["type"], re.findall(r"`(\w+)`", row["labels"]))
                for row in map(ROW.match, section.splitlines()) if row}

    def block(self, first_line):
        """The YAML block that begins so."""
        return first_line + self.text.split(f"```yaml\n{first_line}")[1].split("```")[0]


def scraped(text):
    """{name: (type, names of labels)} of an answer of /metrics."""
    types = {line["name"]: line["type"] for line in map(TYPE.match, text.splitlines()) if line}
    labels = {}
    for line in text.splitlines():
        sample = SAMPLE.fullmatch(line)
        if sample and not line.startswith("#"):
            labels[sample["name"]] = re.findall(r'(\w+)="', sample["labels"] or "")
    return {name: (kind, labels.get(name)) for name, kind in types.items()}

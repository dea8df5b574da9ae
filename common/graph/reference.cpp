#include "common/graph/reference.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "common/config/option_text.h"
#include "common/graph/connectors/catalog.h"
#include "common/graph/descriptor.h"
#include "common/graph/format_options.h"

namespace weir::graph {
namespace {

constexpr const char* kIntroduction = R"(# The job descriptor

A job is one YAML file. `weir validate FILE` checks it and reports everything that is wrong at once,
each with its place; `weir explain FILE` shows what would run. `examples/` has descriptors to start
from.

This page is made from the option tables that read descriptors. After changing a table, run the test
`unit_common_graph` with `WEIR_UPDATE_GOLDEN=1` to write it anew.

## Rules of the file

* YAML 1.2, UTF-8, one document. `no`, `on` and `12:30` are texts, `012` is twelve.
* An unknown key is an error, and so is a duplicate one. Option keys accept `-` for `_`.
  Top-level keys that begin with `x-` are ignored: the place for anchors.
* Ids match `[a-z][a-z0-9_-]{0,62}`. Sources, transforms and sinks share one set of ids.
* Durations are written with a unit: `500ms`, `10s`, `5m`, `2h`, `7d`. Rates: `2000/s`, `100/m`.
* `${NAME}` in a value is replaced by that variable of the environment, `${NAME:-default}` has a
  default, `$${` stands for `${`. A variable never changes the structure of the file.
* Expressions are PostgreSQL's scalar expressions and mean what PostgreSQL 15 means by them. Quote
  an expression inside `{...}`, or where it has `: ` or ` #`, or write it in a `|` block.

)";

constexpr const char* kTypes = R"(
The columns of a schema, in order, are `name: type` or `name: type not null`, or have the long form
below. Types: `bool`, `int32`, `int64`, `double`, `string`, `timestamp` (an instant, in microseconds),
`date` and `decimal(p,s)` with up to 38 digits. A column may be NULL unless it says `not null`; a row
that breaks this goes by its source's `on_error`.

```yaml
types:
  bid:
    auction: int64 not null
    price: decimal(12,2)
    placed: {type: timestamp not null, from: $.meta.time}
```

)";

constexpr const char* kChangelogs = R"(
## Changelogs

Rows of an aggregate without window change while more input comes. Every edge between steps has one
of three modes, which `weir explain` shows:

| Mode | Means | Comes from |
|---|---|---|
| `append` | rows are added and stay | sources, windowed aggregates, `emit: at_end` |
| `upsert key(...)` | at most one row per key; it may change or go | aggregates with `emit: updating` |
| `retract` | rows are added and taken back | `unnest` and `union` of updating inputs; a `select` that loses the key |

A filter keeps the mode; an update that stops matching becomes a delete. A window over an updating
input is an error. A sink writes an updating input only with `changelog: log` or `insert_only`.
)";

void AppendTable(StringView title, const config::OptionBlock& block, std::string* out) {
  absl::StrAppend(out, title, "\n\n", block.description(), "\n\n");
  if (!block.options().empty()) absl::StrAppend(out, config::RenderMarkdown(block), "\n");
}

void AppendTransforms(std::string* out) {
  absl::StrAppend(out, "## Transforms\n\nA map of ids to steps, each with a `type`.\n\n");
  for (const TransformType& type : TransformTypes()) {
    AppendTable(absl::StrCat("### `", type.name, "`"), *type.table, out);
  }
}

void AppendConnectors(std::string* out) {
  absl::StrAppend(out, "## Connectors\n\nWhat stands under `options` of a source or sink.\n\n");
  for (const config::OptionBlock* block : ConnectorBlocks()) {
    std::string title = block->name();
    title[0] = static_cast<char>(absl::ascii_toupper(static_cast<unsigned char>(title[0])));
    AppendTable(absl::StrCat("### ", title), *block, out);
  }
}

void AppendFormats(std::string* out) {
  absl::StrAppend(out, "## Formats\n\n`format: csv`, or a block with a `type` and more.\n\n");
  AppendTable("### `text`", TextFormatTable(), out);
  AppendTable("### `csv`", CsvFormatTable(), out);
  AppendTable("### `json`", JsonFormatTable(), out);
}

}  // namespace

std::string RenderReference() {
  std::string out = kIntroduction;
  AppendTable("## Top level", TopTable(), &out);
  AppendTable("## `settings`", SettingsTable(), &out);
  absl::StrAppend(&out, "## `types`\n", kTypes, config::RenderMarkdown(ColumnTable()), "\n");
  AppendTable("## Sources", SourceTable(), &out);
  AppendTransforms(&out);
  AppendTable("## Sinks", SinkTable(), &out);
  AppendConnectors(&out);
  AppendFormats(&out);
  // The sections above end in an empty line of their own.
  out.pop_back();
  absl::StrAppend(&out, kChangelogs);
  return out;
}

}  // namespace weir::graph

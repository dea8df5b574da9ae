// The parts of docs/descriptor.md that no table says: what a person has to know to write a job.
#pragma once

namespace weir::graph {

inline constexpr const char* kReferenceIntroduction = R"md(# The job descriptor

A job is one YAML file. `weir validate FILE` checks it and reports everything that is wrong at once,
each with its place; `weir explain FILE` shows what would run, `weir local run FILE` runs it.

## A first job

Whole, and runnable where `orders.csv` is a file that begins with the line `id,customer,amount`:

```yaml
weir: 1
name: big-orders
types:
  order: {id: int64 not null, customer: string, amount: "decimal(12,2)"}
sources:
  orders:
    connector: file
    options: {path: orders.csv}
    format: {type: csv, header: true}
    schema: order
transforms:
  big: {type: filter, input: orders, where: amount > 100}
sinks:
  out: {connector: stdout, input: big, format: json}
```

More in `examples/`: counting with `aggregate`, windows, files that are committed exactly once.

## Rules of the file

* YAML 1.2, UTF-8, one document. `no`, `on` and `12:30` are texts, `012` is twelve. A file that is
  not YAML has one error, where reading stopped; everything else is checked once it is.
* An unknown key is an error, and so is a duplicate one. Option keys accept `-` for `_`.
  Top-level keys that begin with `x-` are left alone: the place for blocks with an anchor,
  `x-lines: &lines {type: csv, header: true}`, that others use as `format: *lines`. The merge key
  `<<` is not there.
* Ids match `[a-z][a-z0-9_-]{0,62}`. Sources, transforms and sinks share one set of ids.
* Durations are written with a unit: `500ms`, `10s`, `5m`, `2h`, `7d`. Rates: `2000/s`, `100/m`.
* `${NAME}` in a value is replaced by that variable of the environment, `${NAME:-default}` has a
  default, which also stands in for an empty one, `$${` stands for `${`. A variable never changes the
  structure of the file. Inside `{...}` and `[...]` it is quoted, `{path: "${IN}"}`: a bare `{` or `}`
  would begin or end a block there. Below keys on lines of their own, `path: ${IN}` will do.
* Expressions are written as in PostgreSQL; [Operators](#operators) and [Functions](#functions) list
  what there is. A text stands in single quotes, a name that is not all lower case in double ones.
* Inside `{...}` a value that has a comma is quoted, `{price: "decimal(12,2)"}`, and everywhere one
  that has `: ` or ` #`, unless it is written in a `|` block.

)md";

inline constexpr const char* kReferenceTypes = R"md(
The columns of a schema, in order, are `name: type` or `name: type not null`, or have the long form
below. A column may be NULL unless it says `not null`; a row that breaks this goes by its source's
`on_error`.

| Type | Also written | Values |
|---|---|---|
| `bool` | `boolean` | true, false |
| `int32` | `int`, `integer` | whole numbers of 32 bits |
| `int64` | `bigint` | whole numbers of 64 bits |
| `double` | `double precision`, `float8` | IEEE 754 numbers of 64 bits |
| `decimal(p,s)` | `numeric(p,s)` | exact numbers of up to p digits (at most 38), s of them behind the point |
| `string` | `text`, `varchar` | UTF-8 texts of any length |
| `timestamp` | `timestamptz` | instants, in microseconds, of the years 1 to 9999 |
| `date` | | days of the years 1 to 9999 |

```yaml
types:
  bid:
    auction: int64 not null
    price: decimal(12,2)
    placed: {type: timestamp not null, from: $.meta.time}
```

[Values as text](#values-as-text) says how they are read and written.

)md";

inline constexpr const char* kReferenceValues = R"md(
### Values as text

| Type | Read from CSV | Read from JSON | Written |
|---|---|---|---|
| `bool` | `true` `t` `1`, `false` `f` `0`, in any case | `true`, `false` | `true`, `false` |
| `int32`, `int64` | digits, with `+` or `-` | a number without point and exponent | digits |
| `double` | `1.5`, `.5`, `2e3`; `NaN`, `inf`, `-Infinity` in any case | a number, `"NaN"`, `"Infinity"`, `"-Infinity"` | so that it reads back the same: `0.1`, `1e+20`, `NaN`, `-Infinity`; the last two quoted in JSON |
| `decimal(p,s)` | `1.5`, `.5`, `2e3` | a number, or a string as in CSV | with s digits behind the point: `1.50` |
| `string` | the text with its blanks, quoted or not | a string | the text, quoted where CSV needs it |
| `timestamp` | `2026-01-31T12:30:00Z`, see below | a string as in CSV | `2026-01-31T12:30:00.5Z`, UTC, as many digits as are needed |
| `date` | `2026-01-31` | a string as in CSV | `2026-01-31` |
| NULL | nothing between the delimiters, or the text of `null`; `""` is an empty string | `null`, or no such field | nothing, or the text of `null`; in JSON `null` |

* A timestamp has a date, then `T` or a blank, the time `HH:MM`, `HH:MM:SS` or `HH:MM:SS.ffffff`, and
  the zone `Z`, `+02`, `+0200` or `+02:00`. Without a zone it is UTC; a date alone is its midnight.
  Digits behind the microseconds are rounded. There is no `infinity` and no number of seconds: read
  other forms as `string` or `int64` and convert them, in `event_time.expr` too, with
  `to_timestamp(text, pattern)` or `to_timestamp(seconds)`, see [Functions](#functions).
* Digits of a decimal behind its scale are rounded, half away from zero; one that has too many in
  front is a bad row. So is a whole number that is too large for its type.
* JSON values are not converted: `"true"` is no bool, `"5"` and `5.0` are no int64, `5` is no string.
* Blanks around a CSV value belong to a `string` and are passed over for all other types.
* A CSV line has as many values as the header has names or, without a header, as the schema has
  columns. Each file that a sink writes begins with the header again.

)md";

inline constexpr const char* kReferenceChangelogs = R"md(
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
)md";

inline constexpr const char* kReferenceChanges = R"md(
## Changing a job between runs

A run that goes on from a state directory compares each step that has state, found by its `uid`, with
the step that wrote the state. What would be read wrongly is refused, and both are shown. What is not
compared holds from then on; whether it fits what was computed before is for you to judge.

| Edit | What happens |
|---|---|
| an aggregate's keys or calls: their expressions, types, number or order; its `window` or `emit` | refused. Blanks in an expression do not count, other names of the results neither |
| `max_parallelism`; a step with state taken away | refused |
| a source's connector, `path` or type of format; `count` and `seed` of `datagen`; another file in place of one half read | refused |
| a file sink's `path` or type of format; its directory gone, or without its `.weir-owner` | refused |
| `parallelism`, `checkpointing`, `restart`, `rate`; a new step | accepted, nothing is lost; a new step starts empty |
| `where`, `having`, a filter, the columns of a `select`, a source's schema, `event_time` or format options | accepted, and **mixed**: what an aggregate has counted stays counted, only later rows go by the new text |
| `changelog` and format options of a sink | accepted, and **mixed**: later files look different from those before |

A column that is renamed in front of an aggregate changes its expressions; a `select` that gives it
the old name keeps the state. To apply an edit that is refused, or would mix, to all rows, start the
job anew: with another state directory, and an empty output directory for each file sink.
)md";

inline constexpr const char* kReferenceExpressions = R"md(
## Operators

From those that bind most tightly to those that do so least, as in PostgreSQL:

| Operator | Of | Gives |
|---|---|---|
| `x::type` | what `cast` takes | the type |
| `+x`, `-x` | numbers | the same type |
| `x * y`, `x / y`, `x % y` | numbers; `%` not of doubles | the wider type; whole numbers divide to whole numbers |
| `x + y`, `x - y` | numbers; a date and a whole number of days; `-` also two dates | the wider type; a date; an int32 |
| `x \|\| y` | strings | a string |
| `[not] in (x, y, ...)`, `[not] between x and y` | values that can be compared | a bool |
| `[not] like p [escape c]`, `[not] ilike p [escape c]` | strings; `%` is any text, `_` any character | a bool |
| `= <> != < <= > >=` | numbers among each other; two values of one type | a bool |
| `is [not] null`, `is [not] true`, `is [not] false`, `is [not] unknown`, `is [not] distinct from` | | a bool, never NULL |
| `not`, then `and`, then `or` | bools | a bool |

NULL in, NULL out, but for `is`, `and`, `or`, `coalesce`, `case` and aggregates. A constant is `5`,
`1.50` (a decimal), `1.5e0` (a double), `'text'`, `true`, `null`, `date '2026-01-31'` or
`timestamptz '2026-01-31 12:30:00Z'`.

What differs from PostgreSQL 15:

* Types widen by themselves, int32 to int64 to decimal to double, and nothing else does: a string is
  no number and no date without a CAST. `CAST(x AS timestamp)` is written `AS timestamptz`.
* A number with an exponent is a double. Decimals end at 38 digits; `/` gives 16 of them behind the
  point where there is room. The sum of an int64 column is an int64.
* Strings compare by their bytes. `lower`, `upper` and `ilike` know the letters a to z only.
* Regular expressions are RE2's. Patterns, formats, field names and ESCAPE are constants.
* `and`, `or`, `case` and `coalesce` never compute what they do not need.
* There are no intervals, no arrays but for `unnest`, no subqueries, and no current time: a row gives
  the same result whenever it is computed.

## Functions

)md";

inline constexpr const char* kReferencePatterns = R"md(
The patterns of `to_timestamp`, in any case: `YYYY` (required), `MM`, `DD`, `HH24` or `HH12` (`HH`) with
`AM` or `PM`, `MI`, `SS`, and `MS` or `US` for what is behind the second's point. What is not given is
the first month or day, or zero. A blank stands for any number of blanks; a text in double quotes,
and any other character but letters and digits, for itself. All must be there, and nothing more:
`to_timestamp(t, 'YYYY-MM-DD"T"HH24:MI:SS')`.

The fields of `date_trunc` and `extract`: `microseconds`, `milliseconds`, `second`, `minute`, `hour`, `day`,
`week` (begins on Monday), `month`, `quarter`, `year`, `decade`, `century`, `millennium`; `extract` also has
`dow` (Sunday is 0), `isodow` (Monday is 1), `doy`, `isoyear` and `epoch`.

`cast` goes from any type to `string` and back, between numbers (to whole ones it rounds), between
`bool` and `int32`, and between `timestamp` and `date`.

## About this page

It is made from the tables that read descriptors and bind expressions. After changing one, run the test
`unit_common_graph` with `WEIR_UPDATE_GOLDEN=1` to write it anew.
)md";

}  // namespace weir::graph

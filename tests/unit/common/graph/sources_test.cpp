// What must hold: sources know their rows, where each column's value is, and their event time.
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/graph/planner.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

// A job from source `in` with these options to a blackhole.
std::string SourceJob(const std::string& source) {
  return absl::StrCat(R"(weir: 1
name: sources
types:
  row:
    id: {type: int64 not null, from: $.meta.id, default: 7}
    name: string
    at: timestamp
    day: date
    ok: bool
    part: double
    sum: decimal(6,2)
sources:
  in: )",
                      source, R"(
sinks:
  out: {connector: blackhole, input: in}
)");
}

SourceSpec SourceOf(const std::string& source) {
  return std::get<SourceSpec>(NodeOf(*MustPlan(SourceJob(source)), "in").spec);
}

DatagenOptions DatagenOf(const std::string& options) {
  const SourceSpec source =
      SourceOf(absl::StrCat("{connector: datagen, schema: row, options: ", options, "}"));
  return std::get<DatagenOptions>(source.connector);
}

}  // namespace

TEST_CASE("A text source has one column", "[graph][unit]") {
  const auto plan =
      MustPlan(SourceJob("{connector: file, options: {path: a.txt, scan: once}, format: text}"));
  CHECK(NodeOf(*plan, "in").schema->ToString() == "line string not null");
  const auto& source = std::get<SourceSpec>(NodeOf(*plan, "in").spec);
  CHECK(std::get<FileSourceOptions>(source.connector).path == "a.txt");
  CHECK_FALSE(std::get<FileSourceOptions>(source.connector).rate.has_value());
  CHECK_FALSE(source.event_time.has_value());
}

TEST_CASE("A schema says where each column's value is and what stands for none", "[graph][unit]") {
  const SourceSpec source = SourceOf(
      "{connector: file, options: {path: a, rate: 2000/s}, format: {type: json, unknown_fields: "
      "fail}, schema: row, on_error: skip}");
  CHECK(source.format.kind == FormatKind::kJson);
  CHECK(source.format.unknown_fields == UnknownFields::kFail);
  REQUIRE(source.format.from.size() == 7);
  CHECK(source.format.from[0] == "$.meta.id");
  CHECK(source.format.from[1].empty());
  REQUIRE(source.format.defaults.size() == 7);
  CHECK(source.format.defaults[0] == absl::optional<std::string>("7"));
  CHECK_FALSE(source.format.defaults[1].has_value());
  CHECK(source.on_error == OnError::kSkip);
  CHECK(std::get<FileSourceOptions>(source.connector).rate == absl::optional<double>(2000));
}

TEST_CASE("A csv format has a header, a delimiter and a text for NULL", "[graph][unit]") {
  const auto plan = MustPlan(R"(weir: 1
name: csv
types: {row: {a: string}}
sources:
  in:
    connector: file
    options: {path: a}
    format: {type: csv, header: true, delimiter: ";", null: NA}
    schema: row
sinks:
  out: {connector: file, input: in, options: {path: o}, format: {type: csv, delimiter: "\t"}}
)");
  const FormatSpec& read = std::get<SourceSpec>(NodeOf(*plan, "in").spec).format;
  CHECK(read.header);
  CHECK(read.delimiter == ';');
  CHECK(read.null_text == "NA");
  const FormatSpec& written = std::get<SinkSpec>(NodeOf(*plan, "out").spec).format;
  CHECK_FALSE(written.header);
  CHECK(written.delimiter == '\t');
}

TEST_CASE("Watermarks are bounded, ascending or none", "[graph][unit]") {
  const auto event_time = [](const std::string& watermark) {
    return *SourceOf(absl::StrCat("{connector: datagen, schema: row, event_time: {column: at, ",
                                  watermark, "}}"))
                .event_time;
  };
  CHECK(event_time("watermark: 4s").delay == absl::Seconds(4));
  CHECK(event_time("watermark: 4s").idle_timeout == absl::Seconds(60));
  CHECK(event_time("watermark: {strategy: bounded, delay: 4s}").delay == absl::Seconds(4));
  CHECK(event_time("watermark: {strategy: ascending}, idle_timeout: 0s").delay ==
        absl::ZeroDuration());
  CHECK(event_time("watermark: {strategy: ascending}").has_watermark);
  CHECK_FALSE(event_time("watermark: {strategy: none}").has_watermark);
}

TEST_CASE("Columns that datagen is told nothing of are random", "[graph][unit]") {
  const DatagenOptions options = DatagenOf("{count: 10, seed: 3, rate: 60/m}");
  CHECK(options.count == absl::optional<int64_t>(10));
  CHECK(options.seed == 3);
  CHECK(options.rate == absl::optional<double>(1));
  REQUIRE(options.generators.size() == 7);
  for (const GeneratorSpec& generator : options.generators) {
    CHECK(generator.kind == GeneratorKind::kRandom);
    CHECK(generator.min <= generator.max);
    CHECK(generator.min_double <= generator.max_double);
  }
}

TEST_CASE("Bounds of generated columns are written in their types", "[graph][unit]") {
  const DatagenOptions options = DatagenOf(R"({fields: {
    id: {kind: sequence, start: 5, step: -2},
    name: {distinct: 100},
    at: {kind: sequence, start: "1970-01-01T00:00:01Z", step: 10ms},
    day: {min: "1970-01-02", max: "1970-02-01"},
    part: {min: -0.5, max: 2.5},
    sum: {max: 9999}}})");
  CHECK(options.generators[0].kind == GeneratorKind::kSequence);
  CHECK(options.generators[0].start == 5);
  CHECK(options.generators[0].step == -2);
  CHECK(options.generators[1].distinct == 100);
  CHECK(options.generators[2].start == 1'000'000);
  CHECK(options.generators[2].step == 10'000);
  CHECK(options.generators[3].min == 1);
  CHECK(options.generators[3].max == 31);
  CHECK(options.generators[6].max_double == 9999);
  CHECK(options.generators[6].min_double == 0);
}

TEST_CASE("A sequence must fit its column to the last row", "[graph][unit]") {
  const auto codes = [](const std::string& count) {
    return Codes(PlanText(absl::StrCat(R"(weir: 1
name: fits
types: {row: {a: int32}}
sources:
  in:
    connector: datagen
    schema: row
    options: {count: )",
                                       count, R"(, fields: {a: {kind: sequence, start: 1}}}
sinks: {out: {connector: blackhole, input: in}}
)")));
  };
  CHECK(codes("2147483647") == "");
  CHECK(codes("2147483648") == "E0503 8:46");
}

TEST_CASE("Variables fill in values", "[graph][unit]") {
  const std::string text =
      SourceJob("{connector: file, options: {path: \"${IN:-a.txt}\"}, format: text}");
  const auto path = [](const PlanResult& result) {
    REQUIRE(result.plan != nullptr);
    const auto& source = std::get<SourceSpec>(NodeOf(*result.plan, "in").spec);
    return std::get<FileSourceOptions>(source.connector).path;
  };
  CHECK(path(PlanText(text)) == "a.txt");
  CHECK(path(PlanText(text, {{"IN", "b.txt"}})) == "b.txt");
}

}  // namespace weir::graph

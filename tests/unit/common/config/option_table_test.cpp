// What must hold: a table reads what is right, reports all that is wrong at once, and its defaults
// are those of the struct.
#include "common/config/option_table.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/config/option_table_sample.h"
#include "tests/unit/common/config/parsed_text.h"

namespace weir::config {

namespace {

struct ReadText {
  ParsedText parsed;
  SampleOptions options;
  bool is_good = false;

  explicit ReadText(const std::string& text) : parsed(text) {
    REQUIRE(parsed.document != nullptr);
    is_good = SampleTable().Read(parsed.root(), &options, &parsed.diagnostics);
    CHECK(is_good == !parsed.diagnostics.HasErrors());
  }

  std::string Report() const { return parsed.Report(); }
};

// The first line of the report of a file that also has the required key.
std::string FirstLine(const std::string& text) {
  const std::string report = ReadText(text + "\ninput: a\n").Report();
  return report.substr(0, report.find('\n'));
}

}  // namespace

TEST_CASE("OptionTable reads every kind", "[config][unit]") {
  const ReadText read(
      "input: bids\n"
      "interval: 5m\n"
      "mode: at_least_once\n"
      "enabled: false\n"
      "parallelism: 16\n"
      "ratio: 0.25\n"
      "limit: 64kb\n"
      "rate: 120/m\n"
      "attempts: unlimited\n"
      "columns: [a, 'b c']\n"
      "labels: {team: ads, tier: 1}\n"
      "path: /tmp/x\n"
      "where: a > 1\n"
      "unaligned: {enabled: true, aligned_timeout: 1s}\n"
      "label: 12:30\n");
  INFO(read.Report());
  REQUIRE(read.is_good);
  CHECK(*read.options.input == "bids");
  CHECK(read.options.input.node->range().Begin() == LineColumn{1, 8});
  CHECK(read.options.interval == absl::Minutes(5));
  CHECK(read.options.mode == SampleMode::kAtLeastOnce);
  CHECK_FALSE(read.options.enabled);
  CHECK(read.options.parallelism == 16);
  CHECK(read.options.ratio == 0.25);
  CHECK(read.options.limit_bytes == 65536);
  CHECK(read.options.rate_per_second == 2.0);
  CHECK(read.options.attempts == -1);
  CHECK(read.options.columns == std::vector<std::string>{"a", "b c"});
  CHECK(read.options.labels.at("tier") == "1");
  CHECK(read.options.path == std::string("/tmp/x"));
  REQUIRE(read.options.where != nullptr);
  CHECK(read.options.where->text() == "a > 1");
  CHECK(read.options.unaligned.enabled);
  CHECK(read.options.unaligned.aligned_timeout == absl::Seconds(1));
  CHECK(read.options.common.label == "12:30");
}

TEST_CASE("OptionTable keeps the defaults of what is not set", "[config][unit]") {
  const ReadText read("input: bids\n");
  REQUIRE(read.is_good);
  const SampleOptions defaults;
  CHECK(read.options.interval == defaults.interval);
  CHECK(read.options.unaligned.aligned_timeout == defaults.unaligned.aligned_timeout);
  CHECK_FALSE(read.options.path.has_value());
  CHECK(read.options.where == nullptr);
}

TEST_CASE("OptionTable reports everything at once and sets what is right", "[config][unit]") {
  const ReadText read(
      "interval: 30\n"
      "mode: exactly_onse\n"
      "atempts: 3\n"
      "unaligned:\n"
      "  enabled: yes\n"
      "  aligned_timeout: 7s\n"
      "parallelism: 0\n"
      "columns: x\n"
      "ratio: 0.75\n");
  CHECK(read.Report() ==
        "job.yaml:1:1: error: missing key 'input' in checkpointing [E0103]\n"
        "   |\n"
        "1  | interval: 30\n"
        "   | ^^^^^^^^^^^^\n"
        "   = help: input: id. The step to read.\n"
        "job.yaml:1:11: error: bad duration '30' for 'interval' [E0105]\n"
        "   |\n"
        "1  | interval: 30\n"
        "   |           ^^ the unit is missing, write for example 30s\n"
        "   = help: write a duration, at least 10ms\n"
        "job.yaml:2:7: error: unknown value 'exactly_onse' for 'mode' [E0105]\n"
        "   |\n"
        "2  | mode: exactly_onse\n"
        "   |       ^^^^^^^^^^^^ did you mean 'exactly_once'? one of: exactly_once, at_least_once\n"
        "job.yaml:3:1: error: unknown key 'atempts' in checkpointing [E0101]; did you mean "
        "'attempts'?\n"
        "job.yaml:5:12: error: bad boolean 'yes' for 'enabled' [E0105]\n"
        "   |\n"
        "5  |   enabled: yes\n"
        "   |            ^^^ write true\n"
        "   = help: write true or false\n"
        "job.yaml:7:14: error: 'parallelism' must be at least 1, found '0' [E0106]\n"
        "   |\n"
        "7  | parallelism: 0\n"
        "   |              ^\n"
        "   = help: write a whole number, 1 to 128\n"
        "job.yaml:8:10: error: 'columns' needs a list of texts, found 'x' [E0104]\n"
        "   |\n"
        "8  | columns: x\n"
        "   |          ^\n"
        "   = help: write a list: lines that begin with `- `, or [a, b]\n");
  CHECK(read.options.ratio == 0.75);
  CHECK(read.options.unaligned.aligned_timeout == absl::Seconds(7));
  CHECK(read.options.interval == SampleOptions().interval);
}

TEST_CASE("OptionTable takes a misspelt key for the option it misses, once", "[config][unit]") {
  const ReadText misspelt("inptu: a\n");
  CHECK(
      misspelt.Report() ==
      "job.yaml:1:1: error: unknown key 'inptu' in checkpointing [E0103]; did you mean 'input'?\n");
  // One that is there cannot be what was meant.
  const ReadText there("input: a\ninptu: b\n");
  CHECK(there.Report().find("did you mean") == std::string::npos);
  CHECK(there.Report().find("known keys: ") != std::string::npos);
}

TEST_CASE("OptionTable lists the keys when no name is near", "[config][unit]") {
  const ReadText read("input: a\nunaligned: {frequency: 3}\n");
  CHECK(read.Report() ==
        "job.yaml:2:13: error: unknown key 'frequency' in unaligned [E0101]\n"
        "   |\n"
        "2  | unaligned: {frequency: 3}\n"
        "   |             ^^^^^^^^^\n"
        "   = help: known keys: enabled, aligned_timeout\n");
  CHECK(read.parsed.diagnostics.Sorted()[0].path == "/unaligned/frequency");
}

TEST_CASE("OptionTable explains a comma inside braces", "[config][unit]") {
  const ReadText read("input: a\nunaligned: {enabled: f(a, b)}\n");
  const std::vector<Diagnostic> sorted = read.parsed.diagnostics.Sorted();
  REQUIRE(sorted.size() == 2);
  CHECK(sorted[1].message == "unknown key 'b)' in unaligned");
  CHECK(sorted[1].help[0] == "inside {...} a value that has a comma must be quoted");
}

TEST_CASE("OptionTable takes - and _ as the same", "[config][unit]") {
  const ReadText read("input: a\nunaligned: {aligned-timeout: 3s}\nmode: at-least-once\n");
  REQUIRE(read.is_good);
  CHECK(read.options.unaligned.aligned_timeout == absl::Seconds(3));
  CHECK(read.options.mode == SampleMode::kAtLeastOnce);
}

TEST_CASE("OptionTable reports keys that are the same after folding", "[config][unit]") {
  const ReadText read("input: a\nunaligned:\n  aligned_timeout: 3s\n  aligned-timeout: 4s\n");
  CHECK(read.Report() ==
        "job.yaml:4:3: error: duplicate key 'aligned-timeout' [E0102]\n"
        "   |\n"
        "4  |   aligned-timeout: 4s\n"
        "   |   ^^^^^^^^^^^^^^^ `-` and `_` count as the same\n"
        "   = because: 'aligned_timeout' is set first at job.yaml:3:3\n"
        "   = help: remove one of the two\n");
  CHECK(read.options.unaligned.aligned_timeout == absl::Seconds(3));
}

TEST_CASE("OptionTable says what it found instead", "[config][unit]") {
  CHECK(FirstLine("interval: [1]") ==
        "job.yaml:1:11: error: 'interval' needs a duration such as 30s, found a list [E0104]");
  CHECK(FirstLine("parallelism: {a: 1}") ==
        "job.yaml:1:14: error: 'parallelism' needs a whole number such as 10, found a map [E0104]");
  CHECK(FirstLine("limit:") ==
        "job.yaml:1:7: error: 'limit' needs a size such as 64mb, found nothing [E0104]");
  CHECK(FirstLine("unaligned: true") ==
        "job.yaml:1:12: error: 'unaligned' needs a map of unaligned options, found 'true' [E0104]");
  CHECK(FirstLine("labels: [a]") ==
        "job.yaml:1:9: error: 'labels' needs a map of texts, found a list [E0104]");
  CHECK(FirstLine("columns: [a, [b]]") ==
        "job.yaml:1:14: error: '1' needs a text, found a list [E0104]");
  CHECK(FirstLine("where: {a: 1}") ==
        "job.yaml:1:8: error: 'where' needs an expression, found a map [E0104]");
  CHECK(FirstLine("label: ''") == "job.yaml:1:8: error: 'label' must not be empty [E0105]");
  CHECK(FirstLine("parallelism: many") ==
        "job.yaml:1:14: error: bad number 'many' for 'parallelism' [E0105]");
}

TEST_CASE("OptionTable reads a file that is no map as an error", "[config][unit]") {
  CHECK(ReadText("- a\n").Report().substr(0, 90) ==
        "job.yaml:1:1: error: the file needs a map of checkpointing options, found a list "
        "[E0104]\n ");
  CHECK_FALSE(ReadText("").is_good);
}

TEST_CASE("OptionTable refuses ids that are none", "[config][unit]") {
  const ReadText read("input: Bids\n");
  CHECK(read.Report() ==
        "job.yaml:1:8: error: bad id 'Bids' [E0107]\n"
        "   |\n"
        "1  | input: Bids\n"
        "   |        ^^^^ it must start with a letter a-z\n"
        "   = help: begin with a letter a-z; then a-z, 0-9, _ and -, 63 characters in all\n");
}

TEST_CASE("OptionTable holds values to their range", "[config][unit]") {
  CHECK(ReadText("input: a\ninterval: 10ms\n").is_good);
  CHECK(FirstLine("interval: 9ms") ==
        "job.yaml:1:11: error: 'interval' must be at least 10ms, found '9ms' [E0106]");
  CHECK(ReadText("input: a\nparallelism: 128\n").is_good);
  CHECK(FirstLine("parallelism: 129") ==
        "job.yaml:1:14: error: 'parallelism' must be at most 128, found '129' [E0106]");
  CHECK(FirstLine("ratio: 1.5") ==
        "job.yaml:1:8: error: 'ratio' must be at most 1, found '1.5' [E0106]");
  CHECK(FirstLine("limit: 1gb") ==
        "job.yaml:1:8: error: 'limit' must be at most 1mb, found '1gb' [E0106]");
}

TEST_CASE("IntegerOption also holds values to the member's type", "[config][unit]") {
  const ParsedText parsed("a: 256\nb: -1\nc: 255\n");
  Diagnostics diagnostics;
  uint8_t value = 7;
  CHECK_FALSE(IntegerOption{}.Read(*parsed.root().Find("a"), &value, &diagnostics));
  CHECK_FALSE(IntegerOption{}.Read(*parsed.root().Find("b"), &value, &diagnostics));
  CHECK(value == 7);
  CHECK(IntegerOption{}.Read(*parsed.root().Find("c"), &value, &diagnostics));
  CHECK(value == 255);
}

TEST_CASE("An optional option is unset by null", "[config][unit]") {
  const ReadText read("input: a\npath: null\n");
  REQUIRE(read.is_good);
  CHECK_FALSE(read.options.path.has_value());
  CHECK_FALSE(ReadText("input: a\nlabel: null\n").is_good);
}

TEST_CASE("A list may be one text where the table says so", "[config][unit]") {
  const ParsedText parsed("a: x\nb: [x, y]\nc: []\n");
  Diagnostics diagnostics;
  std::vector<Located<std::string>> value;
  const TextListOption option{.may_be_single = true, .min_count = 1};
  REQUIRE(option.Read(*parsed.root().Find("a"), &value, &diagnostics));
  REQUIRE(value.size() == 1);
  CHECK(*value[0] == "x");
  REQUIRE(option.Read(*parsed.root().Find("b"), &value, &diagnostics));
  CHECK(value[1].node->Path() == "/b/1");
  CHECK_FALSE(option.Read(*parsed.root().Find("c"), &value, &diagnostics));
  CHECK(diagnostics.ToStatus().message() ==
        "job.yaml:3:4: 'c' needs at least 1 items, found 0 [E0106]");
}

TEST_CASE("OptionTable leaves ignored keys alone", "[config][unit]") {
  const ReadText read("x-anything: {a: [1]}\ninput: a\n");
  CHECK(read.is_good);
}

TEST_CASE("CustomOption brings its own parser", "[config][unit]") {
  struct Holder {
    std::vector<int> digits = {1};
  };
  OptionTable<Holder> table("holder", "");
  table.Add("digits", &Holder::digits,
            CustomOption<std::vector<int>>{
                .type_text = "digits",
                .read =
                    [](const Node& node, std::vector<int>* value, Diagnostics* diagnostics) {
                      if (!ExpectScalar(node, "digits", diagnostics)) return false;
                      value->clear();
                      for (const char c : node.text()) value->push_back(c - '0');
                      return true;
                    }},
            "Digits.");
  const ParsedText parsed("digits: 123\n");
  Holder holder;
  Diagnostics diagnostics;
  REQUIRE(table.Read(parsed.root(), &holder, &diagnostics));
  CHECK(holder.digits == std::vector<int>{1, 2, 3});
}

}  // namespace weir::config

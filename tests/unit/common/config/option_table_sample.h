// A table with every kind of option, for tests of reading and of rendering.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/config/list_kinds.h"
#include "common/config/option_table.h"

namespace weir::config {

enum class SampleMode { kExactlyOnce, kAtLeastOnce };

struct SampleUnaligned {
  bool enabled = false;
  absl::Duration aligned_timeout = absl::Seconds(30);
};

struct SampleCommon {
  std::string label;
  int32_t parallelism = 1;
};

struct SampleOptions {
  SampleCommon common;
  Located<std::string> input;
  absl::Duration interval = absl::Seconds(30);
  SampleMode mode = SampleMode::kExactlyOnce;
  bool enabled = true;
  uint32_t parallelism = 4;
  double ratio = 0.5;
  int64_t limit_bytes = 1024;
  double rate_per_second = std::numeric_limits<double>::infinity();
  int64_t attempts = 3;
  std::vector<std::string> columns = {"a"};
  std::map<std::string, std::string> labels;
  std::optional<std::string> path;
  const Node* where = nullptr;
  SampleUnaligned unaligned;
};

inline const OptionTable<SampleUnaligned>& SampleUnalignedTable() {
  static const auto table = [] {
    OptionTable<SampleUnaligned> t("unaligned", "Barriers that overtake rows.");
    t.Add("enabled", &SampleUnaligned::enabled, BoolOption{}, "Whether barriers may overtake.");
    t.Add("aligned_timeout", &SampleUnaligned::aligned_timeout, DurationOption{},
          "How long to align first.");
    return t;
  }();
  return table;
}

inline const OptionTable<SampleCommon>& SampleCommonTable() {
  static const auto table = [] {
    OptionTable<SampleCommon> t("step", "What all steps have.");
    t.Add("label", &SampleCommon::label, TextOption{}, "Free text | for people.");
    return t;
  }();
  return table;
}

inline const OptionTable<SampleOptions>& SampleTable() {
  static const auto table = [] {
    using S = SampleOptions;
    OptionTable<S> t("checkpointing", "When and how snapshots are taken.");
    t.Include(&S::common, SampleCommonTable());
    t.Add("input", &S::input, IdOption{}, "The step to read.").Required();
    t.Add("interval", &S::interval, DurationOption{.min = absl::Milliseconds(10)},
          "Time between checkpoints.");
    t.Add("mode", &S::mode,
          EnumOption<SampleMode>({{"exactly_once", SampleMode::kExactlyOnce},
                                  {"at_least_once", SampleMode::kAtLeastOnce}}),
          "What a crash may repeat.");
    t.Add("enabled", &S::enabled, BoolOption{}, "Whether to take any.");
    t.Add("parallelism", &S::parallelism, IntegerOption{.min = 1, .max = 128}, "Subtasks.")
        .Default("one per CPU");
    t.Add("ratio", &S::ratio, DoubleOption{.min = 0, .max = 1}, "A share.");
    t.Add("limit", &S::limit_bytes, ByteSizeOption{.max = 1 << 20}, "Most bytes.");
    t.Add("rate", &S::rate_per_second, RateOption{}, "Most events.");
    t.Add("attempts", &S::attempts, IntegerOption{.min = 0, .words = {{"unlimited", -1}}},
          "Most restarts.");
    t.Add("columns", &S::columns, TextListOption{}, "Names.");
    t.Add("labels", &S::labels, TextMapOption{}, "Marks.");
    t.Add("path", &S::path, TextOption{.type_text = "path"}, "Where.");
    t.Add("where", &S::where,
          NodeOption{.shape = NodeOption::Shape::kScalar, .type_text = "an expression"},
          "Which rows.");
    t.AddBlock("unaligned", &S::unaligned, SampleUnalignedTable(), "Barriers that overtake.");
    t.IgnorePrefix("x-");
    return t;
  }();
  return table;
}

}  // namespace weir::config

// Options of connector `datagen`: rows made by formula, the same for the same options on any
// machine and with any parallelism.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/types/optional.h>

namespace weir::graph {

// Splits of a datagen source, whatever its parallelism; row n belongs to split n mod 16.
inline constexpr uint32_t kDatagenSplitCount = 16;

enum class GeneratorKind : uint8_t {
  kSequence,  // start + row number * step
  kRandom,    // uniform in [min, max], a pure function of (seed, column, row number)
};

struct GeneratorSpec {
  GeneratorKind kind = GeneratorKind::kRandom;
  // kSequence: value = start + row * step. For a timestamp both are microseconds.
  int64_t start = 0;
  int64_t step = 1;
  // kRandom: inclusive bounds of integers, timestamps (microseconds) and dates (days).
  int64_t min = 0;
  int64_t max = 0;
  double min_double = 0;  // for double and decimal columns
  double max_double = 1;
  int64_t length = 8;    // of a random string, in lower-case letters; or
  int64_t distinct = 0;  // > 0: strings "k<0..distinct-1>" instead of letters
};

struct DatagenOptions {
  absl::optional<int64_t> count;  // rows in all; absent: without end
  absl::optional<double> rate;    // rows a second over all subtasks
  int64_t seed = 0;
  std::vector<GeneratorSpec> generators;  // one per schema column
};

}  // namespace weir::graph

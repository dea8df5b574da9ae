#include "common/graph/connectors/datagen.h"

#include <limits>
#include <utility>

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include "common/config/names.h"
#include "common/graph/option_optional.h"
#include "common/types/datetime.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::IntegerOption;
using config::Node;
using config::NodeOption;
using config::OptionTable;
using types::TypeKind;
namespace codes = config::codes;

// Highest random integer when nothing is said.
constexpr int64_t kDefaultIntegerMax = 1'000'000;
constexpr int64_t kStringLengthMax = 65'536;

NodeOption ValueOption(std::string type_text) {
  return {.shape = NodeOption::Shape::kScalar, .type_text = std::move(type_text)};
}

void ReportValue(const Node& node, const types::Field& field, StringView wanted,
                 Diagnostics* diagnostics) {
  diagnostics->Add(ErrorAt(node, codes::kConnectorOption,
                           absl::StrCat("'", node.text(), "' is no ", wanted, " for column '",
                                        field.name, "' of type ", field.type.ToString())));
}

// A value of the column as the generator counts: integers, microseconds, days.
bool ReadValue(const Node& node, const types::Field& field, int64_t* value,
               Diagnostics* diagnostics) {
  absl::optional<int64_t> parsed;
  switch (field.type.kind) {
    case TypeKind::kTimestamp:
      parsed = types::ParseTimestamp(node.text());
      break;
    case TypeKind::kDate:
      parsed = types::ParseDate(node.text());
      break;
    case TypeKind::kInt32: {
      int32_t number = 0;
      if (absl::SimpleAtoi(node.text(), &number)) parsed = number;
      break;
    }
    default: {
      int64_t number = 0;
      if (absl::SimpleAtoi(node.text(), &number)) parsed = number;
      break;
    }
  }
  if (!parsed.has_value()) {
    ReportValue(node, field, "value", diagnostics);
    return false;
  }
  *value = *parsed;
  return true;
}

bool ReadDoubleValue(const Node& node, const types::Field& field, double* value,
                     Diagnostics* diagnostics) {
  const absl::StatusOr<double> parsed = config::ParseDouble(node.text());
  if (!parsed.ok()) {
    ReportValue(node, field, "value", diagnostics);
    return false;
  }
  *value = *parsed;
  return true;
}

// Distance from row to row: a duration for timestamps, a number (of days) otherwise.
bool ReadStep(const Node& node, const types::Field& field, int64_t* step,
              Diagnostics* diagnostics) {
  if (field.type.kind == TypeKind::kTimestamp) {
    const absl::StatusOr<absl::Duration> parsed = config::ParseDuration(node.text());
    if (parsed.ok()) {
      *step = absl::ToInt64Microseconds(*parsed);
      return true;
    }
    ReportValue(node, field, "step (a duration such as 10ms)", diagnostics);
    return false;
  }
  if (absl::SimpleAtoi(node.text(), step)) return true;
  ReportValue(node, field, "step (a whole number)", diagnostics);
  return false;
}

bool IsFractional(const types::Field& field) {
  return field.type.kind == TypeKind::kDouble || field.type.kind == TypeKind::kDecimal;
}

// The bounds of random values when nothing is said.
GeneratorSpec DefaultGenerator(const types::Field& field) {
  GeneratorSpec spec;
  switch (field.type.kind) {
    case TypeKind::kBool:
      spec.max = 1;
      break;
    case TypeKind::kTimestamp:
      spec.max = types::kMicrosPerDay - 1;
      break;
    case TypeKind::kDate:
      spec.max = 364;
      break;
    case TypeKind::kDecimal:
      // Below 1 there is always room, whatever the precision.
      spec.max_double = field.type.scale == 0 ? 9 : 0.9;
      break;
    default:
      spec.max = kDefaultIntegerMax;
      break;
  }
  return spec;
}

// Options that are set though the generator has no use for them.
bool CheckUse(const GeneratorOptions& options, const types::Field& field,
              Diagnostics* diagnostics) {
  const bool is_sequence = *options.kind == GeneratorKind::kSequence;
  const bool is_string = field.type.kind == TypeKind::kString;
  const bool is_bool = field.type.kind == TypeKind::kBool;
  if (is_sequence && is_bool) {
    diagnostics->Add(ErrorAt(*options.kind.node, codes::kConnectorOption,
                             absl::StrCat("column '", field.name, "' of type ",
                                          field.type.ToString(), " can only be random")));
    return false;
  }
  bool is_good = true;
  const auto refuse = [&](const Node* node, bool is_used) {
    if (node == nullptr || is_used) return;
    diagnostics->Add(config::ErrorAtKey(
        *node, codes::kConflictingOptions,
        absl::StrCat("a ", is_sequence ? "sequence" : "random column", " of type ",
                     field.type.ToString(), " has no option '", node->Name(), "'")));
    is_good = false;
  };
  refuse(options.start, is_sequence);
  refuse(options.step, is_sequence);
  refuse(options.min, !is_sequence && !is_string && !is_bool);
  refuse(options.max, !is_sequence && !is_string && !is_bool);
  refuse(options.length.node, is_string && !is_sequence);
  refuse(options.distinct.node, is_string && !is_sequence && !options.length.IsSet());
  return is_good;
}

bool CheckBounds(const Node& place, const GeneratorSpec& spec, const types::Field& field,
                 Diagnostics* diagnostics) {
  if (spec.min > spec.max || spec.min_double > spec.max_double) {
    diagnostics->Add(
        ErrorAt(place, codes::kConnectorOption,
                absl::StrCat("`min` of column '", field.name, "' is above its `max`")));
    return false;
  }
  if (field.type.kind != TypeKind::kDecimal) return true;
  const types::Int128 limit = types::PowerOfTen(field.type.precision - field.type.scale);
  if (spec.max_double < static_cast<double>(limit) &&
      spec.min_double > -static_cast<double>(limit)) {
    return true;
  }
  diagnostics->Add(ErrorAt(
      place, codes::kConnectorOption,
      absl::StrCat("the bounds of column '", field.name, "' do not fit ", field.type.ToString())));
  return false;
}

// Whether the last of `count` rows is still a value of the column.
bool CheckSequenceEnd(const Node& place, const GeneratorSpec& spec, const types::Field& field,
                      const absl::optional<int64_t>& count, Diagnostics* diagnostics) {
  if (!count.has_value() || *count == 0) return true;
  const types::Int128 last = types::Int128{spec.start} + types::Int128{spec.step} * (*count - 1);
  types::Int128 min = std::numeric_limits<int64_t>::min();
  types::Int128 max = std::numeric_limits<int64_t>::max();
  if (field.type.kind == TypeKind::kInt32) {
    min = std::numeric_limits<int32_t>::min();
    max = std::numeric_limits<int32_t>::max();
  } else if (field.type.kind == TypeKind::kTimestamp) {
    min = types::kTimestampMin;
    max = types::kTimestampMax;
  } else if (field.type.kind == TypeKind::kDate) {
    min = types::kDateMin;
    max = types::kDateMax;
  } else if (field.type.kind == TypeKind::kDecimal) {
    max = types::PowerOfTen(field.type.precision - field.type.scale) - 1;
    min = -max;
  }
  if (last >= min && last <= max) return true;
  diagnostics->Add(
      ErrorAt(place, codes::kConnectorOption,
              absl::StrCat("after ", *count, " rows the sequence of column '", field.name,
                           "' is no value of type ", field.type.ToString())));
  return false;
}

bool ReadNumbers(const GeneratorOptions& options, const types::Field& field, GeneratorSpec* spec,
                 Diagnostics* diagnostics) {
  bool is_good = true;
  if (options.start != nullptr) {
    is_good &= ReadValue(*options.start, field, &spec->start, diagnostics);
  }
  if (options.step != nullptr) is_good &= ReadStep(*options.step, field, &spec->step, diagnostics);
  const auto read_bound = [&](const Node* node, int64_t* integer, double* fraction) {
    if (node == nullptr) return;
    is_good &= IsFractional(field) ? ReadDoubleValue(*node, field, fraction, diagnostics)
                                   : ReadValue(*node, field, integer, diagnostics);
  };
  read_bound(options.min, &spec->min, &spec->min_double);
  read_bound(options.max, &spec->max, &spec->max_double);
  return is_good;
}

bool BindGenerator(const Node& node, const types::Field& field,
                   const absl::optional<int64_t>& count, GeneratorSpec* spec,
                   Diagnostics* diagnostics) {
  GeneratorOptions options;
  if (!GeneratorTable().Read(node, &options, diagnostics)) return false;
  if (!CheckUse(options, field, diagnostics)) return false;
  spec->kind = *options.kind;
  if (options.length.IsSet()) spec->length = *options.length;
  if (options.distinct.IsSet()) spec->distinct = *options.distinct;
  if (!ReadNumbers(options, field, spec, diagnostics)) return false;
  return spec->kind == GeneratorKind::kRandom
             ? CheckBounds(node, *spec, field, diagnostics)
             : CheckSequenceEnd(node, *spec, field, count, diagnostics);
}

}  // namespace

const OptionTable<DatagenBlock>& DatagenTable() {
  static const OptionTable<DatagenBlock> table = [] {
    using O = DatagenBlock;
    OptionTable<O> t("options of connector 'datagen'",
                     "Source: rows made by formula, the same on every machine and with any "
                     "parallelism.");
    t.Add("count", &O::count, OptionalOption{IntegerOption{.min = 0}}, "Rows in all.")
        .Default("without end");
    t.Add("rate", &O::rate, OptionalOption{config::RateOption{}},
          "Rows a second over all subtasks, such as 2000/s.")
        .Default("as fast as possible");
    t.Add("seed", &O::seed, IntegerOption{}, "Other seeds give other random values.");
    t.Add("fields", &O::fields,
          NodeOption{.shape = NodeOption::Shape::kMap,
                     .type_text = "a map of columns to generators"},
          "How the values of columns are made; those of others are random.")
        .Default("all random");
    return t;
  }();
  return table;
}

const OptionTable<GeneratorOptions>& GeneratorTable() {
  static const OptionTable<GeneratorOptions> table = [] {
    using O = GeneratorOptions;
    OptionTable<O> t("generator", "An entry of datagen's `fields`.");
    t.Add("kind", &O::kind,
          config::EnumOption<GeneratorKind>(
              {{"random", GeneratorKind::kRandom}, {"sequence", GeneratorKind::kSequence}}),
          "sequence: start + row number * step (for strings, as text); not for booleans.");
    t.Add("start", &O::start, ValueOption("a value of the column"), "sequence: the first value.")
        .Default("0 (1970-01-01)");
    t.Add("step", &O::step, ValueOption("an integer; timestamps: a duration"),
          "sequence: from row to row; for dates, in days.")
        .Default("1 (timestamps: one microsecond)");
    t.Add("min", &O::min, ValueOption("a value of the column"), "random: the lowest value.")
        .Default("0 (1970-01-01)");
    t.Add("max", &O::max, ValueOption("a value of the column"), "random: the highest value.")
        .Default(
            "integers: 1000000; double: 1; decimal: 0.9 (9 without scale); a day of "
            "timestamps, a year of dates");
    t.Add("length", &O::length, IntegerOption{.min = 0, .max = kStringLengthMax},
          "random strings: lower-case letters.")
        .Default("8");
    t.Add("distinct", &O::distinct, IntegerOption{.min = 1},
          "random strings, instead of letters: k0, k1, ... up to so many.")
        .Default("none");
    return t;
  }();
  return table;
}

absl::optional<DatagenOptions> BindDatagen(const DatagenBlock& block, const types::Schema& schema,
                                           Diagnostics* diagnostics) {
  DatagenOptions options;
  options.count = block.count;
  options.rate = block.rate;
  options.seed = block.seed;
  std::vector<std::string> names;
  for (const types::Field& field : schema.fields()) {
    options.generators.push_back(DefaultGenerator(field));
    names.push_back(field.name);
  }
  if (block.fields == nullptr) return options;
  bool is_good = true;
  for (const config::MapEntry& entry : block.fields->entries()) {
    const absl::optional<size_t> column = schema.Find(entry.key->text());
    if (!column.has_value()) {
      diagnostics->Add(ErrorAt(*entry.key, codes::kUnknownColumn,
                               absl::StrCat("the schema has no column '", entry.key->text(), "'"))
                           .Suggest(config::DidYouMean(entry.key->text(), names)));
      is_good = false;
      continue;
    }
    is_good &= BindGenerator(*entry.value, schema.field(*column), block.count,
                             &options.generators[*column], diagnostics);
  }
  if (!is_good) return absl::nullopt;
  return options;
}

std::string DatagenSignature(const DatagenOptions& options) {
  return absl::StrCat(
      "source datagen count=", options.count.has_value() ? absl::StrCat(*options.count) : "none",
      " seed=", options.seed);
}

}  // namespace weir::graph

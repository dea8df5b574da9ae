// Descriptor: a job file read by its option tables: structure and single values are checked,
// references and expressions are not yet.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/config/document.h"
#include "common/config/interpolation.h"
#include "common/graph/row_type.h"
#include "common/graph/settings_options.h"
#include "common/graph/sink_step.h"
#include "common/graph/source_step.h"
#include "common/graph/steps/aggregate.h"
#include "common/graph/steps/filter.h"
#include "common/graph/steps/select.h"
#include "common/graph/steps/union_step.h"
#include "common/graph/steps/unnest.h"

namespace weir::graph {

// The descriptor version that `weir:` names.
inline constexpr int64_t kDescriptorVersion = 1;
// Most sources, transforms and sinks together.
inline constexpr size_t kStepCountMax = 1000;

// The keys at the top of the file.
struct TopOptions {
  config::Located<int64_t> version = kDescriptorVersion;
  std::string name;
  std::string description;
  std::map<std::string, std::string> labels;
  const config::Node* settings = nullptr;
  const config::Node* types = nullptr;
  const config::Node* sources = nullptr;
  const config::Node* transforms = nullptr;
  const config::Node* sinks = nullptr;
};

const config::OptionTable<TopOptions>& TopTable();

using TransformOptions =
    std::variant<FilterOptions, SelectOptions, UnnestOptions, UnionOptions, AggregateOptions>;
using StepOptions = std::variant<SourceOptions, TransformOptions, SinkOptions>;

// One source, transform or sink as written.
struct DescriptorStep {
  std::string id;
  const config::Node* key = nullptr;
  StepOptions options;
  StepInputs inputs;  // as far as they could be read
  // False: an option was wrong or missing, so that the step cannot be bound. A key too many does
  // not count.
  bool is_complete = false;

  bool IsSource() const { return std::holds_alternative<SourceOptions>(options); }
  bool IsSink() const { return std::holds_alternative<SinkOptions>(options); }
  const StepCommon& common() const;
};

// Life:      `document` owns the nodes that all else points to.
// Thread:    immutable once read.
struct Descriptor {
  std::shared_ptr<const config::Document> document;
  TopOptions top;
  SettingsOptions settings;
  std::vector<RowType> types;
  std::vector<DescriptorStep> steps;  // sources, transforms, sinks, each in file order
};

// A type of transform and its table, for the reference and for messages.
struct TransformType {
  const char* name;
  const config::OptionBlock* table;
};
const std::vector<TransformType>& TransformTypes();

// Parses, fills in variables and reads. Null: the text is no YAML, holds no map or has more than
// kStepCountMax steps. Check `diagnostics` for errors in any case.
std::unique_ptr<Descriptor> ReadDescriptor(const config::SourcePtr& source,
                                           const config::VariableLookup& variables,
                                           config::Diagnostics* diagnostics);

}  // namespace weir::graph

#include "common/graph/descriptor.h"

#include <algorithm>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "common/config/list_kinds.h"
#include "common/config/names.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
using config::OptionTable;
namespace codes = config::codes;

// Step types that the language has and this version does not.
bool IsKnownElsewhere(StringView type) {
  for (const char* known :
       {"split", "dedup", "top_n", "join", "over", "set_event_time", "process"}) {
    if (type == known) return true;
  }
  return false;
}

// The inputs of a step whose own table could not be used.
StepInputs ReadInputsLoosely(const Node& node) {
  StepInputs inputs;
  for (const char* key : {"input", "inputs"}) {
    const Node* const value = node.Find(key);
    if (value == nullptr) continue;
    const auto add = [&inputs](const Node& item) {
      config::Located<std::string> input(item.text());
      input.node = &item;
      inputs.push_back(std::move(input));
    };
    if (value->IsScalar() && !value->IsNull()) add(*value);
    for (const Node* item : value->items()) {
      if (item->IsScalar()) add(*item);
    }
  }
  return inputs;
}

// Reads one transform by its own table.
template <class Options>
bool ReadAs(const OptionTable<Options>& table, StepInputs Options::*inputs, const Node& node,
            DescriptorStep* step, Diagnostics* diagnostics) {
  Options options;
  const bool is_good = table.Read(node, &options, diagnostics);
  step->inputs = options.*inputs;
  step->options = TransformOptions(std::move(options));
  return is_good;
}

bool ReadByType(StringView type, const Node& node, DescriptorStep* step, Diagnostics* diagnostics) {
  if (type == "filter") {
    return ReadAs(FilterTable(), &FilterOptions::input, node, step, diagnostics);
  }
  if (type == "select") {
    return ReadAs(SelectTable(), &SelectOptions::input, node, step, diagnostics);
  }
  if (type == "unnest") {
    return ReadAs(UnnestTable(), &UnnestOptions::input, node, step, diagnostics);
  }
  if (type == "union") return ReadAs(UnionTable(), &UnionOptions::inputs, node, step, diagnostics);
  return ReadAs(AggregateTable(), &AggregateOptions::input, node, step, diagnostics);
}

void ReportType(const Node& node, Diagnostics* diagnostics) {
  std::vector<std::string> names;
  for (const TransformType& type : TransformTypes()) names.emplace_back(type.name);
  const std::string known = absl::StrCat("step types: ", config::JoinNames(names, names.size()));
  if (IsKnownElsewhere(node.text())) {
    diagnostics->Add(
        ErrorAt(node, codes::kNotAvailable,
                absl::StrCat("steps of type '", node.text(), "' are not available in this version"))
            .Help(known));
    return;
  }
  diagnostics->Add(
      ErrorAt(node, codes::kUnknownStepType, absl::StrCat("no step type '", node.text(), "'"))
          .Suggest(config::DidYouMean(node.text(), names))
          .Help(known));
}

bool IsTransformType(StringView name) {
  for (const TransformType& type : TransformTypes()) {
    if (name == type.name) return true;
  }
  return false;
}

bool ReadTransform(const Node& node, DescriptorStep* step, Diagnostics* diagnostics) {
  step->options = TransformOptions();
  step->inputs = ReadInputsLoosely(node);
  if (!config::ExpectMap(node, "a map of step options", diagnostics)) return false;
  const Node* const type = node.Find("type");
  if (type == nullptr) {
    diagnostics->Add(config::ErrorAtKey(node, codes::kMissingKey, "missing key 'type' in transform")
                         .Help("type: filter, select, unnest, union or aggregate"));
    return false;
  }
  if (!config::ExpectScalar(*type, "a step type", diagnostics)) return false;
  if (!IsTransformType(type->text())) {
    ReportType(*type, diagnostics);
    return false;
  }
  return ReadByType(type->text(), node, step, diagnostics);
}

bool ReadSource(const Node& node, DescriptorStep* step, Diagnostics* diagnostics) {
  return SourceTable().Read(node, &step->options.emplace<SourceOptions>(), diagnostics);
}

bool ReadSink(const Node& node, DescriptorStep* step, Diagnostics* diagnostics) {
  SinkOptions& options = step->options.emplace<SinkOptions>();
  const bool is_good = SinkTable().Read(node, &options, diagnostics);
  step->inputs = options.inputs.empty() ? ReadInputsLoosely(node) : options.inputs;
  return is_good;
}

// Whether all that is wrong is that there are keys too many.
bool HasOnlyKeyErrors(const std::vector<config::Diagnostic>& found) {
  return std::all_of(found.begin(), found.end(), [](const config::Diagnostic& diagnostic) {
    const StringView code = diagnostic.code.id;
    return diagnostic.severity != config::Severity::kError || code == codes::kUnknownKey.id ||
           code == codes::kDuplicateKey.id;
  });
}

using StepReader = bool (*)(const Node& node, DescriptorStep* step, Diagnostics* diagnostics);

void ReadSteps(const Node* block, StringView what, StepReader reader,
               std::vector<DescriptorStep>* steps, Diagnostics* diagnostics) {
  if (block == nullptr) return;
  if (!config::ExpectMap(*block, absl::StrCat("a map of ", what, " ids to their options"),
                         diagnostics)) {
    return;
  }
  for (const config::MapEntry& entry : block->entries()) {
    DescriptorStep step;
    step.id = entry.key->text();
    step.key = entry.key;
    const bool is_id = config::ExpectId(*entry.key, diagnostics);
    Diagnostics own;
    const bool is_good = reader(*entry.value, &step, &own);
    const std::vector<config::Diagnostic> found = own.Sorted();
    step.is_complete = is_id && (is_good || HasOnlyKeyErrors(found));
    for (const config::Diagnostic& diagnostic : found) diagnostics->Add(diagnostic);
    steps->push_back(std::move(step));
  }
}

// Reports the first step that is one too many. Those in front of it alone would seem to lack inputs
// and sinks, so that nothing more can be said then.
bool HasFewEnoughSteps(const TopOptions& top, Diagnostics* diagnostics) {
  size_t count = 0;
  for (const Node* const block : {top.sources, top.transforms, top.sinks}) {
    if (block == nullptr || !block->IsMap()) continue;
    const size_t before = count;
    count += block->entries().size();
    if (count <= kStepCountMax) continue;
    diagnostics->Add(ErrorAt(*block->entries()[kStepCountMax - before].key, codes::kLimitExceeded,
                             absl::StrCat("a job has at most ", kStepCountMax, " steps"))
                         .Help("divide it into several jobs; one `select` step computes many "
                               "columns at once"));
    return false;
  }
  return true;
}

void CheckVersion(const config::Located<int64_t>& version, Diagnostics* diagnostics) {
  if (!version.IsSet() || *version == kDescriptorVersion) return;
  diagnostics->Add(ErrorAt(*version.node, codes::kUnsupportedVersion,
                           absl::StrCat("descriptor version ", *version, " is not supported"))
                       .Help(absl::StrCat("this Weir reads version ", kDescriptorVersion)));
}

}  // namespace

const StepCommon& DescriptorStep::common() const {
  if (const auto* source = std::get_if<SourceOptions>(&options)) return source->common;
  if (const auto* sink = std::get_if<SinkOptions>(&options)) return sink->common;
  return std::visit(
      [](const auto& transform) -> const StepCommon& { return transform.common.step; },
      std::get<TransformOptions>(options));
}

const std::vector<TransformType>& TransformTypes() {
  static const std::vector<TransformType> types = {{"filter", &FilterTable()},
                                                   {"select", &SelectTable()},
                                                   {"unnest", &UnnestTable()},
                                                   {"union", &UnionTable()},
                                                   {"aggregate", &AggregateTable()}};
  return types;
}

const OptionTable<TopOptions>& TopTable() {
  static const OptionTable<TopOptions> table = [] {
    using O = TopOptions;
    using Shape = config::NodeOption::Shape;
    OptionTable<O> t("the descriptor", "The keys at the top of the file.");
    t.IgnorePrefix("x-");
    t.Add("weir", &O::version, config::IntegerOption{}, "Version of the descriptor language: 1.")
        .Required();
    t.Add("name", &O::name, config::IdOption{}, "The job's name.").Required();
    t.Add("description", &O::description, config::TextOption{.may_be_empty = true}, "For people.");
    t.Add("labels", &O::labels, config::TextMapOption{}, "For people and tools.").Default("none");
    t.Add("settings", &O::settings, LaterOption("a block"), "How the job runs.");
    t.Add("types", &O::types, LaterOption("a map of schema names to columns"),
          "Named row schemas.");
    t.Add("sources", &O::sources,
          config::NodeOption{.shape = Shape::kMap, .type_text = "a map of ids to sources"},
          "Where rows come from.")
        .Required();
    t.Add("transforms", &O::transforms, LaterOption("a map of ids to transforms"),
          "What happens to them.");
    t.Add("sinks", &O::sinks,
          config::NodeOption{.shape = Shape::kMap, .type_text = "a map of ids to sinks"},
          "Where they go.")
        .Required();
    return t;
  }();
  return table;
}

std::unique_ptr<Descriptor> ReadDescriptor(const config::SourcePtr& source,
                                           const config::VariableLookup& variables,
                                           Diagnostics* diagnostics) {
  std::unique_ptr<config::Document> document = config::ParseYaml(source, diagnostics);
  if (document == nullptr) return nullptr;
  config::Interpolate(variables, document.get(), diagnostics);
  auto descriptor = std::make_unique<Descriptor>();
  const Node& root = document->root();
  descriptor->document = std::move(document);
  if (root.IsNull()) {
    const bool is_empty = absl::StripAsciiWhitespace(source->text()).empty();
    diagnostics->Add(ErrorAt(root, codes::kWrongStructure,
                             is_empty ? "the file is empty" : "the file says nothing")
                         .Suggest("a job descriptor needs at least `weir: 1`, `name`, `sources` "
                                  "and `sinks`"));
    return nullptr;
  }
  if (!config::ExpectMap(root, "a job descriptor: a map that begins with `weir: 1`", diagnostics)) {
    return nullptr;
  }
  TopOptions& top = descriptor->top;
  TopTable().Read(root, &top, diagnostics);
  CheckVersion(top.version, diagnostics);
  if (top.settings != nullptr) {
    SettingsTable().Read(*top.settings, &descriptor->settings, diagnostics);
  }
  if (top.types != nullptr) descriptor->types = ReadTypes(*top.types, diagnostics);
  if (!HasFewEnoughSteps(top, diagnostics)) return nullptr;
  ReadSteps(top.sources, "source", ReadSource, &descriptor->steps, diagnostics);
  ReadSteps(top.transforms, "transform", ReadTransform, &descriptor->steps, diagnostics);
  ReadSteps(top.sinks, "sink", ReadSink, &descriptor->steps, diagnostics);
  return descriptor;
}

}  // namespace weir::graph

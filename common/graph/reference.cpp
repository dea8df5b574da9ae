#include "common/graph/reference.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include "common/config/option_text.h"
#include "common/expr/function_table.h"
#include "common/graph/connectors/catalog.h"
#include "common/graph/descriptor.h"
#include "common/graph/format_options.h"
#include "common/graph/reference_text.h"

namespace weir::graph {
namespace {

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
  for (const TitledBlock& titled : ConnectorBlocks()) {
    AppendTable(absl::StrCat("### ", titled.title), *titled.block, out);
  }
}

void AppendFormats(std::string* out) {
  absl::StrAppend(out, "## Formats\n\n`format: csv`, or a block with a `type` and more.\n\n");
  AppendTable("### `text`", TextFormatTable(), out);
  AppendTable("### `csv`", CsvFormatTable(), out);
  AppendTable("### `json`", JsonFormatTable(), out);
  // The tables end in an empty line.
  out->pop_back();
  absl::StrAppend(out, kReferenceValues);
  out->pop_back();
}

void AppendFunctions(std::string* out) {
  absl::StrAppend(out, "| Function | Gives |\n|---|---|\n");
  for (const expr::FunctionInfo& function : expr::ListFunctions()) {
    const std::string signatures =
        absl::StrReplaceAll(function.signatures, {{"|", "\\|"}, {"\n", "`<br>`"}});
    absl::StrAppend(out, "| `", signatures, "` | ", function.description,
                    StringView(function.group) == "aggregate" ? " (only in `aggregates`)" : "",
                    " |\n");
  }
}

}  // namespace

std::string RenderReference() {
  std::string out = kReferenceIntroduction;
  AppendTable("## Top level", TopTable(), &out);
  AppendTable("## `settings`", SettingsTable(), &out);
  absl::StrAppend(&out, "## `types`\n", kReferenceTypes, config::RenderMarkdown(ColumnTable()),
                  "\n");
  AppendTable("## Sources", SourceTable(), &out);
  AppendTransforms(&out);
  AppendTable("## Sinks", SinkTable(), &out);
  AppendConnectors(&out);
  AppendFormats(&out);
  absl::StrAppend(&out, kReferenceChangelogs, kReferenceChanges, kReferenceExpressions);
  AppendFunctions(&out);
  absl::StrAppend(&out, kReferencePatterns);
  return out;
}

}  // namespace weir::graph

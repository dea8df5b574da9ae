// Any bytes whatever as a descriptor: the parser and the interpolation end with a tree or with
// diagnostics, and every place they name lies inside the text.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/check.h"
#include "common/config/diagnostic.h"
#include "common/config/document.h"
#include "common/config/interpolation.h"
#include "common/config/source_text.h"

namespace weir::config {
namespace {

absl::optional<std::string> LookUp(StringView name) {
  if (name == "SET") return std::string("a: [1, ${NAME}]\n");
  if (name == "EMPTY") return std::string();
  return absl::nullopt;
}

void ParseAnything(std::string text) {
  const SourcePtr source = MakeSource("fuzz.yaml", std::move(text));
  Diagnostics diagnostics;
  const std::unique_ptr<Document> document = ParseYaml(source, &diagnostics);
  WEIR_CHECK(document != nullptr || diagnostics.HasErrors());
  if (document != nullptr) {
    WEIR_CHECK(document->node_count() <= kNodeCountMax + kAliasNodesMax);
    Interpolate(LookUp, document.get(), &diagnostics);
  }
  for (const Diagnostic& diagnostic : diagnostics.Sorted()) {
    if (!diagnostic.range.IsKnown()) continue;
    WEIR_CHECK(diagnostic.range.begin <= diagnostic.range.end);
    WEIR_CHECK(diagnostic.range.end <= source->text().size());
  }
}

}  // namespace
}  // namespace weir::config

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::config::ParseAnything(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

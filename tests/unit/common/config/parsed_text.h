// A parsed text for tests, with what was said about it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/config/diagnostic.h"
#include "common/config/diagnostic_text.h"
#include "common/config/document.h"

namespace weir::config {

struct ParsedText {
  std::unique_ptr<Document> document;
  Diagnostics diagnostics;

  explicit ParsedText(std::string text, std::string name = "job.yaml") {
    document = ParseYaml(MakeSource(std::move(name), std::move(text)), &diagnostics);
  }

  const Node& root() const { return document->root(); }
  std::string Report() const { return RenderText(diagnostics, Colour::kOff); }
};

}  // namespace weir::config

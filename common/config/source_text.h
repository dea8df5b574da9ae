// SourceText: one text that a user wrote, with its name, and where its lines are.
// Offsets are bytes; lines and columns count from 1, columns count code points.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/string_view.h"

namespace weir::config {

// Whether the user wrote the text with its lines, in a file, or only a value of which the program
// made it: then its places mean nothing to the user and are not shown.
enum class TextForm : uint8_t { kLines, kOneValue };

struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;

  auto operator<=>(const LineColumn&) const = default;
};

// Life:      shared by the document made from it and by every diagnostic about it.
// Thread:    immutable after construction.
// Invariant: line_begins_ is never empty and ascends.
class SourceText {
 public:
  SourceText(std::string name, std::string text, TextForm form = TextForm::kLines);

  const std::string& name() const { return name_; }
  bool HasShownLines() const { return form_ == TextForm::kLines; }
  StringView text() const { return text_; }

  // An offset past the end counts as the end.
  LineColumn At(size_t offset) const;
  uint32_t LineCount() const { return static_cast<uint32_t>(line_begins_.size()); }
  // REQUIRES for both: 1 <= line <= LineCount().
  size_t LineBegin(uint32_t line) const;
  // The line without its line break.
  StringView Line(uint32_t line) const;

 private:
  const std::string name_;
  const std::string text_;
  const TextForm form_;
  std::vector<size_t> line_begins_;
};

// Shared because diagnostics outlive the document they are about.
using SourcePtr = std::shared_ptr<const SourceText>;

SourcePtr MakeSource(std::string name, std::string text, TextForm form = TextForm::kLines);

// Bytes [begin, end) of a source. Without a source the place is not known.
struct SourceRange {
  SourcePtr source;
  size_t begin = 0;
  size_t end = 0;

  bool IsKnown() const { return source != nullptr; }
  LineColumn Begin() const;
  LineColumn End() const;
  // "job.yaml:39:3", for text that refers to another place; the name alone where lines are not
  // shown; "unknown place" without a source.
  std::string ToString() const;
};

}  // namespace weir::config

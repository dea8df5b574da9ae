#include "common/config/source_text.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::config {

namespace {

// Whether `byte` starts a code point. The text is UTF-8, or the error about it says so.
bool StartsCodePoint(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

}  // namespace

SourceText::SourceText(std::string name, std::string text, TextForm form)
    : name_(std::move(name)), text_(std::move(text)), form_(form), line_begins_{0} {
  for (size_t i = 0; i < text_.size(); ++i) {
    const bool is_break =
        text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    if (is_break) line_begins_.push_back(i + 1);
  }
}

LineColumn SourceText::At(size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const auto index = static_cast<size_t>(next - line_begins_.begin()) - 1;
  const StringView before = text().substr(line_begins_[index], offset - line_begins_[index]);
  const auto columns = std::count_if(before.begin(), before.end(), StartsCodePoint);
  return {.line = static_cast<uint32_t>(index + 1), .column = static_cast<uint32_t>(columns + 1)};
}

size_t SourceText::LineBegin(uint32_t line) const {
  WEIR_CHECK(line >= 1);
  WEIR_CHECK(line <= LineCount());
  return line_begins_[line - 1];
}

StringView SourceText::Line(uint32_t line) const {
  const size_t begin = LineBegin(line);
  size_t end = line < LineCount() ? line_begins_[line] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return text().substr(begin, end - begin);
}

SourcePtr MakeSource(std::string name, std::string text, TextForm form) {
  return std::make_shared<const SourceText>(std::move(name), std::move(text), form);
}

LineColumn SourceRange::Begin() const {
  return IsKnown() ? source->At(begin) : LineColumn{0, 0};
}

LineColumn SourceRange::End() const {
  return IsKnown() ? source->At(end) : LineColumn{0, 0};
}

std::string SourceRange::ToString() const {
  if (!IsKnown()) return "unknown place";
  if (!source->HasShownLines()) return source->name();
  const LineColumn at = Begin();
  return absl::StrCat(source->name(), ":", at.line, ":", at.column);
}

}  // namespace weir::config

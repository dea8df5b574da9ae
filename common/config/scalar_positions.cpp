#include "common/config/scalar_positions.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/config/document.h"
#include "common/config/scalar_scan.h"

namespace weir::config {

ScalarPositions::ScalarPositions(const Node& scalar) : scalar_(scalar) {
  WEIR_CHECK(scalar.IsScalar());
  WrittenScalar written;
  written.style = scalar.style_;
  written.begin = scalar.begin_;
  written.end = scalar.end_;
  written.block_indent = scalar.block_indent_;
  const std::string& value = scalar.substitutions_.empty() ? scalar.text_ : scalar.written_text_;
  offsets_ = ScalarOffsets(scalar.document().source()->text(), written, value);
}

size_t ScalarPositions::WrittenOffset(size_t offset, bool is_end) const {
  // What substitutions in front of the offset added and took away.
  size_t shifted = offset;
  for (const Substitution& part : scalar_.substitutions_) {
    const bool is_inside = is_end ? offset > part.begin && offset <= part.end
                                  : offset >= part.begin && offset < part.end;
    if (is_inside) return is_end ? part.written_end : part.written_begin;
    if (offset < part.end) break;
    shifted = part.written_end + (offset - part.end);
  }
  return shifted;
}

size_t ScalarPositions::FileOffset(size_t offset) const {
  return offsets_[std::min(WrittenOffset(offset, /*is_end=*/false), offsets_.size() - 1)];
}

SourceRange ScalarPositions::Range(size_t begin, size_t end) const {
  const SourcePtr& source = scalar_.document().source();
  const size_t from = FileOffset(begin);
  if (scalar_.style_ == ScalarStyle::kFolded) {
    const StringView text = source->text();
    const size_t line_end = std::min(text.find_first_of("\r\n", from), text.size());
    return {source, from, line_end};
  }
  if (end <= begin) return {source, from, from};
  // The end of the last byte: an escape or a line break is longer than what it stands for.
  const size_t last = std::min(WrittenOffset(end, /*is_end=*/true), offsets_.size() - 1);
  return {source, from, std::max(from, offsets_[last])};
}

}  // namespace weir::config

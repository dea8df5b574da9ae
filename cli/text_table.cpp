#include "cli/text_table.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace weir::cli {
namespace {

constexpr size_t kGap = 2;

// Code points of UTF-8: every byte but those that continue one.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> head) {
  rows_.push_back(std::move(head));
}

void TextTable::Add(std::vector<std::string> row) {
  WEIR_CHECK(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::Render() const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - WidthOf(row[i]) + kGap, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace weir::cli

// TextTable: rows of texts in aligned columns; nothing is cut.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// Life: filled row by row. Thread: confined to one thread.
// Invariant: every row has as many cells as the head.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head);
  void Add(std::vector<std::string> row);
  // The head and every row, each ending in a line break.
  std::string Render() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::cli

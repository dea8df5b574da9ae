// ScalarPositions: from an offset in a scalar's text back to the byte in the file, through quotes,
// escapes, folded lines, block indentation and interpolation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/config/node.h"

namespace weir::config {

// Life:      made where an error is reported; the node must outlive it.
// Thread:    immutable after construction.
// Invariant: offsets_ ascends and has one entry per byte of the written text and one for its end.
class ScalarPositions {
 public:
  // REQUIRES: scalar.IsScalar().
  explicit ScalarPositions(const Node& scalar);

  // The byte that text()[offset] comes from; offset == text().size() gives the end of the text.
  size_t FileOffset(size_t offset) const;
  // The bytes that text [begin, end) comes from. For `>` blocks this is the whole line of `begin`,
  // without its indentation; for substituted text it is the whole `${...}`.
  SourceRange Range(size_t begin, size_t end) const;

 private:
  size_t WrittenOffset(size_t offset, bool is_end) const;

  const Node& scalar_;
  std::vector<size_t> offsets_;
};

}  // namespace weir::config

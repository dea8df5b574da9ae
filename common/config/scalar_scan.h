// Scanning of written scalars. yaml-cpp tells where a scalar starts and what its text is; where it
// ends, and which byte each part of the text comes from, is found here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/string_view.h"
#include "common/config/node.h"

namespace weir::config {

struct WrittenScalar {
  ScalarStyle style = ScalarStyle::kPlain;
  // With quotes, or from the `|` or `>` on.
  size_t begin = 0;
  size_t end = 0;
  // Of a block's text: the column, from 0.
  uint32_t block_indent = 0;
  // False for a quoted scalar without its second quote, which yaml-cpp accepts.
  bool is_closed = true;
};

// Skips anchors, tags, white space, line breaks and comments in front of a node's content.
size_t SkipProperties(StringView text, size_t at);

// The scalar with content `value` that starts at `begin`. `parent_indent` is the column of the
// block map or list around it, 0 without one.
WrittenScalar ScanScalar(StringView text, size_t begin, StringView value, uint32_t parent_indent);

// The offset in `text` of every byte of `value`, and one past the last. Where the writing is not
// understood, which a test excludes for all documented styles, the scalar's begin.
std::vector<size_t> ScalarOffsets(StringView text, const WrittenScalar& written, StringView value);

}  // namespace weir::config

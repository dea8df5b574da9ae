// JsonTokenIndex: where the tokens of a block of JSON text begin.
// This is simdjson's first stage used by itself: it also proves that the block is UTF-8, that its
// strings are closed and that no control character, and so no line end, is inside one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/string_view.h"

namespace weir::types {

// Thread: confined to one thread; keeps its memory.
class JsonTokenIndex {
 public:
  JsonTokenIndex();
  ~JsonTokenIndex();
  JsonTokenIndex(const JsonTokenIndex&) = delete;
  JsonTokenIndex& operator=(const JsonTokenIndex&) = delete;

  // Finds the tokens of `block`. False: some of it is not as above. Brackets, colons and commas are
  // tokens, and so is the start of every string, number or name.
  // REQUIRES: kDecodePadding bytes behind the block can be read.
  bool Build(StringView block);

  // Ascending offsets in the block; size() of them, then the block's size.
  const uint32_t* offsets() const { return offsets_; }
  size_t size() const { return size_; }

 private:
  struct Parser;
  const std::unique_ptr<Parser> parser_;
  const uint32_t* offsets_ = nullptr;
  size_t size_ = 0;
};

}  // namespace weir::types

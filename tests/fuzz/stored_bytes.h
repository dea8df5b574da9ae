// Numbers within stored bytes: what the fuzz targets of checksummed formats need to give a changed
// input the checksum it asks for. Without that hardly one input in 2^64 would come past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/base/check.h"
#include "common/base/string_view.h"

namespace weir::fuzz {

template <class T>
T NumberAt(StringView bytes, size_t at) {
  WEIR_CHECK(at <= bytes.size() && bytes.size() - at >= sizeof(T));
  T number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

template <class T>
void SetNumberAt(size_t at, T number, std::string* bytes) {
  WEIR_CHECK(at <= bytes->size() && bytes->size() - at >= sizeof(T));
  std::memcpy(bytes->data() + at, &number, sizeof(number));
}

}  // namespace weir::fuzz

// Any bytes whatever as a block of rows, as they are and with a true size and checksum: a batch
// that is read is written and read again the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/io/hash.h"
#include "common/types/block_codec.h"
#include "tests/fuzz/stored_bytes.h"
#include "tests/unit/common/types/sample_block.h"

namespace weir::types {
namespace {

// docs/formats/blocks.md
constexpr size_t kHeaderBytes = 32;
constexpr size_t kSizeAt = 24;

// In an allocation of its own, so that a sanitizer sees what is read behind it.
Buffer BufferOf(const std::string& bytes) {
  return Buffer::Of(std::vector<char>(bytes.begin(), bytes.end()));
}

void Decode(const std::string& bytes) {
  static const SchemaPtr schema = SampleBlockSchema();
  const auto read = DecodeBlock(BufferOf(bytes), schema);
  if (!read.ok()) return;
  const std::string written = EncodeBlock(**read);
  const auto again = DecodeBlock(BufferOf(written), schema);
  WEIR_CHECK(again.ok());
  WEIR_CHECK((*again)->size() == (*read)->size());
  WEIR_CHECK(EncodeBlock(**again) == written);

  PodVector<uint32_t> odd;
  for (uint32_t row = 1; row < (*read)->size(); row += 2) odd.push_back(row);
  const std::string selected = EncodeBlock(*RecordBatch::Select(**read, std::move(odd)));
  WEIR_CHECK(DecodeBlock(BufferOf(selected), schema).ok());
}

void DecodeAnything(std::string bytes) {
  Decode(bytes);
  if (bytes.size() < kHeaderBytes) return;
  fuzz::SetNumberAt(kSizeAt, uint64_t{bytes.size()}, &bytes);
  fuzz::SetNumberAt(0, io::Xxh3(StringView(bytes).substr(sizeof(uint64_t))), &bytes);
  Decode(bytes);
}

}  // namespace
}  // namespace weir::types

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::types::DecodeAnything(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

// Any bytes whatever as a stream of keyed state, as they are and with true checksums: what a
// backend takes in it gives back the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/io/hash.h"
#include "common/state/keyed_format.h"
#include "tests/fuzz/stored_bytes.h"
#include "tests/unit/common/state/keyed_samples.h"

namespace weir::state {
namespace {

// As the golden file, which is the seed, has them.
constexpr uint32_t kGroups = 4;
constexpr KeyGroupRange kAllGroups{0, kGroups - 1};
constexpr size_t kBodySizeAt = 12;
constexpr size_t kHeaderChecksumAt = 16;

// Gives the header and each block behind it the checksum it asks for. Returns per group where its
// first block lies.
std::vector<uint64_t> Repair(std::string* stream) {
  std::vector<uint64_t> offsets(kGroups, kNoEntries);
  if (stream->size() < kKeyedPrefixBytes) return offsets;
  const auto body_bytes = fuzz::NumberAt<uint32_t>(*stream, kBodySizeAt);
  if (body_bytes > stream->size() - kKeyedPrefixBytes) return offsets;
  const std::string checked =
      stream->substr(0, kHeaderChecksumAt) + stream->substr(kKeyedPrefixBytes, body_bytes);
  fuzz::SetNumberAt(kHeaderChecksumAt, io::Xxh3(checked), stream);

  size_t at = kKeyedPrefixBytes + body_bytes;
  while (stream->size() - at >= sizeof(BlockHead)) {
    BlockHead head;
    std::memcpy(&head, stream->data() + at, sizeof(head));
    if (head.payload_bytes > stream->size() - at - sizeof(head)) break;
    if (head.group < kGroups && head.index == 0) offsets[head.group] = at;
    const size_t block_bytes = sizeof(head) + head.payload_bytes;
    const StringView covered =
        StringView(*stream).substr(at + sizeof(head.checksum), block_bytes - sizeof(head.checksum));
    fuzz::SetNumberAt(at, io::Xxh3(covered), stream);
    at += block_bytes;
  }
  return offsets;
}

void Restore(const std::string& stream, std::vector<uint64_t> offsets) {
  const KeyedStateHandle handle{
      .range = kAllGroups, .offsets = std::move(offsets), .stream = {"", stream, stream.size()}};
  SampleBackend read(kAllGroups, kGroups);
  if (!read.backend.Restore({handle}, StringInputs()).ok()) return;
  read.timers->RebuildIndex();
  read.timers->NextTime();

  const auto written = WriteToString(read.backend);
  WEIR_CHECK(written.ok());
  SampleBackend again(kAllGroups, kGroups);
  WEIR_CHECK(again.backend.Restore({*written}, StringInputs()).ok());
  WEIR_CHECK(again.Contents() == read.Contents());
}

void RestoreAnything(std::string stream) {
  // Offsets come from the handle, not from the stream: any four.
  base::Random random(io::Xxh3(stream));
  std::vector<uint64_t> anywhere;
  for (uint32_t group = 0; group < kGroups; ++group) {
    anywhere.push_back(random.Below(stream.size() + 2));
  }
  const std::string as_it_is = stream;
  std::vector<uint64_t> offsets = Repair(&stream);
  Restore(as_it_is, offsets);
  Restore(stream, std::move(offsets));
  Restore(stream, std::move(anywhere));
}

}  // namespace
}  // namespace weir::state

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::state::RestoreAnything(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

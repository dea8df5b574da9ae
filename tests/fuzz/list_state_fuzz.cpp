// Any bytes whatever as a stream of list state, as they are and with true checksums: the elements
// that are read are written and read again the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/io/hash.h"
#include "common/state/operator_state.h"
#include "tests/fuzz/stored_bytes.h"
#include "tests/unit/common/state/string_streams.h"

namespace weir::state {
namespace {

// docs/formats/operator_state.md
constexpr size_t kHeaderBytes = 24;
constexpr size_t kHeaderChecksumAt = 16;
constexpr size_t kElementHeadBytes = 16;
constexpr size_t kElementSizeAt = 8;

// Gives the header and each element behind it the checksum it asks for. Returns where the elements
// lie.
std::vector<uint64_t> Repair(std::string* stream) {
  std::vector<uint64_t> offsets;
  if (stream->size() < kHeaderBytes) return offsets;
  fuzz::SetNumberAt(kHeaderChecksumAt, io::Xxh3(stream->data(), kHeaderChecksumAt), stream);
  size_t at = kHeaderBytes;
  while (stream->size() - at >= kElementHeadBytes) {
    const auto size = fuzz::NumberAt<uint32_t>(*stream, at + kElementSizeAt);
    if (size > stream->size() - at - kElementHeadBytes) break;
    offsets.push_back(at);
    const size_t covered = kElementHeadBytes - sizeof(uint64_t) + size;
    fuzz::SetNumberAt(at, io::Xxh3(stream->data() + at + sizeof(uint64_t), covered), stream);
    at += kElementHeadBytes + size;
  }
  return offsets;
}

// Deals the elements out to lists of all modes.
OperatorStateHandle HandleOf(const std::string& stream, const std::vector<uint64_t>& offsets) {
  OperatorStateHandle handle;
  handle.stream = {"", stream, stream.size()};
  for (const ListMode mode : {ListMode::kSplitEven, ListMode::kUnion, ListMode::kBroadcast}) {
    handle.lists[std::to_string(static_cast<int>(mode))].mode = mode;
  }
  for (const uint64_t offset : offsets) {
    handle.lists[std::to_string(offset % 3)].offsets.push_back(offset);
  }
  return handle;
}

void Restore(const std::string& stream, const std::vector<uint64_t>& offsets) {
  OperatorState read;
  if (!read.Restore({HandleOf(stream, offsets)}, StringInputs()).ok()) return;
  StringOutput output;
  const auto written = read.Snapshot().Write(output);
  WEIR_CHECK(written.ok());
  OperatorState again;
  WEIR_CHECK(again.Restore({*written}, StringInputs()).ok());
  WEIR_CHECK(again.Snapshot().lists() == read.Snapshot().lists());
}

void RestoreAnything(std::string stream) {
  // Offsets come from the handle, not from the stream: any.
  base::Random random(io::Xxh3(stream));
  const std::vector<uint64_t> anywhere = {random.Below(stream.size() + 2)};
  const std::string as_it_is = stream;
  const std::vector<uint64_t> offsets = Repair(&stream);
  Restore(as_it_is, offsets);
  Restore(stream, offsets);
  Restore(stream, anywhere);
}

}  // namespace
}  // namespace weir::state

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::state::RestoreAnything(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

// Any bytes whatever as checkpoint metadata, as they are and with a true checksum: what is read is
// valid, and reads back the same after it was written.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/checkpoint/metadata_codec.h"
#include "common/checkpoint/stored_frame.h"

namespace weir::checkpoint {
namespace {

void Decode(StringView bytes) {
  const auto read = DecodeMetadata(bytes, "fuzz");
  if (!read.ok()) return;
  WEIR_CHECK(ValidateMetadata(*read).ok());
  const auto written = EncodeMetadata(*read);
  WEIR_CHECK(written.ok());
  const auto again = DecodeMetadata(*written, "fuzz");
  WEIR_CHECK(again.ok());
  WEIR_CHECK(*again == *read);
}

void DecodeAnything(StringView bytes) {
  Decode(bytes);
  constexpr size_t kAroundPayload = kFrameHeaderBytes + kFrameChecksumBytes;
  if (bytes.size() < kAroundPayload) return;
  const StringView payload = bytes.substr(kFrameHeaderBytes, bytes.size() - kAroundPayload);
  Decode(EncodeFrame(kMetadataMagic, kMetadataVersion, payload));
}

}  // namespace
}  // namespace weir::checkpoint

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::checkpoint::DecodeAnything(weir::StringView(reinterpret_cast<const char*>(data), size));
  return 0;
}

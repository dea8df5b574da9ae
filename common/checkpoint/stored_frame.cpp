#include "common/checkpoint/stored_frame.h"

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/byte_cursor.h"
#include "common/io/hash.h"

namespace weir::checkpoint {

std::string EncodeFrame(StringView magic, uint32_t version, StringView payload) {
  WEIR_CHECK(magic.size() == kMagicBytes);
  std::string bytes;
  bytes.reserve(kFrameHeaderBytes + payload.size() + kFrameChecksumBytes);
  io::ByteWriter writer(bytes);
  writer.Bytes(magic);
  writer.Fixed(version);
  writer.Fixed(uint32_t{0});
  writer.Fixed(uint64_t{payload.size()});
  WEIR_CHECK(bytes.size() == kFrameHeaderBytes);
  writer.Bytes(payload);
  writer.Fixed(io::Xxh3(bytes));
  return bytes;
}

absl::StatusOr<DecodedFrame> DecodeFrame(StringView magic, uint32_t version_max, StringView bytes,
                                         StringView what) {
  WEIR_CHECK(magic.size() == kMagicBytes);
  if (bytes.size() < kFrameHeaderBytes + kFrameChecksumBytes) {
    return absl::DataLossError(
        absl::StrCat(what, ": cut short: ", bytes.size(), " bytes are no whole record"));
  }
  if (bytes.substr(0, kMagicBytes) != magic) {
    return absl::DataLossError(absl::StrCat(what, ": does not begin with \"", magic, "\""));
  }
  const size_t covered = bytes.size() - kFrameChecksumBytes;
  uint64_t checksum = 0;
  WEIR_RETURN_IF_ERROR(io::ByteReader(bytes.substr(covered)).Fixed(&checksum));
  if (io::Xxh3(bytes.substr(0, covered)) != checksum) {
    return absl::DataLossError(absl::StrCat(what, ": damaged: the checksum does not match"));
  }
  io::ByteReader reader(bytes.substr(kMagicBytes, covered - kMagicBytes));
  DecodedFrame frame;
  uint32_t reserved = 0;
  uint64_t payload_size = 0;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&frame.version));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&reserved));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&payload_size));
  if (frame.version == 0 || frame.version > version_max) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, ": format version ", frame.version, "; this Weir reads up to ",
                     version_max, ": use the Weir that wrote it or a newer one"));
  }
  if (reserved != 0 || payload_size != reader.remaining()) {
    return absl::DataLossError(absl::StrCat(what, ": its size field does not match"));
  }
  WEIR_RETURN_IF_ERROR(reader.Bytes(payload_size, &frame.payload));
  return frame;
}

}  // namespace weir::checkpoint

#include "common/state/keyed_format.h"

#include <cstring>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/byte_cursor.h"
#include "common/io/hash.h"

namespace weir::state {
namespace {

constexpr size_t kMagicBytes = 8;
static_assert(sizeof(kKeyedMagic) == kMagicBytes + 1);
constexpr size_t kCheckedPrefixBytes = kKeyedPrefixBytes - sizeof(uint64_t);

void EncodeState(const StoredState& state, io::ByteWriter& out) {
  out.Fixed(static_cast<uint8_t>(state.spec.kind));
  out.Fixed(static_cast<uint8_t>(state.spec.key.kind));
  out.Fixed(static_cast<uint8_t>(state.is_namespaced ? 1 : 0));
  out.Fixed(state.spec.value.bytes);
  out.Fixed(static_cast<uint32_t>(state.spec.value.blob_offsets.size()));
  for (const uint32_t offset : state.spec.value.blob_offsets) out.Fixed(offset);
  out.Sized(state.spec.name);
  out.Sized(state.spec.signature);
}

absl::Status DecodeString(io::ByteReader& in, std::string* text) {
  StringView view;
  WEIR_RETURN_IF_ERROR(in.Sized(&view));
  text->assign(view.data(), view.size());
  return absl::OkStatus();
}

absl::Status DecodeState(io::ByteReader& in, StoredState* state) {
  uint8_t kind = 0;
  uint8_t key_kind = 0;
  uint8_t is_namespaced = 0;
  uint32_t blob_count = 0;
  WEIR_RETURN_IF_ERROR(in.Fixed(&kind));
  WEIR_RETURN_IF_ERROR(in.Fixed(&key_kind));
  WEIR_RETURN_IF_ERROR(in.Fixed(&is_namespaced));
  WEIR_RETURN_IF_ERROR(in.Fixed(&state->spec.value.bytes));
  WEIR_RETURN_IF_ERROR(in.Fixed(&blob_count));
  if (kind > static_cast<uint8_t>(StateKind::kTimers) || key_kind > 1 || is_namespaced > 1 ||
      blob_count > kBlobFieldsMax) {
    return absl::DataLossError("a state's description is out of bounds");
  }
  state->spec.kind = static_cast<StateKind>(kind);
  state->spec.key =
      KeyFormat::Of(static_cast<KeyFormat::Kind>(key_kind) == KeyFormat::Kind::kFixed8);
  state->is_namespaced = is_namespaced == 1;
  state->spec.value.blob_offsets.resize(blob_count);
  for (uint32_t& offset : state->spec.value.blob_offsets) WEIR_RETURN_IF_ERROR(in.Fixed(&offset));
  WEIR_RETURN_IF_ERROR(DecodeString(in, &state->spec.name));
  return DecodeString(in, &state->spec.signature);
}

absl::Status DecodeBody(StringView body, KeyedHeader* header) {
  io::ByteReader in(body);
  WEIR_RETURN_IF_ERROR(in.Fixed(&header->compression));
  WEIR_RETURN_IF_ERROR(in.Fixed(&header->max_parallelism));
  WEIR_RETURN_IF_ERROR(in.Fixed(&header->range.first));
  WEIR_RETURN_IF_ERROR(in.Fixed(&header->range.last));
  uint32_t state_count = 0;
  WEIR_RETURN_IF_ERROR(in.Fixed(&state_count));
  if (state_count > kStatesMax) return absl::DataLossError("more states than a backend may have");
  for (uint32_t i = 0; i < state_count; ++i) {
    WEIR_RETURN_IF_ERROR(DecodeState(in, &header->states.emplace_back()));
  }
  if (in.remaining() != 0) return absl::DataLossError("bytes are left behind the header");
  if (header->compression != kCompressionNone) {
    return absl::UnimplementedError(
        absl::StrCat("compression ", header->compression, " is not known to this version"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeKeyedHeader(const KeyedHeader& header) {
  std::string body;
  io::ByteWriter out(body);
  out.Fixed(header.compression);
  out.Fixed(header.max_parallelism);
  out.Fixed(header.range.first);
  out.Fixed(header.range.last);
  out.Fixed(static_cast<uint32_t>(header.states.size()));
  for (const StoredState& state : header.states) EncodeState(state, out);

  std::string encoded;
  io::ByteWriter prefix(encoded);
  prefix.Bytes(StringView(kKeyedMagic, kMagicBytes));
  prefix.Fixed(kKeyedVersion);
  prefix.Fixed(static_cast<uint32_t>(body.size()));
  const uint64_t checksum = io::Xxh3(encoded + body);
  prefix.Fixed(checksum);
  WEIR_CHECK(encoded.size() == kKeyedPrefixBytes);
  return encoded + body;
}

absl::Status DecodeKeyedPrefix(StringView prefix, uint32_t* body_bytes) {
  io::ByteReader in(prefix);
  StringView magic;
  uint32_t version = 0;
  WEIR_RETURN_IF_ERROR(in.Bytes(kMagicBytes, &magic));
  WEIR_RETURN_IF_ERROR(in.Fixed(&version));
  WEIR_RETURN_IF_ERROR(in.Fixed(body_bytes));
  if (magic != StringView(kKeyedMagic, kMagicBytes)) {
    return absl::DataLossError("does not begin like keyed state");
  }
  if (version != kKeyedVersion) {
    return absl::UnimplementedError(
        absl::StrCat("has format version ", version, ", this is version ", kKeyedVersion));
  }
  return absl::OkStatus();
}

absl::Status DecodeKeyedHeader(StringView prefix, StringView body, KeyedHeader* header) {
  WEIR_CHECK(prefix.size() == kKeyedPrefixBytes);
  uint64_t checksum = 0;
  std::memcpy(&checksum, prefix.data() + kCheckedPrefixBytes, sizeof(checksum));
  if (checksum != io::Xxh3(absl::StrCat(prefix.substr(0, kCheckedPrefixBytes), body))) {
    return absl::DataLossError("the header fails its checksum");
  }
  return DecodeBody(body, header);
}

}  // namespace weir::state

#include "taskmanager/network/frame_codec.h"

#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/types/block_codec.h"

namespace weir::network {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

constexpr size_t kAlignment = 16;

enum class Kind : uint8_t {
  kBlock = 1,
  kBlockPart = 2,
  kWatermark = 3,
  kBarrier = 4,
  kCancelMarker = 5,
  kIdleness = 6,
  kEndOfData = 7,
};

// Stands before every element's payload, which ends with zeros up to a multiple of 16.
struct ElementHeader {
  Kind kind = Kind::kBlock;
  uint8_t reserved[7] = {};
  uint64_t size = 0;  // of the payload, without the zeros
};
static_assert(sizeof(ElementHeader) == kAlignment);
static_assert(kFrameBytesTarget / sizeof(ElementHeader) <= kFrameElementsMax);

// Stands before the bytes of a part.
struct PartHeader {
  uint64_t total = 0;   // bytes of the whole block
  uint64_t offset = 0;  // of this part in it
};
static_assert(sizeof(PartHeader) == kAlignment);
constexpr size_t kPartBytesMax = kFrameBytesMax - sizeof(ElementHeader) - sizeof(PartHeader);

// Stands before the bytes of a barrier's location.
struct BarrierFields {
  int64_t id = 0;
  int64_t triggered_at_ns = 0;  // since 1970-01-01 UTC
  int64_t base = 0;
  uint8_t kind = 0;
  uint8_t scope = 0;
  uint8_t alignment = 0;
  uint8_t reserved[5] = {};
};
static_assert(sizeof(BarrierFields) == 32);

constexpr size_t Aligned(size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
void AppendValue(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Writes the header once the payload's size is known.
class ElementWriter {
 public:
  ElementWriter(Kind kind, std::string* out) : out_(*out), start_(out->size()) {
    WEIR_DCHECK(start_ % kAlignment == 0);
    AppendValue(ElementHeader{.kind = kind}, out);
  }
  ~ElementWriter() {
    const uint64_t size = out_.size() - start_ - sizeof(ElementHeader);
    out_.resize(Aligned(out_.size()));
    std::memcpy(out_.data() + start_ + offsetof(ElementHeader, size), &size, sizeof(size));
  }
  ElementWriter(const ElementWriter&) = delete;
  ElementWriter& operator=(const ElementWriter&) = delete;

 private:
  std::string& out_;
  const size_t start_;
};

void AppendBarrier(const checkpoint::Barrier& barrier, std::string* out) {
  WEIR_CHECK(barrier.options.location.size() <= kBarrierLocationBytesMax);
  AppendValue(BarrierFields{.id = ToInt(barrier.id),
                            .triggered_at_ns = absl::ToUnixNanos(barrier.triggered_at),
                            .base = ToInt(barrier.options.base),
                            .kind = static_cast<uint8_t>(barrier.options.kind),
                            .scope = static_cast<uint8_t>(barrier.options.scope),
                            .alignment = static_cast<uint8_t>(barrier.options.alignment)},
              out);
  out->append(barrier.options.location);
}

// Writes one element, by its type.
struct ElementAppender {
  std::string* out;

  void operator()(const types::BatchPtr& batch) const {
    ElementWriter writer(Kind::kBlock, out);
    types::AppendBlock(*batch, out);
  }
  void operator()(const EncodedBatch& encoded) const {
    ElementWriter writer(Kind::kBlock, out);
    out->append(static_cast<const char*>(encoded.block.data()), encoded.block.size());
  }
  void operator()(const Watermark& watermark) const {
    ElementWriter writer(Kind::kWatermark, out);
    AppendValue(watermark.time, out);
  }
  void operator()(const checkpoint::Barrier& barrier) const {
    ElementWriter writer(Kind::kBarrier, out);
    AppendBarrier(barrier, out);
  }
  void operator()(const CancelMarker& marker) const {
    ElementWriter writer(Kind::kCancelMarker, out);
    AppendValue(ToInt(marker.id), out);
  }
  void operator()(const Idleness& idleness) const {
    ElementWriter writer(Kind::kIdleness, out);
    AppendValue(int64_t{idleness.is_idle ? 1 : 0}, out);
  }
  void operator()(const EndOfData&) const { ElementWriter writer(Kind::kEndOfData, out); }
  void operator()(const Close&) const { WEIR_CHECK(false); }
};

absl::Status Damaged(StringView what) {
  return absl::DataLossError(absl::StrCat("a frame of rows is damaged: ", what));
}

absl::Status ReadInt64(StringView payload, int64_t* value) {
  if (payload.size() != sizeof(*value)) return Damaged("a control element has another size");
  std::memcpy(value, payload.data(), sizeof(*value));
  return absl::OkStatus();
}

absl::Status ReadBarrier(StringView payload, checkpoint::Barrier* barrier) {
  BarrierFields fields;
  if (payload.size() < sizeof(fields)) return Damaged("a barrier is cut");
  if (payload.size() - sizeof(fields) > kBarrierLocationBytesMax) {
    return Damaged("a barrier's location is too long");
  }
  std::memcpy(&fields, payload.data(), sizeof(fields));
  if (fields.id <= 0 || fields.base < 0) return Damaged("a barrier's checkpoint does not exist");
  if (fields.kind > static_cast<uint8_t>(checkpoint::CheckpointKind::kFinal) ||
      fields.scope > static_cast<uint8_t>(checkpoint::SnapshotScope::kIncremental) ||
      fields.alignment > static_cast<uint8_t>(checkpoint::BarrierAlignment::kUnaligned)) {
    return Damaged("a barrier of an unknown kind");
  }
  barrier->id = CheckpointId{fields.id};
  barrier->triggered_at = absl::FromUnixNanos(fields.triggered_at_ns);
  barrier->options.kind = static_cast<checkpoint::CheckpointKind>(fields.kind);
  barrier->options.scope = static_cast<checkpoint::SnapshotScope>(fields.scope);
  barrier->options.alignment = static_cast<checkpoint::BarrierAlignment>(fields.alignment);
  barrier->options.base = CheckpointId{fields.base};
  barrier->options.location.assign(payload.data() + sizeof(fields),
                                   payload.size() - sizeof(fields));
  return absl::OkStatus();
}

}  // namespace

void AppendElement(const StreamElement& element, std::string* out) {
  std::visit(ElementAppender{out}, element);
}

std::vector<std::string> SplitIntoParts(StringView element) {
  ElementHeader header;
  WEIR_CHECK(element.size() > sizeof(header));
  std::memcpy(&header, element.data(), sizeof(header));
  WEIR_CHECK(header.kind == Kind::kBlock);
  const StringView block = element.substr(sizeof(header), header.size);
  std::vector<std::string> parts;
  for (size_t offset = 0; offset < block.size(); offset += kPartBytesMax) {
    const StringView bytes = block.substr(offset, kPartBytesMax);
    std::string& part = parts.emplace_back();
    part.reserve(Aligned(sizeof(ElementHeader) + sizeof(PartHeader) + bytes.size()));
    ElementWriter writer(Kind::kBlockPart, &part);
    AppendValue(PartHeader{.total = block.size(), .offset = offset}, &part);
    part.append(bytes.data(), bytes.size());
  }
  return parts;
}

absl::Status FrameDecoder::Decode(StringView frame, std::vector<StreamElement>* elements) {
  if (frame.empty()) return Damaged("it is empty");
  if (frame.size() > kFrameBytesMax) return Damaged("it is too large");
  std::vector<StreamElement> decoded;
  while (!frame.empty()) {
    ElementHeader header;
    if (frame.size() < sizeof(header)) return Damaged("an element is cut");
    if (decoded.size() == kFrameElementsMax) return Damaged("it has too many elements");
    std::memcpy(&header, frame.data(), sizeof(header));
    frame.remove_prefix(sizeof(header));
    if (header.size > frame.size() || Aligned(header.size) > frame.size()) {
      return Damaged("an element is longer than the frame");
    }
    WEIR_RETURN_IF_ERROR(
        DecodeElement(static_cast<uint8_t>(header.kind), frame.substr(0, header.size), &decoded));
    frame.remove_prefix(Aligned(header.size));
  }
  for (StreamElement& element : decoded) elements->push_back(std::move(element));
  return absl::OkStatus();
}

absl::Status FrameDecoder::DecodeElement(uint8_t kind, StringView payload,
                                         std::vector<StreamElement>* elements) {
  if (static_cast<Kind>(kind) == Kind::kBlockPart) return AddPart(payload, elements);
  if (partial_total_ != 0) return Damaged("a block in parts is interrupted");
  int64_t value = 0;
  switch (static_cast<Kind>(kind)) {
    case Kind::kBlock:
      if (payload.empty()) return Damaged("an empty block");
      elements->emplace_back(EncodedBatch{memory_->Copy(payload)});
      return absl::OkStatus();
    case Kind::kWatermark:
      WEIR_RETURN_IF_ERROR(ReadInt64(payload, &value));
      elements->emplace_back(Watermark{value});
      return absl::OkStatus();
    case Kind::kBarrier: {
      checkpoint::Barrier barrier;
      WEIR_RETURN_IF_ERROR(ReadBarrier(payload, &barrier));
      elements->push_back(std::move(barrier));
      return absl::OkStatus();
    }
    case Kind::kCancelMarker:
      WEIR_RETURN_IF_ERROR(ReadInt64(payload, &value));
      if (value <= 0) return Damaged("a cancelled checkpoint does not exist");
      elements->emplace_back(CancelMarker{CheckpointId{value}});
      return absl::OkStatus();
    case Kind::kIdleness:
      WEIR_RETURN_IF_ERROR(ReadInt64(payload, &value));
      if (value != 0 && value != 1) return Damaged("neither idle nor active");
      elements->emplace_back(Idleness{value == 1});
      return absl::OkStatus();
    case Kind::kEndOfData:
      if (!payload.empty()) return Damaged("a control element has another size");
      elements->emplace_back(EndOfData{});
      return absl::OkStatus();
    default:
      return Damaged(absl::StrCat("an element of unknown kind ", kind));
  }
}

absl::Status FrameDecoder::AddPart(StringView payload, std::vector<StreamElement>* elements) {
  PartHeader header;
  if (payload.size() <= sizeof(header)) return Damaged("a part is cut");
  std::memcpy(&header, payload.data(), sizeof(header));
  payload.remove_prefix(sizeof(header));
  if (header.offset == 0 && partial_total_ == 0) {
    if (header.total > types::kBlockBytesMax) return Damaged("a block is too large");
    partial_total_ = header.total;
  }
  if (partial_total_ == 0 || header.total != partial_total_ || header.offset != partial_.size() ||
      payload.size() > header.total - header.offset) {
    return Damaged("a part does not follow the one before");
  }
  // Grows with what has come, whatever size was announced.
  partial_.append(payload.data(), payload.size());
  if (partial_.size() < partial_total_) return absl::OkStatus();
  elements->emplace_back(EncodedBatch{memory_->Copy(partial_)});
  partial_ = std::string();
  partial_total_ = 0;
  return absl::OkStatus();
}

}  // namespace weir::network

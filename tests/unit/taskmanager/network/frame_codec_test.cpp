// What must hold: every element comes out of a frame as it went in, in order; and no bytes whatever
// make the decoder crash, read past its end, or hand out anything of a damaged frame.
#include "taskmanager/network/frame_codec.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/types/block_codec.h"

namespace weir::network {
namespace {

types::SchemaPtr RowSchema() {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"n", types::kInt64Type, /*nullable=*/false},
                                {"text", types::kStringType, /*nullable=*/false}});
  return schema;
}

types::BatchPtr Rows(size_t count, size_t text_bytes) {
  types::BatchBuilder builder(RowSchema());
  for (size_t i = 0; i < count; ++i) {
    builder.column(0).Append(static_cast<int64_t>(i));
    builder.column(1).AppendString(std::string(text_bytes, static_cast<char>('a' + i % 26)));
    builder.EndRow();
  }
  return builder.Finish();
}

checkpoint::Barrier SampleBarrier() {
  return {.id = CheckpointId{42},
          .triggered_at = absl::FromUnixNanos(1'700'000'000'123'456'789),
          .options = {.kind = checkpoint::CheckpointKind::kStop,
                      .scope = checkpoint::SnapshotScope::kIncremental,
                      .alignment = checkpoint::BarrierAlignment::kUnaligned,
                      .base = CheckpointId{41},
                      .location = "/checkpoints/job/chk-42"}};
}

std::shared_ptr<BlockMemory> NewMemory() {
  return std::make_shared<BlockMemory>();
}

std::string BlockOf(const StreamElement& element) {
  const types::Buffer& block = std::get<EncodedBatch>(element).block;
  return std::string(static_cast<const char*>(block.data()), block.size());
}

std::string SampleFrame() {
  std::string frame;
  AppendElement(Rows(3, 7), &frame);
  AppendElement(Watermark{-5}, &frame);
  AppendElement(SampleBarrier(), &frame);
  AppendElement(CancelMarker{CheckpointId{7}}, &frame);
  AppendElement(Idleness{true}, &frame);
  AppendElement(Idleness{false}, &frame);
  AppendElement(EndOfData{}, &frame);
  return frame;
}

bool IsRefused(StringView frame) {
  std::vector<StreamElement> elements;
  FrameDecoder decoder(NewMemory());
  const absl::Status status = decoder.Decode(frame, &elements);
  if (!status.ok()) CHECK(elements.empty());
  return status.code() == absl::StatusCode::kDataLoss;
}

uint64_t Seed() {
  const char* given = std::getenv("WEIR_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : base::EntropySeed();
}

TEST_CASE("A frame gives back every kind of element in order", "[network][unit]") {
  std::vector<StreamElement> elements;
  FrameDecoder decoder(NewMemory());
  REQUIRE(decoder.Decode(SampleFrame(), &elements).ok());
  REQUIRE(elements.size() == 7);
  CHECK(BlockOf(elements[0]) == types::EncodeBlock(*Rows(3, 7)));
  CHECK(std::get<Watermark>(elements[1]).time == -5);
  CHECK(std::get<checkpoint::Barrier>(elements[2]) == SampleBarrier());
  CHECK(std::get<CancelMarker>(elements[3]).id == CheckpointId{7});
  CHECK(std::get<Idleness>(elements[4]).is_idle);
  CHECK_FALSE(std::get<Idleness>(elements[5]).is_idle);
  CHECK(std::holds_alternative<EndOfData>(elements[6]));
}

TEST_CASE("A decoded block lies on a 16-byte boundary and decodes to its rows", "[network][unit]") {
  std::string frame;
  AppendElement(Watermark{1}, &frame);
  AppendElement(Rows(100, 3), &frame);
  const std::string shifted = "x" + frame;  // wherever the message put it
  std::vector<StreamElement> elements;
  FrameDecoder decoder(NewMemory());
  REQUIRE(decoder.Decode(StringView(shifted).substr(1), &elements).ok());
  const types::Buffer block = std::get<EncodedBatch>(elements.at(1)).block;
  CHECK(reinterpret_cast<uintptr_t>(block.data()) % 16 == 0);
  const absl::StatusOr<types::BatchPtr> batch = types::DecodeBlock(block, RowSchema());
  REQUIRE(batch.ok());
  CHECK((*batch)->size() == 100);
}

TEST_CASE("An encoded batch is forwarded as it is", "[network][unit]") {
  std::string first;
  AppendElement(Rows(5, 5), &first);
  std::vector<StreamElement> elements;
  FrameDecoder decoder(NewMemory());
  REQUIRE(decoder.Decode(first, &elements).ok());
  std::string second;
  AppendElement(elements.at(0), &second);
  CHECK(second == first);
}

TEST_CASE("A block too large for a frame travels in parts", "[network][unit]") {
  const types::BatchPtr batch = Rows(40, 100'000);
  std::string element;
  AppendElement(batch, &element);
  REQUIRE(element.size() > 3 * kFrameBytesMax);
  const std::vector<std::string> parts = SplitIntoParts(element);
  CHECK(parts.size() == 4);
  std::vector<StreamElement> elements;
  FrameDecoder decoder(NewMemory());
  for (const std::string& part : parts) {
    CHECK(elements.empty());
    CHECK(part.size() <= kFrameBytesMax);
    REQUIRE(decoder.Decode(part, &elements).ok());
  }
  REQUIRE(elements.size() == 1);
  CHECK(BlockOf(elements[0]) == types::EncodeBlock(*batch));
  REQUIRE(decoder.Decode(SampleFrame(), &elements).ok());
}

TEST_CASE("Parts out of order, repeated or interrupted are refused", "[network][unit]") {
  std::string element;
  AppendElement(Rows(40, 100'000), &element);
  const std::vector<std::string> parts = SplitIntoParts(element);
  std::vector<StreamElement> elements;
  CHECK(IsRefused(parts[1]));
  FrameDecoder repeated(NewMemory());
  REQUIRE(repeated.Decode(parts[0], &elements).ok());
  CHECK_FALSE(repeated.Decode(parts[0], &elements).ok());
  FrameDecoder skipped(NewMemory());
  REQUIRE(skipped.Decode(parts[0], &elements).ok());
  CHECK_FALSE(skipped.Decode(parts[2], &elements).ok());
  FrameDecoder interrupted(NewMemory());
  REQUIRE(interrupted.Decode(parts[0], &elements).ok());
  CHECK_FALSE(interrupted.Decode(SampleFrame(), &elements).ok());
  CHECK(elements.empty());
}

TEST_CASE("A part of a block beyond the largest is refused before anything is kept",
          "[network][unit]") {
  std::string element;
  AppendElement(Rows(40, 100'000), &element);
  std::string part = SplitIntoParts(element)[0];
  for (const uint64_t total : {uint64_t{types::kBlockBytesMax} + 1, ~uint64_t{0}, uint64_t{0}}) {
    std::memcpy(part.data() + 16, &total, sizeof(total));
    CHECK(IsRefused(part));
  }
  const uint64_t largest = types::kBlockBytesMax;
  std::memcpy(part.data() + 16, &largest, sizeof(largest));
  CHECK_FALSE(IsRefused(part));
}

TEST_CASE("A frame holds as many elements as the limit and not one more", "[network][unit]") {
  std::string frame;
  for (size_t i = 0; i < kFrameElementsMax; ++i) AppendElement(EndOfData{}, &frame);
  CHECK_FALSE(IsRefused(frame));
  AppendElement(EndOfData{}, &frame);
  CHECK(IsRefused(frame));
}

TEST_CASE("A frame may be as large as the limit and not larger", "[network][unit]") {
  std::string frame(kFrameBytesMax, '\0');
  frame[0] = 1;  // a block
  const uint64_t size = frame.size() - 16;
  std::memcpy(frame.data() + 8, &size, sizeof(size));
  CHECK_FALSE(IsRefused(frame));
  AppendElement(EndOfData{}, &frame);
  CHECK(IsRefused(frame));
}

TEST_CASE("Damaged elements are refused", "[network][unit]") {
  CHECK(IsRefused(""));
  CHECK(IsRefused("garbage"));
  CHECK(IsRefused(std::string(16, '\0')));
  CHECK(IsRefused(std::string(16, '\xff')));
  std::string barrier;
  AppendElement(SampleBarrier(), &barrier);
  // Its id, the checkpoint it builds on, its kinds.
  for (const auto& [at, value] :
       {std::pair{16 + 7, 0x80}, {32 + 7, 0x80}, {40, 4}, {41, 2}, {42, 2}}) {
    std::string damaged = barrier;
    damaged[static_cast<size_t>(at)] = static_cast<char>(value);
    CHECK(IsRefused(damaged));
  }
  std::string idleness;
  AppendElement(Idleness{}, &idleness);
  idleness[16] = 2;
  CHECK(IsRefused(idleness));
}

TEST_CASE("A frame cut anywhere is refused or shorter", "[network][unit]") {
  const std::string frame = SampleFrame();
  for (size_t size = 0; size < frame.size(); ++size) {
    // In memory of its own, so that a read past its end is seen.
    const std::vector<char> cut(frame.begin(), frame.begin() + static_cast<ptrdiff_t>(size));
    std::vector<StreamElement> elements;
    FrameDecoder decoder(NewMemory());
    const absl::Status status = decoder.Decode(StringView(cut.data(), cut.size()), &elements);
    CHECK(elements.size() < 7);
    CHECK(status.ok() == !elements.empty());
  }
}

TEST_CASE("Frames with random bytes in them never do more than fail", "[network][unit]") {
  const uint64_t seed = Seed();
  CAPTURE(seed);
  base::Random random(seed);
  const std::string frame = SampleFrame();
  for (int round = 0; round < 20'000; ++round) {
    std::vector<char> bytes(frame.begin(), frame.end());
    for (uint64_t changes = 1 + random.Below(8); changes > 0; --changes) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    std::vector<StreamElement> elements;
    FrameDecoder decoder(NewMemory());
    const absl::Status status = decoder.Decode(StringView(bytes.data(), bytes.size()), &elements);
    if (!status.ok()) REQUIRE(elements.empty());
    for (const StreamElement& element : elements) {
      if (std::holds_alternative<EncodedBatch>(element)) {
        types::DecodeBlock(std::get<EncodedBatch>(element).block, RowSchema()).IgnoreError();
      }
    }
  }
}

}  // namespace
}  // namespace weir::network

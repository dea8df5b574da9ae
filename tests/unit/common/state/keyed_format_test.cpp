// What must hold: version 1 of the keyed snapshot format is read for ever; a flipped bit or a
// missing byte anywhere is noticed and named.
#include <catch2/catch.hpp>

#include "tests/unit/common/state/golden_file.h"
#include "tests/unit/common/state/keyed_samples.h"

namespace weir::state {
namespace {

// Four groups, one of which is empty.
std::unique_ptr<SampleBackend> SmallBackend() {
  auto backend = std::make_unique<SampleBackend>(KeyGroupRange{0, 3}, 4);
  for (int64_t key = 0; key < 6; ++key) backend->Add(key, 40 + 3 * static_cast<uint64_t>(key));
  return backend;
}

absl::Status RestoreFrom(const KeyedStateHandle& handle, SampleBackend* backend) {
  return backend->backend.Restore({handle}, StringInputs());
}

TEST_CASE("the golden file of version 1 is what is written and read", "[state][unit]") {
  const std::unique_ptr<SampleBackend> backend = SmallBackend();
  KeyedStateHandle handle = *WriteToString(backend->backend);
  const std::string golden = GoldenFile("keyed_state_v1.bin", handle.stream.inline_bytes);
  REQUIRE(golden.size() == handle.stream.size);

  handle.stream.inline_bytes = golden;
  SampleBackend restored({0, 3}, 4);
  REQUIRE(RestoreFrom(handle, &restored).ok());
  CHECK(restored.Contents() == backend->Contents());
}

TEST_CASE("a flipped bit at any position is found", "[state][unit]") {
  const std::unique_ptr<SampleBackend> backend = SmallBackend();
  const KeyedStateHandle handle = *WriteToString(backend->backend);
  for (size_t at = 0; at < handle.stream.size; ++at) {
    KeyedStateHandle damaged = handle;
    damaged.stream.inline_bytes[at] =
        static_cast<char>(damaged.stream.inline_bytes[at] ^ (1 << at % 8));
    SampleBackend restored({0, 3}, 4);
    const absl::Status status = RestoreFrom(damaged, &restored);
    if (status.ok()) FAIL("not found at " << at);
    // A flipped version reads as one of the future, everything else as damage.
    const bool is_version = at >= 8 && at < 12;
    if (is_version != absl::IsUnimplemented(status)) FAIL(at << ": " << status);
    if (!is_version && !absl::IsDataLoss(status)) FAIL(at << ": " << status);
  }
  SUCCEED();
}

TEST_CASE("damage is named by stream, key group and block", "[state][unit]") {
  const std::unique_ptr<SampleBackend> backend = SmallBackend();
  KeyedStateHandle handle = *WriteToString(backend->backend);
  const std::string good = handle.stream.inline_bytes;
  handle.stream.path = "chk-7/abc";
  for (uint32_t group = 0; group < 4; ++group) {
    if (handle.offsets[group] == 0) continue;
    handle.stream.inline_bytes = good;
    handle.stream.inline_bytes[handle.offsets[group] + 40] ^= 0x10;
    SampleBackend restored({0, 3}, 4);
    CHECK_THAT(std::string(RestoreFrom(handle, &restored).message()),
               Catch::Contains("chk-7/abc") && Catch::Contains("block 0") &&
                   Catch::Contains("key group " + std::to_string(group)));
  }
}

TEST_CASE("a stream cut short anywhere is found", "[state][unit]") {
  const std::unique_ptr<SampleBackend> backend = SmallBackend();
  const KeyedStateHandle handle = *WriteToString(backend->backend);
  for (size_t size = 0; size < handle.stream.size; ++size) {
    KeyedStateHandle cut = handle;
    cut.stream.inline_bytes.resize(size);
    SampleBackend restored({0, 3}, 4);
    const absl::Status status = RestoreFrom(cut, &restored);
    if (!absl::IsDataLoss(status)) FAIL(size << ": " << status);
  }
  SUCCEED();
}

TEST_CASE("handles that do not fit their stream are found", "[state][unit]") {
  const std::unique_ptr<SampleBackend> backend = SmallBackend();
  const KeyedStateHandle handle = *WriteToString(backend->backend);
  const auto restored_from = [](const KeyedStateHandle& changed) {
    SampleBackend restored({0, 3}, 4);
    return RestoreFrom(changed, &restored).code();
  };
  KeyedStateHandle changed = handle;
  changed.offsets.pop_back();
  CHECK(restored_from(changed) == absl::StatusCode::kDataLoss);
  changed = handle;
  changed.range = {0, 3 + 1};
  changed.offsets.push_back(0);
  CHECK(restored_from(changed) == absl::StatusCode::kDataLoss);
  changed = handle;
  for (uint64_t& offset : changed.offsets) offset = offset == 0 ? 0 : UINT64_MAX;
  CHECK(restored_from(changed) == absl::StatusCode::kDataLoss);
  changed = handle;
  std::swap(changed.offsets.front(), changed.offsets.back());
  CHECK(restored_from(changed) == absl::StatusCode::kDataLoss);
}

// Checksums hold: the table took the key as it was.
TEST_CASE("a timer too short to be one is found", "[state][unit]") {
  KeyedBackend written({0, 3}, 4);
  StateTable* timers = *written.Register(TimerSpec("due"));
  REQUIRE(timers->FindOrInsert(KeyOf(timers->shape(), std::string(kTimerPrefixBytes, 't'))).ok());
  SampleBackend whole({0, 3}, 4);
  REQUIRE(RestoreFrom(*WriteToString(written), &whole).ok());
  whole.timers->RebuildIndex();
  CHECK(whole.timers->index_size() == 1);

  const std::string cut(kTimerPrefixBytes - 1, 't');
  REQUIRE(timers->FindOrInsert(KeyOf(timers->shape(), cut)).ok());
  SampleBackend restored({0, 3}, 4);
  const absl::Status status = RestoreFrom(*WriteToString(written), &restored);
  CHECK(absl::IsDataLoss(status));
  CHECK_THAT(std::string(status.message()), Catch::Contains("a timer of 15 bytes"));
}

TEST_CASE("a handle may name a part of what its stream holds", "[state][unit]") {
  const std::unique_ptr<SampleBackend> backend = SmallBackend();
  KeyedStateHandle part = *WriteToString(backend->backend);
  part.range = {1, 2};
  part.offsets = {part.offsets[1], part.offsets[2]};
  SampleBackend restored({0, 3}, 4);
  CHECK(RestoreFrom(part, &restored).ok());
}

}  // namespace
}  // namespace weir::state

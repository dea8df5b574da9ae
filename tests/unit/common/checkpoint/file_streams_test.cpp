#include "common/checkpoint/file_streams.h"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/testing/faulty_fs.h"

namespace weir::checkpoint {
namespace {

using state::SnapshotOutput;
using state::StreamHandle;
using testing::Fault;
using testing::FaultyFs;

std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

struct Place {
  explicit Place(StreamOptions options = {}) {
    const auto checked = CheckStreamOptions(options);
    REQUIRE(checked.ok());
    storage = std::make_unique<FileCheckpointStorage>(files, "/cp", *checked, /*seed=*/7);
    const auto made = storage->MakeLocation(CheckpointId{1});
    REQUIRE(made.ok());
    location = *made;
  }
  std::unique_ptr<SnapshotOutput> Open() {
    auto output = storage->OutputsAt(location)->Create();
    REQUIRE(output.ok());
    return *std::move(output);
  }
  size_t FileCount() { return files.List(location)->size(); }
  StreamHandle Write(StringView bytes) {
    const auto output = Open();
    REQUIRE(output->Write(bytes).ok());
    const auto handle = output->Finish();
    REQUIRE(handle.ok());
    return *handle;
  }
  std::string Read(const StreamHandle& handle) {
    const auto input = storage->InputsAt(location)->Open(handle);
    if (!input.ok()) return "error: " + input.status().ToString();
    std::string bytes;
    REQUIRE((*input)->Read((*input)->Size(), &bytes).ok());
    return bytes;
  }

  FaultyFs files;
  std::unique_ptr<FileCheckpointStorage> storage;
  std::string location;
};

TEST_CASE("A write buffer smaller than the threshold is refused", "[checkpoint][unit]") {
  CHECK(absl::IsInvalidArgument(
      CheckStreamOptions({.inline_threshold = 5000, .write_buffer = 4000}).status()));
  CHECK(absl::IsInvalidArgument(
      CheckStreamOptions({.inline_threshold = kInlineThresholdMax + 1}).status()));
  CHECK(CheckStreamOptions({.inline_threshold = kInlineThresholdMax})->write_buffer ==
        kInlineThresholdMax);
  CHECK(CheckStreamOptions({})->write_buffer == 4096);
}

TEST_CASE("A stream nothing was written to leaves no file", "[checkpoint][unit]") {
  Place place;
  const auto output = place.Open();
  const auto handle = output->Finish();
  REQUIRE(handle.ok());
  CHECK(*handle == StreamHandle{});
  CHECK(place.FileCount() == 0);
}

TEST_CASE("A stream of up to the threshold stays in its handle", "[checkpoint][unit]") {
  Place place({.inline_threshold = 1000});
  for (const size_t size : {1u, 999u, 1000u}) {
    const StreamHandle handle = place.Write(Pattern(size));
    CHECK(handle.IsInline());
    CHECK(handle.size == size);
    CHECK(place.Read(handle) == Pattern(size));
  }
  CHECK(place.FileCount() == 0);
}

TEST_CASE("A larger stream becomes a file of its own", "[checkpoint][unit]") {
  Place place({.inline_threshold = 15, .write_buffer = 1024});
  const StreamHandle large = place.Write(Pattern(1'274'673));
  const StreamHandle small = place.Write(Pattern(1));
  const StreamHandle middle = place.Write(Pattern(177));
  CHECK_FALSE(large.IsInline());
  CHECK(small.IsInline());
  CHECK_FALSE(middle.IsInline());
  CHECK(large.path != middle.path);
  CHECK(large.path.size() == 36);
  CHECK(large.path.find('/') == std::string::npos);
  CHECK(place.FileCount() == 2);
  CHECK(place.Read(large) == Pattern(1'274'673));
  CHECK(place.Read(middle) == Pattern(177));
}

TEST_CASE("A write that fills the buffer is flushed, smaller ones are gathered",
          "[checkpoint][unit]") {
  Place place({.inline_threshold = 100, .write_buffer = 100});
  const auto direct = place.Open();
  REQUIRE(direct->Write(Pattern(100)).ok());
  CHECK(place.FileCount() == 1);
  const auto gathered = place.Open();
  REQUIRE(gathered->Write(Pattern(99)).ok());
  REQUIRE(gathered->Write("x").ok());
  CHECK(place.FileCount() == 1);
  CHECK(gathered->Finish()->IsInline());
}

TEST_CASE("Position counts every byte", "[checkpoint][unit]") {
  Place place({.inline_threshold = 17, .write_buffer = 31});
  const auto output = place.Open();
  uint64_t expected = 0;
  for (int i = 0; i < 64; ++i) {
    REQUIRE(output->Write("x").ok());
    CHECK(output->Position() == ++expected);
  }
  for (int i = 0; i < 7; ++i) {
    REQUIRE(output->Write(Pattern(8)).ok());
    expected += 8;
    CHECK(output->Position() == expected);
  }
  CHECK(output->Finish()->size == expected + kFileTrailerBytes);
}

TEST_CASE("A stream that is not finished leaves no file and its directory", "[checkpoint][unit]") {
  Place place;
  {
    const auto output = place.Open();
    REQUIRE(output->Write(Pattern(10'000)).ok());
    CHECK(place.FileCount() == 1);
  }
  CHECK(place.FileCount() == 0);
  CHECK(place.files.Stat(place.location).ok());
}

TEST_CASE("A finished stream takes nothing more", "[checkpoint][unit]") {
  Place place;
  const auto output = place.Open();
  REQUIRE(output->Write("x").ok());
  REQUIRE(output->Finish().ok());
  CHECK(absl::IsFailedPrecondition(output->Write("y")));
  CHECK(absl::IsFailedPrecondition(output->Finish().status()));
}

TEST_CASE("A handed over file is durable", "[checkpoint][unit]") {
  Place place;
  const StreamHandle handle = place.Write(Pattern(10'000));
  place.files.Crash();
  CHECK(place.Read(handle) == Pattern(10'000));
}

TEST_CASE("A stream that meets a fault anywhere fails and leaves no file", "[checkpoint][unit]") {
  for (const Fault fault : {Fault::kFullDisk, Fault::kIoError, Fault::kShortWrite}) {
    for (uint64_t site = 1;; ++site) {
      Place place;
      place.files.FailAt(site, fault);
      const auto output = place.Open();
      const absl::Status first = output->Write(Pattern(5000));
      const absl::Status second = output->Write(Pattern(5000));
      const auto handle = output->Finish();
      if (!place.files.has_fired()) break;
      INFO(place.files.fired_at());
      place.files.ClearFaults();
      if (handle.ok()) {
        // Another name was tried.
        CHECK(place.Read(*handle) == Pattern(5000) + Pattern(5000));
      } else {
        CHECK(place.FileCount() == 0);
        if (!first.ok()) CHECK(second == first);
      }
    }
  }
}

TEST_CASE("A file that cannot be made is tried ten times and the last cause told",
          "[checkpoint][unit]") {
  Place place;
  REQUIRE(place.files.RemoveTree(place.location).ok());
  const uint64_t before = place.files.operation_count();
  const auto output = place.Open();
  const absl::Status status = output->Write(Pattern(10'000));
  CHECK(absl::IsNotFound(status));
  CHECK(status.message().find("10 attempts") != absl::string_view::npos);
  CHECK(status.message().find("No such file") != absl::string_view::npos);
  CHECK(place.files.operation_count() - before == 10);
}

TEST_CASE("One checkpoint keeps at most 8 MiB in its handles", "[checkpoint][unit]") {
  Place place({.inline_threshold = kInlineThresholdMax});
  uint64_t inline_bytes = 0;
  for (int i = 0; i < 12; ++i) {
    const StreamHandle handle = place.Write(Pattern(kInlineThresholdMax - 1));
    if (handle.IsInline()) inline_bytes += handle.size;
  }
  CHECK(inline_bytes == 8 * (kInlineThresholdMax - 1));
  CHECK(place.FileCount() == 4);
}

TEST_CASE("An input seeks, reads and says where it ends", "[checkpoint][unit]") {
  Place place;
  const std::string bytes = Pattern(200'000);
  const StreamHandle handle = place.Write(bytes);
  const auto input = place.storage->InputsAt(place.location)->Open(handle);
  REQUIRE(input.ok());
  std::string read;
  for (const uint64_t offset : {0u, 150'000u, 70'000u, 199'990u}) {
    REQUIRE((*input)->Seek(offset).ok());
    REQUIRE((*input)->Read(10, &read).ok());
    CHECK(read == bytes.substr(offset, 10));
  }
  CHECK(absl::IsDataLoss((*input)->Read(1, &read)));
  CHECK((*input)->Seek(200'000).ok());
  CHECK(absl::IsOutOfRange((*input)->Seek(200'001)));
}

TEST_CASE("A missing or short file is refused before it is read", "[checkpoint][unit]") {
  Place place;
  const StreamHandle handle = place.Write(Pattern(10'000));
  const std::string path = place.location + "/" + handle.path;
  place.files.Truncate(path, 9999);
  const auto inputs = place.storage->InputsAt(place.location);
  const auto cut = inputs->Open(handle);
  CHECK(absl::IsDataLoss(cut.status()));
  CHECK(cut.status().message().find(path) != absl::string_view::npos);
  REQUIRE(place.files.Remove(path).ok());
  CHECK(absl::IsNotFound(inputs->Open(handle).status()));
}

TEST_CASE("An intact file of the same size in another's place is refused", "[checkpoint][unit]") {
  Place place;
  const StreamHandle one = place.Write(Pattern(10'000));
  const StreamHandle other = place.Write(Pattern(10'000));
  CHECK(one.identity != other.identity);
  const std::string path = place.location + "/" + one.path;
  REQUIRE(place.files.Rename(place.location + "/" + other.path, path).ok());
  CHECK(place.Read(one) == "error: DATA_LOSS: " + path +
                               ": it is not the file its checkpoint recorded, though of the same "
                               "size");
}

TEST_CASE("A file from before there were trailers is read to its end", "[checkpoint][unit]") {
  Place place;
  StreamHandle handle = place.Write(Pattern(10'000));
  handle.identity = 0;
  CHECK(place.Read(handle).size() == 10'000 + kFileTrailerBytes);
  CHECK(place.Read(handle).substr(0, 10'000) == Pattern(10'000));
  handle.identity = 1;
  handle.size = kFileTrailerBytes - 1;
  place.files.Truncate(place.location + "/" + handle.path, handle.size);
  CHECK(place.Read(handle).find("too short for a trailer") != std::string::npos);
}

TEST_CASE("Memory storage takes 5 MiB a state and not a byte more", "[checkpoint][unit]") {
  MemoryCheckpointStorage storage;
  const std::string location = *storage.MakeLocation(CheckpointId{1});
  const auto output = *storage.OutputsAt(location)->Create();
  REQUIRE(output->Write(Pattern(kMemoryStateBytesMax)).ok());
  CHECK(absl::IsResourceExhausted(output->Write("x")));
  const auto handle = output->Finish();
  REQUIRE(handle.ok());
  CHECK(handle->IsInline());
  const auto input = storage.InputsAt(location)->Open(*handle);
  REQUIRE(input.ok());
  CHECK((*input)->Size() == kMemoryStateBytesMax);
}

}  // namespace
}  // namespace weir::checkpoint

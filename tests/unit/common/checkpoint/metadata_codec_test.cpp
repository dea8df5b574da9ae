#include "common/checkpoint/metadata_codec.h"

#include <cstdlib>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/checkpoint/file_streams.h"
#include "common/checkpoint/stored_frame.h"
#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"
#include "tests/unit/common/checkpoint/sample_metadata.h"

namespace weir::checkpoint {
namespace {

std::string MustEncode(const CheckpointMetadata& metadata) {
  const auto bytes = EncodeMetadata(metadata);
  REQUIRE(bytes.ok());
  return *bytes;
}

TEST_CASE("Metadata reads back as it was written", "[checkpoint][unit]") {
  const CheckpointMetadata metadata = SampleMetadata();
  REQUIRE(ValidateMetadata(metadata).ok());
  const auto read = DecodeMetadata(MustEncode(metadata), "x");
  REQUIRE(read.ok());
  CHECK(*read == metadata);
}

TEST_CASE("The golden file of version 1 still reads", "[checkpoint][unit]") {
  fs::LocalFileSystem file_system;
  const auto bytes = fs::ReadWholeFile(
      file_system, WEIR_SOURCE_DIR "/tests/golden/checkpoint_metadata_v1.bin", kMetadataBytesMax);
  REQUIRE(bytes.ok());
  const auto read = DecodeMetadata(*bytes, "golden");
  REQUIRE(read.ok());
  CHECK(*read == SampleMetadata());
}

TEST_CASE("The golden file with identities of state files still reads", "[checkpoint][unit]") {
  fs::LocalFileSystem file_system;
  const auto bytes = fs::ReadWholeFile(
      file_system, WEIR_SOURCE_DIR "/tests/golden/checkpoint_metadata_v1_identity.bin",
      kMetadataBytesMax);
  REQUIRE(bytes.ok());
  const auto read = DecodeMetadata(*bytes, "golden");
  REQUIRE(read.ok());
  CHECK(*read == IdentifiedSampleMetadata());
}

TEST_CASE("The ids of uids are frozen", "[checkpoint][unit]") {
  CHECK(OperatorIdOfUid("count").ToString() == "f181716861affc3d5a65e8b0c8c77dad");
  CHECK(OperatorIdOfUid("").ToString() == "34357735509e96cd3f6cd625faba2cee");
}

TEST_CASE("Every cut and every flipped bit is found and the file named", "[checkpoint][unit]") {
  const std::string bytes = MustEncode(SampleMetadata());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status status = DecodeMetadata(bytes.substr(0, size), "/cp/_metadata").status();
    REQUIRE(absl::IsDataLoss(status));
    REQUIRE(status.message().find("/cp/_metadata") != absl::string_view::npos);
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    REQUIRE(absl::IsDataLoss(DecodeMetadata(damaged, "x").status()));
  }
  CHECK(absl::IsDataLoss(DecodeMetadata(bytes + "x", "x").status()));
}

TEST_CASE("Metadata of a newer version says so", "[checkpoint][unit]") {
  const std::string newer = EncodeFrame(kMetadataMagic, kMetadataVersion + 1, "12345678");
  const absl::Status status = DecodeMetadata(newer, "x").status();
  CHECK(absl::IsFailedPrecondition(status));
  CHECK(status.message().find("version 2") != absl::string_view::npos);
}

TEST_CASE("A payload that passes its checksum is still not believed", "[checkpoint][unit]") {
  const char* const given = getenv("WEIR_TEST_SEED");
  const uint64_t seed = given == nullptr ? base::EntropySeed() : strtoull(given, nullptr, 10);
  CAPTURE(seed);
  base::Random random(seed);
  const std::string bytes = MustEncode(SampleMetadata());
  const StringView payload = DecodeFrame(kMetadataMagic, 1, bytes, "x")->payload;
  for (int round = 0; round < 20'000; ++round) {
    std::string changed(payload);
    for (uint64_t n = random.Between(1, 4); n > 0; --n) {
      changed[random.Below(changed.size())] = static_cast<char>(random.Next());
    }
    if (random.OneIn(10)) changed.resize(random.Below(changed.size()));
    const auto read = DecodeMetadata(EncodeFrame(kMetadataMagic, 1, changed), "x");
    if (read.ok()) {
      REQUIRE(ValidateMetadata(*read).ok());
    } else {
      REQUIRE(absl::IsDataLoss(read.status()));
    }
  }
}

TEST_CASE("An intact frame around nothing is no metadata", "[checkpoint][unit]") {
  CHECK(absl::IsDataLoss(DecodeMetadata(EncodeFrame(kMetadataMagic, 1, ""), "x").status()));
}

TEST_CASE("What a reader relies on is validated", "[checkpoint][unit]") {
  const auto broken = [](const std::function<void(CheckpointMetadata&)>& change) {
    CheckpointMetadata metadata = SampleMetadata();
    change(metadata);
    return absl::IsDataLoss(ValidateMetadata(metadata));
  };
  using M = CheckpointMetadata;
  CHECK(broken([](M& m) { m.id = kNoCheckpoint; }));
  CHECK(broken([](M& m) { m.kind = static_cast<CheckpointKind>(4); }));
  CHECK(broken([](M& m) { m.max_parallelism = 0; }));
  CHECK(broken([](M& m) { m.max_parallelism = state::kMaxParallelismMax + 1; }));
  CHECK(broken([](M& m) { m.operators[0].id.low ^= 1; }));
  CHECK(broken([](M& m) { m.operators[0].subtasks.clear(); }));
  CHECK(broken([](M& m) { m.operators[0].subtasks.resize(17); }));
  CHECK(broken([](M& m) { std::swap(m.operators[0], m.operators[1]); }));
  CHECK(broken([](M& m) { m.operators[1] = m.operators[0]; }));
  CHECK(broken([](M& m) { m.master_hooks[1].name = "hook"; }));
  using Keyed = state::KeyedStateHandle;
  const auto broken_keyed = [&broken](const std::function<void(Keyed&)>& change) {
    return broken([&change](M& m) { change(m.operators[0].subtasks[0].state.keyed_managed[0]); });
  };
  CHECK(broken_keyed([](Keyed& k) { k.range.last = 16; }));
  CHECK(broken_keyed([](Keyed& k) { k.range = {}; }));
  CHECK(broken_keyed([](Keyed& k) { k.offsets.pop_back(); }));
  CHECK(broken_keyed([](Keyed& k) { k.offsets.back() = k.stream.size + 1; }));
  CHECK(broken_keyed([](Keyed& k) { std::swap(k.offsets[0], k.offsets[1]); }));
  CHECK(broken_keyed([](Keyed& k) { k.stream.path = "../x"; }));
  CHECK(broken_keyed([](Keyed& k) { k.stream.path = "a/../../x"; }));
  CHECK(broken_keyed([](Keyed& k) { k.stream.inline_bytes = "x"; }));
  CHECK(broken_keyed([](Keyed& k) { k.stream.path.clear(); }));
  for (const state::StreamHandle& stream :
       {state::StreamHandle{"", "x", 1, /*identity=*/1}, {"file", "", kFileTrailerBytes - 1, 1}}) {
    CHECK(broken_keyed([&stream](Keyed& k) {
      k.stream = stream;
      k.offsets.assign(k.offsets.size(), 0);
    }));
  }
  CHECK(broken([](M& m) {
    m.operators[0].subtasks[0].state.operator_managed[0].lists["splits"].mode =
        static_cast<state::ListMode>(3);
  }));
}

TEST_CASE("Four operators of sixteen subtasks and seven hooks survive the round trip",
          "[checkpoint][unit]") {
  CheckpointMetadata metadata = SampleMetadata();
  metadata.operators.clear();
  for (int o = 0; o < 4; ++o) {
    OperatorSnapshot snapshot;
    snapshot.uid = "op" + std::to_string(o);
    snapshot.id = OperatorIdOfUid(snapshot.uid);
    snapshot.max_parallelism = 16;
    for (uint32_t i = 0; i < 16; ++i) snapshot.subtasks.push_back(SampleSubtask(i, 16));
    metadata.operators.push_back(snapshot);
  }
  metadata.master_hooks.clear();
  for (uint32_t i = 0; i < 7; ++i) {
    metadata.master_hooks.push_back({"hook" + std::to_string(i), i, std::string(i, 'x')});
  }
  const auto read = DecodeMetadata(MustEncode(metadata), "x");
  REQUIRE(read.ok());
  CHECK(*read == metadata);
}

// Writes the newest golden file: run by hand when the format gains something.
TEST_CASE("Write the golden file", "[.golden]") {
  fs::LocalFileSystem file_system;
  REQUIRE(fs::PublishFile(file_system,
                          WEIR_SOURCE_DIR "/tests/golden/checkpoint_metadata_v1_identity.bin",
                          MustEncode(IdentifiedSampleMetadata()))
              .ok());
}

}  // namespace
}  // namespace weir::checkpoint

#include "common/coordination/state_dir/state_directory.h"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "common/coordination/state_dir/job_records.h"
#include "common/fs/whole_file.h"
#include "common/testing/faulty_fs.h"

namespace weir::coordination {
namespace {

using testing::FaultyFs;

const JobRecord kJob{{1, 2}, "word count", 128};

JobResult MakeResult() {
  return {{1, 2},
          JobEnd::kFinished,
          absl::FromUnixMicros(1'700'000'000'000'001),
          CheckpointId{17},
          "1000 rows"};
}

std::unique_ptr<StateDirectory> MustOpen(FaultyFs& files) {
  auto directory = StateDirectory::Open(files, "/state", "process 4711");
  REQUIRE(directory.ok());
  return *std::move(directory);
}

TEST_CASE("A directory is used by one process, which is named to the next",
          "[coordination][unit]") {
  FaultyFs files;
  auto directory = MustOpen(files);
  const auto second = StateDirectory::Open(files, "/state", "process 1");
  CHECK(absl::IsFailedPrecondition(second.status()));
  CHECK(second.status().message().find("process 4711") != absl::string_view::npos);
  CHECK(second.status().message().find("/state") != absl::string_view::npos);
  directory.reset();
  CHECK(StateDirectory::Open(files, "/state", "process 1").ok());
}

TEST_CASE("A job's record and result read back and survive a crash", "[coordination][unit]") {
  FaultyFs files;
  {
    const auto directory = MustOpen(files);
    CHECK(*directory->ReadJob() == std::nullopt);
    CHECK(*directory->ReadResult() == std::nullopt);
    REQUIRE(directory->WriteJob(kJob).ok());
    REQUIRE(directory->WriteResult(MakeResult()).ok());
  }
  files.Crash();
  const auto directory = MustOpen(files);
  CHECK(*directory->ReadJob() == kJob);
  CHECK(*directory->ReadResult() == MakeResult());
}

TEST_CASE("A directory belongs to one job", "[coordination][unit]") {
  FaultyFs files;
  const auto directory = MustOpen(files);
  REQUIRE(directory->WriteJob(kJob).ok());
  REQUIRE(directory->WriteJob(kJob).ok());
  JobRecord other = kJob;
  other.id.low = 3;
  const absl::Status refused = directory->WriteJob(other);
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(refused.message().find("word count") != absl::string_view::npos);
}

TEST_CASE("A damaged record is named, not believed", "[coordination][unit]") {
  for (const std::string& bytes : {EncodeJobRecord(kJob), EncodeJobResult(MakeResult())}) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 4);
      REQUIRE(absl::IsDataLoss(DecodeJobRecord(damaged, "x").status()));
      REQUIRE(absl::IsDataLoss(DecodeJobResult(damaged, "x").status()));
      REQUIRE(absl::IsDataLoss(DecodeJobRecord(bytes.substr(0, i), "x").status()));
      REQUIRE(absl::IsDataLoss(DecodeJobResult(bytes.substr(0, i), "x").status()));
    }
  }
  FaultyFs files;
  const auto directory = MustOpen(files);
  REQUIRE(directory->WriteJob(kJob).ok());
  files.FlipBit("/state/job", 30);
  CHECK(directory->ReadJob().status().message().find("/state/job") != absl::string_view::npos);
  files.Truncate("/state/job", 5);
  CHECK(directory->ReadJob().status().message() ==
        "/state/job: cut short: 5 bytes are no whole record; restore the damaged files from a "
        "copy, or start the job anew: with another state directory and an empty output directory "
        "for each file sink");
}

TEST_CASE("The stored forms of job and result are frozen", "[coordination][unit]") {
  CHECK(*DecodeJobRecord(EncodeJobRecord(kJob), "x") == kJob);
  CHECK(*DecodeJobResult(EncodeJobResult(MakeResult()), "x") == MakeResult());
  // Magic, version 1, payload size: id 16, max_parallelism 4, name 4 + 10.
  const std::string job = EncodeJobRecord(kJob);
  CHECK(job.substr(0, 8) == "WEIRJOB1");
  CHECK(job.substr(8, 16) == std::string("\x01\0\0\0\0\0\0\0\x22\0\0\0\0\0\0\0", 16));
  CHECK(job.substr(24, 8) == std::string("\x01\0\0\0\0\0\0\0", 8));
  CHECK(job.substr(40, 8) == std::string("\x80\0\0\0\x0a\0\0\0", 8));
  CHECK(job.substr(48, 10) == "word count");
  CHECK(job.size() == 66);
}

TEST_CASE("Texts are cut to their limit", "[coordination][unit]") {
  JobRecord job = kJob;
  job.name = std::string(kRecordTextBytesMax + 1, 'n');
  CHECK(DecodeJobRecord(EncodeJobRecord(job), "x")->name.size() == kRecordTextBytesMax);
  JobResult result = MakeResult();
  result.message = std::string(10 * kRecordBytesMax, 'm');
  const std::string bytes = EncodeJobResult(result);
  CHECK(bytes.size() < kRecordBytesMax);
  CHECK(DecodeJobResult(bytes, "x")->message.size() == kRecordTextBytesMax);
}

TEST_CASE("Published are the directories with metadata, by number", "[coordination][unit]") {
  FaultyFs files;
  const auto directory = MustOpen(files);
  for (const char* const name : {"chk-9", "chk-10", "chk-11", "chk-12", "broken-13", "shared"}) {
    REQUIRE(files.MakeDirs(std::string("/state/") + name).ok());
  }
  for (const char* const name : {"chk-9", "chk-10", "chk-11"}) {
    REQUIRE(fs::PublishFile(files, std::string("/state/") + name + "/_metadata", "x").ok());
  }
  CHECK(*directory->PublishedIds() ==
        std::vector<CheckpointId>{CheckpointId{9}, CheckpointId{10}, CheckpointId{11}});
  CHECK(*directory->HighestSeenId() == CheckpointId{13});
  CHECK(*directory->RemoveOrphans() == 1);
  CHECK(absl::IsNotFound(files.Stat("/state/chk-12").status()));
  CHECK(files.Stat("/state/chk-11").ok());
  CHECK(files.Stat("/state/shared").ok());
}

}  // namespace
}  // namespace weir::coordination

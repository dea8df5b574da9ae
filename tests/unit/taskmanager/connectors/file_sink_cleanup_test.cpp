#include "taskmanager/connectors/file_sink_cleanup.h"

#include "common/fs/local/local_file_system.h"
#include "common/testing/faulty_fs.h"
#include "taskmanager/connectors/pending_part.h"
#include "tests/unit/taskmanager/connectors/sink_run.h"

namespace weir::connectors {
namespace {

using Names = std::vector<std::string>;

constexpr JobId kJob{1, 1};
constexpr JobId kOtherJob{2, 2};

FileSinkPlace Place(JobId job = kJob, int64_t restored = 0) {
  return {
      .directory = kSinkDirectory, .job = job, .restored = CheckpointId{restored}, .pending = {}};
}

void Put(fs::FileSystem& files, const Names& names) {
  REQUIRE(files.MakeDirs(kSinkDirectory).ok());
  for (const std::string& name : names) WriteFile(files, std::string("/out/") + name, "x");
}

// As a former run of `job` left it.
void PutOwner(fs::FileSystem& files, JobId job) {
  REQUIRE(files.MakeDirs(kSinkDirectory).ok());
  REQUIRE(files.Lock("/out/.weir-owner", job.ToString()).ok());
}

std::string ErrorOf(fs::FileSystem& files, const FileSinkPlace& place,
                    absl::StatusCode code = absl::StatusCode::kFailedPrecondition) {
  SinkOwnership ownership;
  const auto cleaned = CleanUpFileSink(files, place, &ownership);
  CHECK(cleaned.status().code() == code);
  CHECK_FALSE(ownership.Owns(kSinkDirectory));
  return std::string(cleaned.status().message());
}

}  // namespace

TEST_CASE("A first start takes a new directory", "[connectors][unit]") {
  testing::FaultyFs files;
  SinkOwnership ownership;
  const auto highest = CleanUpFileSink(files, Place(), &ownership);
  REQUIRE(highest.ok());
  CHECK(*highest == kNoCheckpoint);
  CHECK(ownership.Owns(kSinkDirectory));
  CHECK(NamesIn(files) == Names{".weir-owner"});
}

TEST_CASE("A start that was overtaken takes nothing back", "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kJob);
  Put(files, {"part-0-0-c1", "part-0-1-c5", "part-0-2-c6"});
  const auto clean_up = [&files](JobStart start, int64_t restored) {
    FileSinkPlace place = Place(kJob, restored);
    place.start = start;
    SinkOwnership ownership;  // of another process each time
    return CleanUpFileSink(files, place, &ownership).status();
  };
  REQUIRE(clean_up({7, 20}, 6).ok());
  for (const JobStart late : {JobStart{7, 19}, JobStart{6, 99}}) {
    CHECK(absl::IsAborted(clean_up(late, 1)));
    CHECK(NamesIn(files) == Names{".weir-owner", "part-0-0-c1", "part-0-1-c5", "part-0-2-c6"});
  }
  // The same again, and later ones, may.
  CHECK(clean_up({7, 20}, 6).ok());
  CHECK(clean_up({7, 21}, 5).ok());
  CHECK(NamesIn(files) == Names{".weir-owner", "part-0-0-c1", "part-0-1-c5"});
  CHECK(clean_up({8, 1}, 1).ok());
  CHECK(NamesIn(files) == Names{".weir-owner", "part-0-0-c1"});
}

TEST_CASE("A first start refuses a directory with output", "[connectors][unit]") {
  testing::FaultyFs files;
  Put(files, {"part-0-0-c3"});
  CHECK(
      ErrorOf(files, Place()) ==
      "file sink: directory /out already holds output, part-0-0-c3 for one, and this sink starts "
      "with nothing. Give the sink an empty directory or move the output away; a local run goes on "
      "with its output if it is given its --state-dir");
  PutOwner(files, kJob);
  CHECK(ErrorOf(files, Place()).find("already holds output") != std::string::npos);
  CHECK(NamesIn(files).size() == 2);
}

TEST_CASE("A start refuses a directory that another live job owns", "[connectors][unit]") {
  testing::FaultyFs files;
  SinkOwnership other;
  REQUIRE(CleanUpFileSink(files, Place(kOtherJob), &other).ok());
  const std::string error = ErrorOf(files, Place());
  CHECK(error.find("is being written by a running job") != std::string::npos);
  CHECK(error.find(kOtherJob.ToString()) != std::string::npos);
  CHECK(error.find("stop that job first") != std::string::npos);
  CHECK(ErrorOf(files, Place(kJob, 4)).find("it now belongs to job 00000000...") !=
        std::string::npos);
  CHECK(ReadFile(files, "/out/.weir-owner").find(kOtherJob.ToString()) == 0);
}

TEST_CASE("A job that holds its own directory elsewhere is told so", "[connectors][unit]") {
  testing::FaultyFs files;
  SinkOwnership before;
  REQUIRE(CleanUpFileSink(files, Place(), &before).ok());
  CHECK(ErrorOf(files, Place()).find("still held by an execution of this job before this one") !=
        std::string::npos);
}

TEST_CASE("The directory is free once its job has let it go", "[connectors][unit]") {
  testing::FaultyFs files;
  {
    SinkOwnership other;
    REQUIRE(CleanUpFileSink(files, Place(kOtherJob), &other).ok());
  }
  SinkOwnership ownership;
  CHECK(CleanUpFileSink(files, Place(), &ownership).ok());
}

TEST_CASE("A first start of the same job removes its own unfinished files", "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kJob);
  Put(files, {".part-0-0.0", ".part-1-0.0", "notes.txt"});
  SinkOwnership ownership;
  REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
  CHECK(NamesIn(files) == Names{".weir-owner", "notes.txt"});
}

TEST_CASE("A job knows its own unfinished files after a power cut", "[connectors][unit]") {
  testing::FaultyFs files;
  {
    SinkOwnership ownership;
    REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
    Put(files, {".part-0-0.0"});
    REQUIRE(files.SyncDir(kSinkDirectory).ok());
  }
  files.Crash();
  SinkOwnership ownership;
  REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
  CHECK(NamesIn(files) == Names{".weir-owner"});
}

TEST_CASE("A first start leaves another job's unfinished files alone", "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kOtherJob);
  Put(files, {".part-0-0.0"});
  // Another job's for ever: whoever tries again finds the same.
  const auto code = absl::StatusCode::kAlreadyExists;
  CHECK(ErrorOf(files, Place(), code) ==
        "file sink: directory /out holds output of an earlier run (job " +
            kOtherJob.ToString().substr(0, 8) +
            "...). Remove the directory or choose another. Only that job itself writes on there: a "
            "local run does if it is given its --state-dir; on a cluster each `weir run` is a new "
            "job");
  // Trying again does not make them its own.
  CHECK(ErrorOf(files, Place(), code).find("holds output of an earlier run") != std::string::npos);
  CHECK(NamesIn(files) == Names{".part-0-0.0", ".weir-owner"});
  testing::FaultyFs unowned;
  Put(unowned, {".part-0-0.0"});
  CHECK(ErrorOf(unowned, Place()).find("unfinished output of an unknown job") != std::string::npos);
}

TEST_CASE("A restore removes unnamed temporaries and parts above its checkpoint",
          "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kJob);
  Put(files, {".part-0-3.0", ".part-0-4.0", ".part-1-3.0", "part-0-0-c1", "part-0-1-c5",
              "part-0-2-c6", "part-1-2-c9", "part-0-2-c7.bak", "sub"});
  FileSinkPlace place = Place(kJob, 5);
  place.pending.push_back(EncodePendingPart(
      {.subtask = 0, .number = 3, .attempt = 0, .checkpoint = CheckpointId{5}, .bytes = 1}));
  SinkOwnership ownership;
  const auto highest = CleanUpFileSink(files, place, &ownership);
  REQUIRE(highest.ok());
  CHECK(*highest == CheckpointId{9});
  CHECK(NamesIn(files) == Names{".part-0-3.0", ".weir-owner", "part-0-0-c1", "part-0-1-c5",
                                "part-0-2-c7.bak", "sub"});
}

TEST_CASE("A restore in the same process keeps the directory it has", "[connectors][unit]") {
  testing::FaultyFs files;
  SinkOwnership ownership;
  REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
  Put(files, {".part-0-0.0"});
  REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
  CHECK(NamesIn(files) == Names{".weir-owner"});
  Put(files, {".part-0-0.1", "part-0-0-c1", "part-0-1-c2"});
  REQUIRE(CleanUpFileSink(files, Place(kJob, 1), &ownership).ok());
  CHECK(NamesIn(files) == Names{".weir-owner", "part-0-0-c1"});
}

TEST_CASE("A restore refuses a directory that another job has used since", "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kOtherJob);
  Put(files, {"part-0-0-c8"});
  CHECK(ErrorOf(files, Place(kJob, 5), absl::StatusCode::kAlreadyExists)
            .find("holds output of an earlier run") != std::string::npos);
  CHECK(NamesIn(files).size() == 2);
  testing::FaultyFs emptied;
  PutOwner(emptied, kOtherJob);
  CHECK(ErrorOf(emptied, Place(kJob, 5)).find("but it now belongs to job 00000000") !=
        std::string::npos);
}

TEST_CASE("A restore refuses to go on where its output is gone", "[connectors][unit]") {
  testing::FaultyFs files;
  CHECK(ErrorOf(files, Place(kJob, 5)) ==
        "file sink: directory /out is where this job goes on writing after checkpoint 5, but it is "
        "gone. Put the directory back as it was, with its .weir-owner, or start the job anew, with "
        "an empty output directory for each file sink (a local run also with another --state-dir)");
  CHECK(absl::IsNotFound(files.Stat(kSinkDirectory).status()));
}

TEST_CASE("A restore deletes nothing in a directory without its owner's name",
          "[connectors][unit]") {
  testing::FaultyFs files;
  Put(files, {".part-0-0.0", "part-0-0-c6", "part-0-0-c5"});
  CHECK(ErrorOf(files, Place(kJob, 5)).find("but its .weir-owner is missing. Put") !=
        std::string::npos);
  CHECK(NamesIn(files) == Names{".part-0-0.0", "part-0-0-c5", "part-0-0-c6"});
}

TEST_CASE("A restore in the same process notices that the output is gone", "[connectors][unit]") {
  testing::FaultyFs files;
  SinkOwnership ownership;
  REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
  REQUIRE(files.RemoveTree(kSinkDirectory).ok());
  CHECK(absl::IsFailedPrecondition(CleanUpFileSink(files, Place(kJob, 5), &ownership).status()));
  // Nothing was complete yet: all of it is written again, by a job that others see.
  REQUIRE(CleanUpFileSink(files, Place(), &ownership).ok());
  CHECK(ownership.Owns(kSinkDirectory));
  CHECK(ErrorOf(files, Place(kOtherJob)).find("is being written by a running job") !=
        std::string::npos);
}

TEST_CASE("A sink that the restored checkpoint does not know starts as on a first start",
          "[connectors][unit]") {
  testing::FaultyFs files;
  FileSinkPlace place = Place(kJob, 5);
  place.is_new = true;
  {
    SinkOwnership ownership;
    REQUIRE(CleanUpFileSink(files, place, &ownership).ok());
    CHECK(NamesIn(files) == Names{".weir-owner"});
    // What it wrote after that checkpoint is its own.
    Put(files, {"part-0-0-c6"});
    REQUIRE(CleanUpFileSink(files, place, &ownership).ok());
    CHECK(NamesIn(files) == Names{".weir-owner"});
  }
  testing::FaultyFs foreign;
  Put(foreign, {"part-0-0-c9"});
  CHECK(ErrorOf(foreign, place).find("this sink starts with nothing") != std::string::npos);
  CHECK(NamesIn(foreign) == Names{"part-0-0-c9"});
}

TEST_CASE("Removals are durable before the job starts", "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kJob);
  Put(files, {"part-0-0-c6"});
  REQUIRE(files.SyncDir(kSinkDirectory).ok());
  SinkOwnership ownership;
  REQUIRE(CleanUpFileSink(files, Place(kJob, 5), &ownership).ok());
  files.Crash();
  CHECK(NamesIn(files) == Names{".weir-owner"});
}

TEST_CASE("Damaged state removes nothing", "[connectors][unit]") {
  testing::FaultyFs files;
  PutOwner(files, kJob);
  Put(files, {".part-0-0.0", "part-0-0-c6"});
  FileSinkPlace place = Place(kJob, 5);
  place.pending = {"damaged"};
  SinkOwnership ownership;
  CHECK(CleanUpFileSink(files, place, &ownership).status().code() == absl::StatusCode::kDataLoss);
  CHECK(NamesIn(files).size() == 3);
}

TEST_CASE("Two sinks of one job may not share a directory", "[connectors][unit]") {
  testing::FaultyFs files;
  graph::Plan plan;
  for (const char* id : {"a", "b"}) {
    graph::PlanNode& node = plan.nodes.emplace_back();
    node.id = node.uid = id;
    graph::SinkSpec spec;
    spec.connector = graph::FileSinkOptions{.path = kSinkDirectory};
    node.spec = spec;
  }
  SinkOwnership ownership;
  const auto prepared = PrepareSinks(files, plan, kJob, {}, {}, &ownership);
  CHECK(prepared.status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(prepared.status().message().find("two sinks of this job") != StringView::npos);
}

TEST_CASE("A job's sinks are all prepared on a real disk", "[connectors][unit]") {
  const TemporaryDirectory directory;
  fs::LocalFileSystem files;
  graph::Plan plan;
  for (const char* id : {"a", "b"}) {
    graph::PlanNode& node = plan.nodes.emplace_back();
    node.id = node.uid = id;
    graph::SinkSpec spec;
    spec.connector = graph::FileSinkOptions{.path = directory.File(id)};
    node.spec = spec;
  }
  SinkOwnership ownership;
  const auto prepared = PrepareSinks(files, plan, kJob, {}, {}, &ownership);
  INFO(prepared.status().ToString());
  REQUIRE(prepared.ok());
  CHECK(*prepared == kNoCheckpoint);
  CHECK(ownership.Owns(directory.File("a")));
  SinkOwnership other;
  CHECK(PrepareSinks(files, plan, kOtherJob, {}, {}, &other).status().code() ==
        absl::StatusCode::kFailedPrecondition);
}

}  // namespace weir::connectors

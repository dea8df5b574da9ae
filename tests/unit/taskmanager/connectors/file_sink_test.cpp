// What must hold: a row is visible exactly when a checkpoint that covers it is complete, and once,
// whatever is lost, repeated or restored in between.
#include <algorithm>

#include "common/testing/faulty_fs.h"
#include "common/types/csv/csv_encoder.h"
#include "taskmanager/connectors/pending_part.h"
#include "tests/unit/taskmanager/connectors/sink_run.h"

namespace weir::connectors {
namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("FileSink shows rows when their checkpoint is complete", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {.attempt = 4, .subtask = 2, .parallelism = 3}, clock, files);
  REQUIRE(run.opened().ok());
  REQUIRE(run.Write({1, 2}).ok());
  CHECK(NamesIn(files) == Names{".part-2-0.4"});
  run.Checkpoint(7);
  CHECK(NamesIn(files) == Names{".part-2-0.4"});
  REQUIRE(run.Notify(7).ok());
  CHECK(NamesIn(files) == Names{"part-2-0-c7"});
  CHECK(ReadFile(files, "/out/part-2-0-c7") == "{\"v\":1}\n{\"v\":2}\n");
}

TEST_CASE("FileSink makes no part for a checkpoint without rows", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {}, clock, files);
  CHECK(run.Checkpoint(1).at(kPendingPartsList).elements.empty());
  REQUIRE(run.Notify(1).ok());
  REQUIRE(run.Write({5}).ok());
  run.Checkpoint(2);
  REQUIRE(run.Notify(2).ok());
  CHECK(NamesIn(files) == Names{"part-0-0-c2"});
}

TEST_CASE("FileSink catches up on missed notifications and ignores older ones",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {}, clock, files);
  for (int64_t id = 0; id < 3; ++id) {
    REQUIRE(run.Write({42 + id}).ok());
    run.Checkpoint(id + 1);
  }
  REQUIRE(run.Notify(3).ok());
  REQUIRE(run.Notify(2).ok());
  CHECK(CommittedLines(files) == Lines({42, 43, 44}));
  CHECK(NamesIn(files) == Names{"part-0-0-c1", "part-0-1-c2", "part-0-2-c3"});
}

TEST_CASE("FileSink commits no more than the notified checkpoint", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {}, clock, files);
  for (int64_t id = 1; id <= 3; ++id) {
    REQUIRE(run.Write({41 + id}).ok());
    run.Checkpoint(id);
  }
  REQUIRE(run.Write({45}).ok());
  REQUIRE(run.Notify(2).ok());
  CHECK(CommittedLines(files) == Lines({42, 43}));
  CHECK(NamesIn(files) == Names{".part-0-2.0", ".part-0-3.0", "part-0-0-c1", "part-0-1-c2"});
}

TEST_CASE("FileSink commits rows of an aborted checkpoint with the next", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {}, clock, files);
  REQUIRE(run.Write({1}).ok());
  REQUIRE(run.Snapshot(1).ok());
  run.parts().clear();  // the aborted checkpoint's async parts never ran
  REQUIRE(run.NotifyAborted(1).ok());
  REQUIRE(run.Write({2}).ok());
  REQUIRE(run.Snapshot(2).ok());
  CHECK(run.parts().size() == 2);
  REQUIRE(run.RunParts().ok());
  REQUIRE(run.Notify(2).ok());
  CHECK(NamesIn(files) == Names{"part-0-0-c1", "part-0-1-c2"});
}

TEST_CASE("FileSink's rows survive a power cut right after the acknowledgement",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  Lists lists;
  {
    SinkRun run(*sink, {}, clock, files);
    REQUIRE(run.Write({1, 2, 3}).ok());
    lists = run.Checkpoint(1);
    REQUIRE(run.Write({4}).ok());
  }
  files.Crash();
  SinkRun restored(*sink, {.attempt = 1, .restored = CheckpointId{1}}, clock, files, lists);
  INFO(restored.opened().ToString());
  REQUIRE(restored.opened().ok());
  CHECK(CommittedLines(files) == Lines({1, 2, 3}));
}

TEST_CASE("FileSink's commit survives a power cut right after the notification",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  {
    SinkRun run(*sink, {}, clock, files);
    REQUIRE(run.Write({1}).ok());
    run.Checkpoint(1);
    REQUIRE(run.Notify(1).ok());
  }
  files.Crash();
  CHECK(NamesIn(files) == Names{"part-0-0-c1"});
}

TEST_CASE("FileSink commits again what a checkpoint holds, as often as it is restored",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  Lists lists;
  {
    SinkRun run(*sink, {}, clock, files);
    REQUIRE(run.Write({42}).ok());
    run.Checkpoint(1);
    REQUIRE(run.Write({43}).ok());
    lists = run.Checkpoint(2);
    REQUIRE(run.Notify(1).ok());
  }
  for (uint32_t attempt = 1; attempt < 4; ++attempt) {
    SinkRun run(*sink, {.attempt = attempt, .restored = CheckpointId{2}}, clock, files, lists);
    REQUIRE(run.opened().ok());
    CHECK(CommittedLines(files) == Lines({42, 43}));
  }
}

TEST_CASE("FileSink never takes missing output for committed output", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  Lists lists;
  {
    SinkRun run(*sink, {}, clock, files);
    REQUIRE(run.Write({42}).ok());
    lists = run.Checkpoint(1);
  }
  files.Truncate("/out/.part-0-0.0", 3);
  const SubtaskPlace restored{.attempt = 1, .restored = CheckpointId{1}};
  CHECK(SinkRun(*sink, restored, clock, files, lists).opened().code() ==
        absl::StatusCode::kDataLoss);
  REQUIRE(files.Remove("/out/.part-0-0.0").ok());
  const absl::Status gone = SinkRun(*sink, restored, clock, files, lists).opened();
  CHECK(gone.code() == absl::StatusCode::kDataLoss);
  CHECK(gone.message() ==
        "output is lost: neither /out/.part-0-0.0 nor /out/part-0-0-c1 is there, but checkpoint 1 "
        "says that rows were written to it. Put back what was removed from the directory, or start "
        "the job anew, with an empty output directory for each file sink (a local run also with "
        "another --state-dir)");
}

TEST_CASE("FileSink's pending parts have one owner at any parallelism, and numbers go on",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  std::vector<Lists> all;
  std::vector<int64_t> written;
  for (uint32_t i = 0; i < 3; ++i) {
    SinkRun run(*sink, {.subtask = i, .parallelism = 3}, clock, files);
    for (int64_t id = 1; id <= 1 + i; ++id) {
      written.push_back(10 * i + id);
      REQUIRE(run.Write({written.back()}).ok());
      REQUIRE(run.Snapshot(id).ok());
      REQUIRE(run.RunParts().ok());
    }
    all.push_back(run.Checkpoint(5));
  }
  for (const uint32_t parallelism : {1u, 2u, 5u}) {
    size_t owned = 0;
    const std::vector<Lists> dealt = DealLists(all, parallelism);
    for (const Lists& lists : dealt) owned += lists.at(kPendingPartsList).elements.size();
    CHECK(owned == written.size());
  }
  const std::vector<Lists> dealt = DealLists(all, 2);
  for (uint32_t i = 0; i < 2; ++i) {
    SinkRun run(*sink, {.attempt = 1, .subtask = i, .parallelism = 2, .restored = CheckpointId{5}},
                clock, files, dealt[i]);
    REQUIRE(run.opened().ok());
    written.push_back(100 + i);
    REQUIRE(run.Write({written.back()}).ok());
    run.Checkpoint(6);
    REQUIRE(run.Notify(6).ok());
  }
  CHECK(CommittedLines(files) == Lines(written));
  const Names names = NamesIn(files);
  CHECK(std::count(names.begin(), names.end(), "part-0-3-c6") == 1);
  CHECK(std::count(names.begin(), names.end(), "part-1-3-c6") == 1);
}

TEST_CASE("FileSink fails on a full disk and leaves nothing half committed", "[connectors][unit]") {
  const auto sink = JsonFileSink();
  testing::ManualClock clock;
  bool went_through = false;
  for (uint64_t site = 1; !went_through; ++site) {
    CAPTURE(site);
    testing::FaultyFs files;
    SinkRun run(*sink, {}, clock, files);
    files.FailAt(site, testing::Fault::kFullDisk);
    const absl::Status written = run.Write({1, 2, 3});
    absl::Status status = written;
    if (status.ok()) status = run.Snapshot(1).status();
    if (status.ok()) status = run.RunParts();
    // Only what was acknowledged is notified.
    if (status.ok()) status = run.Notify(1);
    went_through = !files.has_fired();
    CHECK(status.ok() == went_through);
    if (!went_through) CHECK(status.code() == absl::StatusCode::kResourceExhausted);
    files.ClearFaults();
    const std::vector<std::string> lines = CommittedLines(files);
    CHECK((lines.empty() || lines == Lines({1, 2, 3})));
  }
}

TEST_CASE("FileSink fails its task when a part could not be made durable", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {}, clock, files);
  REQUIRE(run.Write({1}).ok());
  REQUIRE(run.Snapshot(1).ok());
  files.FailAt(1, testing::Fault::kIoError);
  REQUIRE_FALSE(run.RunParts().ok());
  files.ClearFaults();
  CHECK_FALSE(run.Snapshot(2).ok());
  CHECK_FALSE(run.Write({2}).ok());
  CHECK(CommittedLines(files).empty());
}

TEST_CASE("FileSink repeats a commit that failed half way after a restore", "[connectors][unit]") {
  const auto sink = JsonFileSink();
  testing::ManualClock clock;
  bool went_through = false;
  for (uint64_t site = 1; !went_through; ++site) {
    CAPTURE(site);
    testing::FaultyFs files;
    Lists lists;
    {
      SinkRun run(*sink, {}, clock, files);
      REQUIRE(run.Write({1}).ok());
      run.Checkpoint(1);
      REQUIRE(run.Write({2}).ok());
      lists = run.Checkpoint(2);
      files.FailAt(site, testing::Fault::kPowerCut);
      went_through = run.Notify(2).ok();
      CHECK(went_through != files.has_fired());
    }
    files.Crash();
    SinkRun restored(*sink, {.attempt = 1, .restored = CheckpointId{2}}, clock, files, lists);
    REQUIRE(restored.opened().ok());
    CHECK(CommittedLines(files) == Lines({1, 2}));
  }
}

TEST_CASE("FileSink begins each part with the csv header", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink =
      MakeFileSink({.path = kSinkDirectory}, graph::SinkChangelog::kAppend,
                   types::MakeCsvEncoder(ValueSchema(), {.header = true}, types::WithOp::kNo));
  SinkRun run(*sink, {}, clock, files);
  for (int64_t id = 1; id <= 2; ++id) {
    REQUIRE(run.Write({id}).ok());
    run.Checkpoint(id);
    REQUIRE(run.Notify(id).ok());
  }
  CHECK(ReadFile(files, "/out/part-0-0-c1") == "v\n1\n");
  CHECK(ReadFile(files, "/out/part-0-1-c2") == "v\n2\n");
}

TEST_CASE("FileSink writes only additions under insert_only and counts deletes",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = MakeFileSink({.path = kSinkDirectory}, graph::SinkChangelog::kInsertOnly,
                                 types::MakeJsonEncoder(ValueSchema(), types::WithOp::kNo));
  types::BatchBuilder builder(ValueSchema());
  int64_t value = 0;
  for (const types::ChangeKind kind :
       {types::ChangeKind::kInsert, types::ChangeKind::kUpdateBefore,
        types::ChangeKind::kUpdateAfter, types::ChangeKind::kDelete}) {
    builder.column(0).Append(++value);
    builder.EndRow(kind);
  }
  SinkRun run(*sink, {}, clock, files);
  REQUIRE(run.WriteBatch(builder.Finish()).ok());
  run.Checkpoint(1);
  REQUIRE(run.Notify(1).ok());
  CHECK(CommittedLines(files) == Lines({1, 3}));
  CHECK(run.metrics().deletes_dropped.load() == 1);
  CHECK(run.metrics().rows_in.load() == 4);
  CHECK(run.metrics().rows_out.load() == 2);
}

TEST_CASE("FileSink writes a changelog's operations under log", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto written = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"v", types::kInt64Type}, {"_op", types::kStringType}});
  const auto sink = MakeFileSink({.path = kSinkDirectory}, graph::SinkChangelog::kLog,
                                 types::MakeJsonEncoder(written, types::WithOp::kYes));
  types::BatchBuilder builder(ValueSchema());
  builder.column(0).Append<int64_t>(1);
  builder.EndRow(types::ChangeKind::kDelete);
  SinkRun run(*sink, {}, clock, files);
  REQUIRE(run.WriteBatch(builder.Finish()).ok());
  run.Checkpoint(1);
  REQUIRE(run.Notify(1).ok());
  CHECK(ReadFile(files, "/out/part-0-0-c1") == "{\"v\":1,\"_op\":\"delete\"}\n");
}

TEST_CASE("FileSink writes long parts in pieces", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = JsonFileSink();
  SinkRun run(*sink, {}, clock, files);
  std::vector<int64_t> values(1000);
  for (int64_t& value : values) value = 1'000'000'000'000;
  for (int i = 0; i < 100; ++i) REQUIRE(run.Write(values).ok());
  const uint64_t early = files.Stat("/out/.part-0-0.0")->size;
  CHECK(early > kPartBufferBytes);
  run.Checkpoint(1);
  REQUIRE(run.Notify(1).ok());
  CHECK(files.Stat("/out/part-0-0-c1")->size ==
        100'000 * std::string("{\"v\":1000000000000}\n").size());
}

}  // namespace weir::connectors

// What must hold: a file that is not the one the job began to read is refused, and what was read to
// its end stays so.
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/fs/local/local_file_system.h"
#include "taskmanager/connectors/file_splits.h"
#include "tests/unit/taskmanager/connectors/source_file.h"

namespace weir::connectors {

TEST_CASE("A missing file and a directory are errors that name the path", "[connectors][unit]") {
  testing::FaultyFs files;
  REQUIRE(files.MakeDirs("/data").ok());
  const absl::Status missing = StatusOfReading(&files, *Source({}, LineSchema()));
  CHECK(missing.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(missing.message().find(kPath) != StringView::npos);
  REQUIRE(files.MakeDirs(kPath).ok());
  CHECK(StatusOfReading(&files, *Source({}, LineSchema())).code() ==
        absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("A file that changed since the checkpoint is refused, saying how", "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, std::string(3 * types::kBatchRowsMax, '\n'));
  const auto source = Source({}, LineSchema());
  testing::ManualClock clock;
  Lists lists;
  {
    SourceRun run(*source, {}, clock, files);
    REQUIRE(run.Poll().ok());
    lists = run.Snapshot();
  }
  const SubtaskPlace restored{.restored = CheckpointId{1}};
  CHECK(SourceRun(*source, restored, clock, files, lists).opened().ok());
  REQUIRE((*files.OpenAppend(kPath))->Append("more\n").ok());
  const absl::Status changed = SourceRun(*source, restored, clock, files, lists).opened();
  CHECK(changed.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(changed.message().find("it is longer, 3077 bytes instead of 3072") != StringView::npos);
  CHECK(changed.message().find("its first 3072 bytes are the same") != StringView::npos);
}

TEST_CASE("Of a changed file it is said whether it is shorter or has other content",
          "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, "one\ntwo\n");
  const FileIdentity then = ReadFileHead(files, kPath)->identity;
  const auto change_of = [&](StringView bytes) {
    testing::FaultyFs others;
    PutFile(&others, bytes);
    FileHead now = *ReadFileHead(others, kPath);
    now.identity.mtime_us = then.mtime_us;
    const std::string message(CheckUnchanged(kPath, then, now, "then").message());
    return message.substr(0, message.find(". A file must"));
  };
  CHECK(change_of("one\ntwo\n").empty());
  CHECK(change_of("one\n") ==
        "/data/in.txt: the file has changed since then: it is shorter, 4 bytes instead of 8");
  CHECK(change_of("one\ntow\n") ==
        "/data/in.txt: the file has changed since then: its first 8 bytes differ");
  CHECK(change_of("One\ntwo\nx") ==
        "/data/in.txt: the file has changed since then: it is longer, 9 bytes instead of 8, its "
        "first 8 bytes differ");
}

TEST_CASE("A file that does not tell its size is refused rather than read as empty",
          "[connectors][unit]") {
  fs::LocalFileSystem files;
  const absl::StatusOr<FileHead> head = ReadFileHead(files, "/proc/self/status");
  CHECK(head.status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(head.status().message().find("copy it to a regular file") != StringView::npos);
}

TEST_CASE("A file that changes while it is read is noticed at its end", "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, std::string(3 * types::kBatchRowsMax, '\n'));
  const auto source = Source({}, LineSchema());
  testing::ManualClock clock;
  SourceRun run(*source, {}, clock, files);
  REQUIRE(run.Poll().ok());
  REQUIRE((*files.OpenAppend(kPath))->Append("more\n").ok());
  CHECK(run.PollToEnd().code() == absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("A source whose splits are all read stays finished after a restore",
          "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, "a\nb\n");
  const auto source = Source({}, LineSchema());
  testing::ManualClock clock;
  Lists lists;
  {
    SourceRun run(*source, {}, clock, files);
    REQUIRE(run.PollToEnd().ok());
    lists = run.Snapshot();
  }
  for (const Lists& own : DealLists({lists}, 3)) {
    SourceRun run(*source, {.parallelism = 3, .restored = CheckpointId{1}}, clock, files, own);
    REQUIRE(run.opened().ok());
    const auto polled = run.Poll();
    REQUIRE(polled.ok());
    CHECK(polled->verdict == operators::PollVerdict::kFinished);
    CHECK(run.out().rows.empty());
  }
}

TEST_CASE("A stored file range that makes no sense is refused", "[connectors][unit]") {
  FileRange range{.begin = 5, .end = 9, .identity = {.size = 9}};
  CHECK(*DecodeFileRange(EncodeFileRange(range)) == range);
  range.end = 10;
  CHECK(DecodeFileRange(EncodeFileRange(range)).status().code() == absl::StatusCode::kDataLoss);
  CHECK_FALSE(DecodeFileRange("abc").ok());
}

}  // namespace weir::connectors

#include "taskmanager/connectors/source_driver.h"

#include <absl/strings/str_cat.h>

#include "common/testing/faulty_fs.h"
#include "taskmanager/connectors/file_source.h"
#include "taskmanager/connectors/file_splits.h"
#include "tests/unit/taskmanager/connectors/connector_harness.h"

namespace weir::connectors {
namespace {

using Rows = std::vector<std::string>;

constexpr char kPath[] = "/data/in.json";

types::SchemaPtr TimedSchema() {
  return std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"t", types::kTimestampType}});
}

std::string Line(int second) {
  return absl::StrCat("{\"t\":\"1970-01-01T00:00:", second < 10 ? "0" : "", second, "Z\"}\n");
}

std::string Row(int second) {
  const std::string line = Line(second);
  return line.substr(0, line.size() - 1);
}

std::string WatermarkAt(int64_t second) {
  return absl::StrCat("watermark ", second * 1'000'000);
}

struct SourceSettings {
  absl::optional<double> rate;
  absl::Duration delay = absl::ZeroDuration();
  absl::Duration idle_timeout = absl::Seconds(60);
  bool has_watermark = true;
  graph::OnError on_error = graph::OnError::kFail;
};

std::unique_ptr<operators::SourceOperator> Source(const SourceSettings& settings) {
  SourceDriverOptions options;
  options.step_id = "in";
  options.rows_per_second = settings.rate;
  options.on_error = settings.on_error;
  options.event_time.emplace();
  options.event_time->expr = ColumnExpr(0);
  options.event_time->delay = settings.delay;
  options.event_time->idle_timeout = settings.idle_timeout;
  options.event_time->has_watermark = settings.has_watermark;
  return MakeSourceDriver(
      std::move(options),
      MakeFileSource({.path = kPath}, {.kind = graph::FormatKind::kJson}, TimedSchema()));
}

void PutFile(testing::FaultyFs* files, StringView bytes) {
  REQUIRE(files->MakeDirs("/data").ok());
  WriteFile(*files, kPath, bytes);
}

// Lists as a checkpoint would hold them, for ranges that begin at `begins`.
Lists ListsOfRanges(testing::FaultyFs* files, const std::vector<uint64_t>& begins) {
  const FileHead head = *ReadFileHead(*files, kPath);
  Lists lists;
  lists[kStartedList] = {state::ListMode::kUnion, {"\1"}};
  for (size_t i = 0; i < begins.size(); ++i) {
    FileRange range;
    range.begin = begins[i];
    range.end = i + 1 < begins.size() ? begins[i + 1] : head.identity.size;
    range.begins_at_row = true;
    range.identity = head.identity;
    Split split;
    split.index = static_cast<uint32_t>(i);
    split.total = static_cast<uint32_t>(begins.size());
    split.detail = EncodeFileRange(range);
    lists[kSplitsList].elements.push_back(EncodeSplit(split));
  }
  return lists;
}

}  // namespace

TEST_CASE("A source gives rows their event times and a watermark behind them",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(5) + Line(9) + Line(7));
  const auto source = Source({.rate = 100, .delay = absl::Seconds(2)});
  SourceRun run(*source, {}, clock, files);
  for (int i = 0; i < 6; ++i) {
    clock.Advance(absl::Milliseconds(11));
    REQUIRE(run.Poll().ok());
  }
  CHECK(run.out().events == Rows{Row(5), WatermarkAt(3), Row(9), WatermarkAt(7), Row(7)});
  CHECK(run.out().event_times == std::vector<EventTimeUs>{5'000'000, 9'000'000, 7'000'000});
}

TEST_CASE("A source without watermarks gives event times only", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(5) + Line(9));
  const auto source = Source({.has_watermark = false});
  SourceRun run(*source, {}, clock, files);
  REQUIRE(run.PollToEnd().ok());
  CHECK(run.out().events == Rows{Row(5), Row(9)});
  CHECK(run.out().event_times.size() == 2);
}

TEST_CASE("An unread split holds the watermark back, a finished one does not",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const std::string text = Line(10) + Line(20) + Line(5) + Line(6);
  PutFile(&files, text);
  const uint64_t line = Line(10).size();
  const auto source = Source({.rate = 100});
  SourceRun run(*source, {.restored = CheckpointId{1}}, clock, files,
                ListsOfRanges(&files, {0, 2 * line}));
  REQUIRE(run.opened().ok());
  for (int i = 0; i < 4; ++i) {
    clock.Advance(absl::Milliseconds(11));
    REQUIRE(run.Poll().ok());
  }
  CHECK(run.out().events == Rows{Row(10), Row(20), Row(5), WatermarkAt(5), Row(6)});
}

TEST_CASE("The watermark of a checkpoint comes before the first row after a restore",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(30) + Line(4));
  const auto source = Source({.rate = 100});
  Lists lists;
  {
    SourceRun run(*source, {}, clock, files);
    clock.Advance(absl::Milliseconds(11));
    REQUIRE(run.Poll().ok());
    REQUIRE(run.out().events == Rows{Row(30), WatermarkAt(30)});
    lists = run.Snapshot();
  }
  SourceRun run(*source, {.restored = CheckpointId{1}}, clock, files, lists);
  clock.Advance(absl::Milliseconds(11));
  REQUIRE(run.Poll().ok());
  CHECK(run.out().events == Rows{WatermarkAt(30), Row(4)});
}

TEST_CASE("A row whose event time is NULL is an error of that row", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(1) + "{\"t\":null}\n" + Line(2) + "{}\n");
  const auto failing = Source({});
  SourceRun failed(*failing, {}, clock, files);
  CHECK(failed.PollToEnd().message() ==
        "step 'in', /data/in.json: byte 29: the event time is NULL (on_error: skip drops such "
        "rows)");
  const auto skipping = Source({.on_error = graph::OnError::kSkip});
  SourceRun run(*skipping, {}, clock, files);
  REQUIRE(run.PollToEnd().ok());
  CHECK(run.out().rows == Rows{Row(1), Row(2)});
  CHECK(run.out().event_times == std::vector<EventTimeUs>{1'000'000, 2'000'000});
  CHECK(run.metrics().rows_skipped.load() == 2);
}

TEST_CASE("A source is idle when its rate lets nothing through for too long",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(1) + Line(2) + Line(3));
  const auto source = Source({.rate = 0.1, .idle_timeout = absl::Seconds(4)});
  SourceRun run(*source, {}, clock, files);
  const absl::Duration start = clock.SteadyNow();
  auto polled = run.Poll();
  REQUIRE(polled.ok());
  CHECK(polled->verdict == operators::PollVerdict::kWait);
  CHECK(polled->wait_until == start + absl::Seconds(4));
  clock.Advance(absl::Seconds(4));
  polled = run.Poll();
  CHECK(polled->verdict == operators::PollVerdict::kWait);
  CHECK(polled->wait_until > start + absl::Seconds(10));
  CHECK(polled->wait_until < start + absl::Seconds(10.001));
  CHECK(run.Poll()->verdict == operators::PollVerdict::kWait);
  clock.Advance(absl::Seconds(6.001));
  CHECK(run.Poll()->verdict == operators::PollVerdict::kMore);
  CHECK(run.out().events == Rows{"idle", "active", Row(1), WatermarkAt(1)});
}

TEST_CASE("An idle timeout of zero is off", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(1));
  const auto source = Source({.rate = 0.001, .idle_timeout = absl::ZeroDuration()});
  SourceRun run(*source, {}, clock, files);
  clock.Advance(absl::Seconds(900));
  REQUIRE(run.Poll().ok());
  CHECK(run.out().events.empty());
}

TEST_CASE("A subtask gets the share of the rate that its splits are", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  std::string text;
  for (int i = 0; i < 400; ++i) text += Line(i % 60);
  PutFile(&files, text);
  const uint64_t line = Line(0).size();
  const auto source = Source({.rate = 100});
  Lists all = ListsOfRanges(&files, {0, 100 * line, 200 * line, 300 * line});
  for (const uint32_t own : {1u, 3u}) {
    Lists lists = all;
    lists[kSplitsList].elements.resize(own);
    SourceRun run(*source, {.restored = CheckpointId{1}}, clock, files, lists);
    for (int i = 0; i < 1000; ++i) {
      clock.Advance(absl::Milliseconds(1));
      REQUIRE(run.Poll().ok());
    }
    CHECK(run.out().rows.size() >= own * 25 - 1);
    CHECK(run.out().rows.size() <= own * 25);
  }
}

TEST_CASE("A subtask without a split is finished at once, and only a first start makes splits",
          "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(1));
  const auto source = Source({});
  SourceRun second(*source, {.subtask = 1, .parallelism = 2}, clock, files);
  CHECK(second.Poll()->verdict == operators::PollVerdict::kFinished);
  const Lists lists = second.Snapshot();
  CHECK(lists.at(kSplitsList).elements.empty());
  // Alone, as if the other subtask's state held no split either: nothing is read again.
  SourceRun again(*source, {.restored = CheckpointId{1}}, clock, files, lists);
  CHECK(again.Poll()->verdict == operators::PollVerdict::kFinished);
  // A source that the checkpoint does not know starts now.
  SourceRun added(*source, {.restored = CheckpointId{1}}, clock, files);
  REQUIRE(added.PollToEnd().ok());
  CHECK(added.out().rows == Rows{Row(1)});
}

// Its input is there or not, as the test says.
class InputThatFails final : public SplitSource {
 public:
  explicit InputThatFails(absl::Status status) : status_(std::move(status)) {}
  absl::StatusOr<std::vector<Split>> MakeSplits(fs::FileSystem&) const override { return status_; }
  absl::StatusOr<std::unique_ptr<SplitReader>> NewReader(fs::FileSystem&,
                                                         const std::vector<Split>&) const override {
    return status_;
  }

 private:
  const absl::Status status_;
};

TEST_CASE("Input that is not there is final at a first start only", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, absl::StrCat(Line(1), Line(2)));
  Lists lists;
  {
    const auto source = Source({});
    SourceRun run(*source, {}, clock, files);
    REQUIRE(run.opened().ok());
    lists = run.Snapshot();
  }
  const auto opened = [&](const absl::Status& status, bool restores) {
    SourceDriverOptions options;
    options.step_id = "in";
    const auto source = MakeSourceDriver(options, std::make_unique<InputThatFails>(status));
    const SubtaskPlace place{.restored = restores ? CheckpointId{1} : kNoCheckpoint};
    return SourceRun(*source, place, clock, files, restores ? lists : Lists()).opened();
  };
  for (const absl::Status& status :
       {absl::NotFoundError("cannot open x"), absl::PermissionDeniedError("cannot open x")}) {
    const absl::Status first = opened(status, /*restores=*/false);
    CHECK(first.code() == absl::StatusCode::kFailedPrecondition);
    CHECK(first.message() == "cannot open x, or correct the source's options");
    CHECK(opened(status, /*restores=*/true) == status);
  }
  const absl::Status busy = absl::UnavailableError("try again");
  CHECK(opened(busy, /*restores=*/false) == busy);
}

TEST_CASE("Stored splits that are damaged are refused", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  PutFile(&files, Line(1));
  const auto source = Source({});
  Lists lists = ListsOfRanges(&files, {0});
  lists[kSplitsList].elements[0].pop_back();
  SourceRun run(*source, {.restored = CheckpointId{1}}, clock, files, lists);
  CHECK(run.opened().code() == absl::StatusCode::kDataLoss);
}

}  // namespace weir::connectors

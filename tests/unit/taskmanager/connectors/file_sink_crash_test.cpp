// What must hold: whatever dies, whenever, and with whatever parallelism it starts again, in the
// end each row is in the output exactly once.
#include <algorithm>
#include <memory>

#include "common/testing/faulty_fs.h"
#include "taskmanager/connectors/file_sink_cleanup.h"
#include "taskmanager/connectors/pending_part.h"
#include "tests/unit/taskmanager/connectors/sink_run.h"

namespace weir::connectors {
namespace {

constexpr int kRuns = 120;
constexpr int64_t kRowCount = 60;
constexpr uint64_t kParallelismMax = 3;

// A job with a source that can be replayed from a position and a file sink behind it.
class CrashingJob {
 public:
  explicit CrashingJob(uint64_t seed) : random_(seed), sink_(JsonFileSink()) {}

  // Until all rows are written and committed.
  void RunToEnd() {
    while (!RunAttempt()) {
      subtasks_.clear();
      ownership_ = SinkOwnership();
      if (random_.OneIn(2)) {
        files_.Crash(random_.Below(4));
      } else {
        files_.KillProcess();
      }
    }
  }
  testing::FaultyFs& files() { return files_; }

 private:
  struct Completed {
    CheckpointId id = kNoCheckpoint;
    int64_t position = 0;
    std::vector<Lists> lists;
  };

  // False: it died.
  bool RunAttempt() {
    Start();
    int64_t position = completed_.position;
    while (position < kRowCount) {
      if (random_.OneIn(30)) return false;
      const size_t subtask = random_.Below(subtasks_.size());
      REQUIRE(subtasks_[subtask]->Write({++position}).ok());
      if (random_.OneIn(6) && !Checkpoint(position)) return false;
    }
    return Checkpoint(position) && completed_.position == position && NotifyAll();
  }

  void Start() {
    FileSinkPlace place{
        .directory = kSinkDirectory, .job = {1, 1}, .restored = completed_.id, .pending = {}};
    for (const Lists& lists : completed_.lists) {
      const auto& elements = lists.at(kPendingPartsList).elements;
      place.pending.insert(place.pending.end(), elements.begin(), elements.end());
    }
    const auto highest = CleanUpFileSink(files_, place, &ownership_);
    INFO(highest.status().ToString());
    REQUIRE(highest.ok());
    next_id_ = std::max(next_id_, ToInt(*highest) + 1);
    const uint32_t parallelism = static_cast<uint32_t>(1 + random_.Below(kParallelismMax));
    const std::vector<Lists> dealt = DealLists(completed_.lists, parallelism);
    ++attempt_;
    for (uint32_t i = 0; i < parallelism; ++i) {
      subtasks_.push_back(std::make_unique<SinkRun>(*sink_,
                                                    SubtaskPlace{.attempt = attempt_,
                                                                 .subtask = i,
                                                                 .parallelism = parallelism,
                                                                 .restored = completed_.id},
                                                    clock_, files_, dealt[i]));
      INFO(subtasks_.back()->opened().ToString());
      REQUIRE(subtasks_.back()->opened().ok());
    }
  }

  // False: the job died on the way.
  bool Checkpoint(int64_t position) {
    const int64_t id = next_id_++;
    std::vector<Lists> lists;
    const bool is_aborted = position < kRowCount && random_.OneIn(4);
    for (const auto& subtask : subtasks_) {
      lists.push_back(*subtask->Snapshot(id));
      if (is_aborted && random_.OneIn(2)) {
        subtask->parts().clear();
      } else {
        REQUIRE(subtask->RunParts().ok());
      }
      if (random_.OneIn(40)) return false;
    }
    if (is_aborted) return true;
    completed_ = {CheckpointId{id}, position, std::move(lists)};
    for (const auto& subtask : subtasks_) {
      if (random_.OneIn(40)) return false;
      if (random_.OneIn(3)) continue;  // its notification is lost
      REQUIRE(subtask->Notify(id).ok());
    }
    return true;
  }

  bool NotifyAll() {
    for (const auto& subtask : subtasks_) REQUIRE(subtask->Notify(ToInt(completed_.id)).ok());
    return true;
  }

  base::Random random_;
  testing::FaultyFs files_;
  testing::ManualClock clock_;
  const std::unique_ptr<operators::Operator> sink_;
  Completed completed_;
  int64_t next_id_ = 1;
  uint32_t attempt_ = 0;
  SinkOwnership ownership_;
  std::vector<std::unique_ptr<SinkRun>> subtasks_;
};

}  // namespace

TEST_CASE("FileSink's output has each row once after any crashes", "[connectors][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  std::vector<int64_t> expected;
  for (int64_t value = 1; value <= kRowCount; ++value) expected.push_back(value);
  for (int run = 0; run < kRuns; ++run) {
    CAPTURE(run);
    CrashingJob job(seed + static_cast<uint64_t>(run));
    job.RunToEnd();
    REQUIRE(CommittedLines(job.files()) == Lines(expected));
    for (const std::string& name : NamesIn(job.files())) CHECK(name.rfind(".part", 0) != 0);
  }
}

}  // namespace weir::connectors

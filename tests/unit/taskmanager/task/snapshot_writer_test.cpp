// What must hold: a checkpoint's parts are reported or discarded, and what was aborted is not
// written any further.
#include "taskmanager/task/snapshot_writer.h"

#include <deque>
#include <utility>

#include <catch2/catch.hpp>

#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/file_streams.h"
#include "common/testing/faulty_fs.h"
#include "common/testing/manual_clock.h"

namespace weir::task {
namespace {

constexpr CheckpointId kId{3};

// Runs what it was given when the test says so.
class HeldExecutor final : public base::Executor {
 public:
  void Run(absl::AnyInvocable<void()> work) override { held_.push_back(std::move(work)); }
  void RunAll() {
    for (; !held_.empty(); held_.pop_front()) held_.front()();
  }

 private:
  std::deque<absl::AnyInvocable<void()>> held_;
};

class Places final : public SnapshotPlaces {
 public:
  explicit Places(fs::FileSystem& files)
      : storage_(files, "/cp", *checkpoint::CheckStreamOptions({.inline_threshold = 0}),
                 /*seed=*/1),
        location_(*storage_.MakeLocation(kId)) {}

  absl::StatusOr<std::unique_ptr<state::SnapshotOutputFactory>> OutputsFor(
      const checkpoint::Barrier&) override {
    return storage_.OutputsAt(location_);
  }
  absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> InputsFor(
      const std::string& location) override {
    return storage_.InputsAt(location);
  }
  void Discard(const checkpoint::Barrier&, const state::OperatorSubtaskState& part) override {
    for (const state::OperatorStateHandle& handle : part.operator_managed) {
      REQUIRE(storage_.Discard(location_, {handle.stream}).ok());
    }
  }
  const std::string& location() const { return location_; }

 private:
  checkpoint::FileCheckpointStorage storage_;
  const std::string location_;
};

struct Heard final : public rpc::TaskEvents {
  void OnTaskRunning(const checkpoint::Sender&) override {}
  void OnEndOfData(const checkpoint::Sender&) override {}
  void OnTaskEnded(const checkpoint::Sender&, const absl::Status&) override {}
  void OnAck(checkpoint::AckFacts ack) override { acks.push_back(std::move(ack)); }
  void OnDecline(const checkpoint::DeclineFacts& decline) override { declines.push_back(decline); }

  std::vector<checkpoint::AckFacts> acks;
  std::vector<checkpoint::DeclineFacts> declines;
};

// A writer and all it stands on. Each of a checkpoint's two operators has a step and a list.
struct Bench {
  void Start() {
    std::vector<OperatorPart> parts(2);
    for (OperatorPart& part : parts) {
      part.uid.assign(1, &part == &parts[0] ? 'a' : 'b');
      part.async_parts.emplace_back([this] {
        ++steps;
        if (steps == abort_in_step) writer.Abort(kId);
        return step_result;
      });
      part.lists = std::make_unique<state::OperatorSnapshot>(
          std::map<std::string, state::ListState>{{"list", {.elements = {"element"}}}});
    }
    checkpoint::Barrier barrier;
    barrier.id = kId;
    writer.Start(barrier, std::move(parts), {}, /*finished=*/false);
  }
  size_t FileCount() { return files.List(places.location())->size(); }

  testing::FaultyFs files;
  Places places{files};
  testing::ManualClock clock;
  HeldExecutor io;
  Heard heard;
  SnapshotWriter writer{io, places, clock, {}, heard};
  int steps = 0;
  int abort_in_step = 0;
  absl::Status step_result;
};

TEST_CASE("A snapshot is written and acknowledged", "[task][unit]") {
  Bench bench;
  bench.Start();
  bench.io.RunAll();
  REQUIRE(bench.heard.acks.size() == 1);
  CHECK(bench.heard.acks[0].id == kId);
  CHECK(bench.heard.acks[0].states.size() == 2);
  CHECK(bench.steps == 2);
  CHECK(bench.FileCount() == 2);
}

TEST_CASE("A step that fails declines the checkpoint and leaves no file", "[task][unit]") {
  Bench bench;
  bench.step_result = absl::UnavailableError("no disk");
  bench.Start();
  bench.io.RunAll();
  CHECK(bench.heard.acks.empty());
  REQUIRE(bench.heard.declines.size() == 1);
  CHECK(bench.heard.declines[0].cause == bench.step_result);
  CHECK(bench.FileCount() == 0);
}

TEST_CASE("Nothing is written of a checkpoint that was aborted while it waited", "[task][unit]") {
  Bench bench;
  bench.Start();
  bench.writer.Abort(kId);
  const uint64_t before = bench.files.operation_count();
  bench.io.RunAll();
  CHECK(bench.steps == 0);
  CHECK(bench.files.operation_count() == before);
  CHECK(bench.heard.acks.empty());
  CHECK(bench.heard.declines.empty());
}

TEST_CASE("A checkpoint aborted half way is written no further", "[task][unit]") {
  Bench bench;
  bench.abort_in_step = 1;
  bench.Start();
  bench.io.RunAll();
  CHECK(bench.steps == 1);
  CHECK(bench.FileCount() == 0);
  CHECK(bench.heard.acks.empty());
  CHECK(bench.heard.declines.empty());
}

}  // namespace
}  // namespace weir::task

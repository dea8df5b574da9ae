// What must hold: items pass every operator in order, what multiplies is taken on in small steps, a
// full output stops the chain without losing anything, and held-back rows leave before a barrier.
#include "taskmanager/task/chain.h"

#include <optional>
#include <vector>

#include <catch2/catch.hpp>

namespace weir::task {
namespace {

using operators::BatchSink;
using operators::Verdict;

types::SchemaPtr NumberSchema() {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"n", types::kInt64Type, /*nullable=*/false}});
  return schema;
}

types::BatchPtr Number(int64_t n) {
  types::BatchBuilder builder(NumberSchema());
  builder.column(0).Append(n);
  builder.EndRow();
  return builder.Finish();
}

int64_t NumberOf(const types::BatchPtr& batch) {
  return batch->column(0).Values<int64_t>()[0];
}

struct PendingState final : operators::OperatorState {
  int64_t next = 0;
  int64_t left = 0;
  std::vector<types::BatchPtr> held;
};

// Emits `copies` batches n*10, n*10+1, ... for each n, at most kEmitBatchesMax a call.
class Multiplier final : public operators::Operator {
 public:
  explicit Multiplier(int64_t copies) : copies_(copies) {}
  absl::StatusOr<std::unique_ptr<operators::OperatorState>> NewState(
      operators::SubtaskContext&) const override {
    return std::make_unique<PendingState>();
  }
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, operators::OperatorState& state,
                                  BatchSink& out) const override {
    PendingState& pending = static_cast<PendingState&>(state);
    pending.next = NumberOf(batch) * 10;
    pending.left = copies_;
    return Resume(state, out);
  }
  absl::StatusOr<Verdict> Resume(operators::OperatorState& state, BatchSink& out) const override {
    PendingState& pending = static_cast<PendingState&>(state);
    for (int i = 0; i < operators::kEmitBatchesMax && pending.left > 0; ++i, --pending.left) {
      out.Emit(Number(pending.next++));
    }
    return pending.left > 0 ? Verdict::kBlocked : Verdict::kDone;
  }

 private:
  const int64_t copies_;
};

// Holds every batch back until a barrier is about to leave.
class Holder final : public operators::Operator {
 public:
  absl::StatusOr<std::unique_ptr<operators::OperatorState>> NewState(
      operators::SubtaskContext&) const override {
    return std::make_unique<PendingState>();
  }
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, operators::OperatorState& state,
                                  BatchSink&) const override {
    static_cast<PendingState&>(state).held.push_back(batch);
    return Verdict::kDone;
  }
  absl::Status PrepareSnapshot(operators::OperatorState& state, BatchSink& out) const override {
    PendingState& pending = static_cast<PendingState&>(state);
    for (types::BatchPtr& batch : pending.held) out.Emit(std::move(batch));
    pending.held.clear();
    return absl::OkStatus();
  }
};

class RecordingOutput final : public ChainOutput {
 public:
  bool HasRoom() override { return room > 0; }
  void Emit(ChainItem item) override {
    --room;
    if (const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&item)) {
      numbers.push_back(NumberOf(*batch));
    } else {
      // Where in the numbers a control element stands.
      controls.push_back(numbers.size());
    }
  }

  int room = 1 << 20;
  std::vector<int64_t> numbers;
  std::vector<size_t> controls;
};

struct Fixture {
  explicit Fixture(const std::vector<const operators::Operator*>& ops) {
    std::vector<ChainLink> links;
    for (size_t i = 0; i < ops.size(); ++i) {
      links.push_back({ops[i], std::make_unique<PendingState>()});
    }
    chain.emplace(std::move(links), output);
  }
  RecordingOutput output;
  std::optional<Chain> chain;
};

TEST_CASE("A chain takes everything on in order, however it multiplies", "[task][unit]") {
  const Multiplier ten(10);
  const Multiplier seven(7);
  Fixture fixture({&ten, &seven});
  fixture.chain->Feed(Number(1));
  fixture.chain->Feed(network::Watermark{5});
  fixture.chain->Feed(Number(2));
  REQUIRE(*fixture.chain->Run() == ChainProgress::kIdle);
  std::vector<int64_t> expected;
  for (int64_t n = 1; n <= 2; ++n) {
    for (int64_t i = 0; i < 10; ++i) {
      for (int64_t j = 0; j < 7; ++j) expected.push_back((n * 10 + i) * 10 + j);
    }
  }
  CHECK(fixture.output.numbers == expected);
  CHECK(fixture.output.controls == std::vector<size_t>{70});
}

TEST_CASE("A full output stops the chain within one call's emission and loses nothing",
          "[task][unit]") {
  const Multiplier many(1000);
  Fixture fixture({&many});
  fixture.output.room = 1;
  fixture.chain->Feed(Number(1));
  fixture.chain->Feed(network::EndOfData{});
  REQUIRE(*fixture.chain->Run() == ChainProgress::kOutputFull);
  CHECK_FALSE(fixture.chain->IsIdle());
  const size_t emitted = fixture.output.numbers.size();
  CHECK(emitted <= static_cast<size_t>(operators::kEmitBatchesMax));
  int rounds = 0;
  for (;; ++rounds) {
    fixture.output.room = 1;
    if (*fixture.chain->Run() == ChainProgress::kIdle) break;
    REQUIRE(rounds < 1000);
  }
  REQUIRE(fixture.output.numbers.size() == 1000);
  for (int64_t i = 0; i < 1000; ++i)
    CHECK(fixture.output.numbers[static_cast<size_t>(i)] == 10 + i);
  CHECK(fixture.output.controls == std::vector<size_t>{1000});
}

TEST_CASE("Rows held back leave before a barrier, even through a full output", "[task][unit]") {
  const Holder holder;
  const Multiplier twice(2);
  Fixture fixture({&holder, &twice});
  fixture.chain->Feed(Number(1));
  fixture.chain->Feed(Number(2));
  REQUIRE(*fixture.chain->Run() == ChainProgress::kIdle);
  REQUIRE(fixture.output.numbers.empty());
  fixture.output.room = 0;
  REQUIRE(fixture.chain->PrepareSnapshot().ok());
  CHECK(fixture.output.numbers == std::vector<int64_t>{10, 11, 20, 21});
  CHECK(fixture.chain->IsIdle());
}

TEST_CASE("A chain without operators passes items through", "[task][unit]") {
  Fixture fixture({});
  fixture.chain->Feed(Number(3));
  fixture.chain->Feed(network::Idleness{true});
  REQUIRE(*fixture.chain->Run() == ChainProgress::kIdle);
  CHECK(fixture.output.numbers == std::vector<int64_t>{3});
  CHECK(fixture.output.controls == std::vector<size_t>{1});
}

}  // namespace
}  // namespace weir::task

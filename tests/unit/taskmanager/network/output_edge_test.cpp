// What must hold: every row reaches exactly the channel its key group belongs to, rows and control
// elements keep their order, and the two rows of an update stay together or stop being an update.
#include "taskmanager/network/output_edge.h"

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/state/key_group.h"

namespace weir::network {
namespace {

using graph::Partitioning;
using types::ChangeKind;

// Keeps what is pushed; idle or not as the test says.
class Recorder final : public ChannelSender {
 public:
  Recorder(std::vector<StreamElement>& elements, const bool& is_idle)
      : elements_(elements), is_idle_(is_idle) {}
  void Push(StreamElement element) override { elements_.push_back(std::move(element)); }
  bool HasRoom() override { return true; }
  bool IsIdle() override { return is_idle_; }

 private:
  std::vector<StreamElement>& elements_;
  const bool& is_idle_;
};

struct Fixture {
  explicit Fixture(OutputEdgeOptions options, size_t channels) : received(channels) {
    options.schema = schema;
    std::vector<std::unique_ptr<ChannelSender>> senders;
    for (size_t i = 0; i < channels; ++i) {
      senders.push_back(std::make_unique<Recorder>(received[i], is_idle));
    }
    edge = std::make_unique<OutputEdge>(std::move(options), std::move(senders));
  }
  std::vector<int64_t> Rows(size_t channel) const {
    std::vector<int64_t> rows;
    for (const StreamElement& element : received[channel]) {
      const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&element);
      if (batch == nullptr) continue;
      for (const uint32_t row : (*batch)->rows()) {
        rows.push_back((*batch)->column(0).Values<int64_t>()[row]);
      }
    }
    return rows;
  }

  types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"n", types::kInt64Type, /*nullable=*/false}});
  bool is_idle = false;
  std::vector<std::vector<StreamElement>> received;
  std::unique_ptr<OutputEdge> edge;
};

types::BatchPtr Batch(const types::SchemaPtr& schema, const std::vector<int64_t>& values,
                      const std::vector<ChangeKind>& changes = {}) {
  types::BatchBuilder builder(schema);
  for (size_t i = 0; i < values.size(); ++i) {
    builder.column(0).Append(values[i]);
    builder.EndRow(changes.empty() ? ChangeKind::kInsert : changes[i]);
  }
  return builder.Finish();
}

TEST_CASE("A hash edge sends each row to the subtask that owns its key group", "[network][unit]") {
  constexpr uint32_t kMaxParallelism = 128;
  Fixture fixture({.partitioning = Partitioning::kHash, .key = {0}}, 3);
  base::Random random(7);
  std::vector<int64_t> sent;
  for (int batch = 0; batch < 50; ++batch) {
    std::vector<int64_t> values(1 + random.Below(types::kBatchRowsMax));
    for (int64_t& value : values) value = random.Between(-1000, 1000);
    fixture.edge->Emit(Batch(fixture.schema, values), absl::ZeroDuration());
    sent.insert(sent.end(), values.begin(), values.end());
  }
  fixture.edge->Broadcast(EndOfData{});
  std::vector<std::vector<int64_t>> expected(3);
  for (const int64_t value : sent) {
    const uint32_t group = state::KeyGroupOfHash(types::HashInt64Key(value), kMaxParallelism);
    expected[state::SubtaskOfKeyGroup(group, 3, kMaxParallelism)].push_back(value);
  }
  for (size_t i = 0; i < 3; ++i) CHECK(fixture.Rows(i) == expected[i]);
}

TEST_CASE("An open batch leaves at the buffer timeout or to an idle receiver", "[network][unit]") {
  Fixture fixture(
      {.partitioning = Partitioning::kHash, .key = {0}, .buffer_timeout = absl::Milliseconds(5)},
      2);
  fixture.edge->Emit(Batch(fixture.schema, {1, 2, 3, 4}), absl::Milliseconds(100));
  CHECK(fixture.Rows(0).empty());
  CHECK(fixture.edge->NextFlush() == absl::Milliseconds(105));
  fixture.edge->FlushDue(absl::Milliseconds(104));
  CHECK(fixture.Rows(0).size() + fixture.Rows(1).size() == 0);
  fixture.edge->FlushDue(absl::Milliseconds(105));
  CHECK(fixture.Rows(0).size() + fixture.Rows(1).size() == 4);
  CHECK(fixture.edge->NextFlush() == absl::InfiniteDuration());

  fixture.is_idle = true;
  fixture.edge->Emit(Batch(fixture.schema, {5}), absl::Milliseconds(200));
  CHECK(fixture.Rows(0).size() + fixture.Rows(1).size() == 5);
  CHECK(fixture.edge->NextFlush() == absl::InfiniteDuration());
}

TEST_CASE("Control elements follow the rows emitted before them on every channel",
          "[network][unit]") {
  Fixture fixture({.partitioning = Partitioning::kHash, .key = {0}}, 2);
  fixture.edge->Emit(Batch(fixture.schema, {1, 2, 3, 4, 5, 6}), absl::ZeroDuration());
  fixture.edge->Broadcast(checkpoint::Barrier{.id = CheckpointId{1}});
  for (const std::vector<StreamElement>& channel : fixture.received) {
    REQUIRE(channel.size() == 2);
    CHECK(std::holds_alternative<types::BatchPtr>(channel[0]));
    CHECK(std::get<checkpoint::Barrier>(channel[1]).id == CheckpointId{1});
  }
}

TEST_CASE("A hash edge never separates the two rows of an update", "[network][unit]") {
  Fixture fixture({.partitioning = Partitioning::kHash, .key = {0}}, 2);
  base::Random random(11);
  for (int batch = 0; batch < 40; ++batch) {
    std::vector<int64_t> values;
    std::vector<ChangeKind> changes;
    while (values.size() + 2 <= types::kBatchRowsMax - random.Below(200)) {
      const int64_t key = random.Between(0, 50);
      values.insert(values.end(), {key, key});
      changes.insert(changes.end(), {ChangeKind::kUpdateBefore, ChangeKind::kUpdateAfter});
    }
    fixture.edge->Emit(Batch(fixture.schema, values, changes), absl::ZeroDuration());
  }
  fixture.edge->Broadcast(EndOfData{});
  for (const std::vector<StreamElement>& channel : fixture.received) {
    for (const StreamElement& element : channel) {
      const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&element);
      if (batch == nullptr) continue;
      REQUIRE((*batch)->size() % 2 == 0);
      for (size_t row = 0; row < (*batch)->size(); row += 2) {
        CHECK((*batch)->change(row) == ChangeKind::kUpdateBefore);
        CHECK((*batch)->change(row + 1) == ChangeKind::kUpdateAfter);
      }
    }
  }
}

TEST_CASE("Updates dealt out by another key become deletes and inserts", "[network][unit]") {
  Fixture fixture({.partitioning = Partitioning::kHash, .key = {0}, .splits_updates = true}, 1);
  fixture.edge->Emit(
      Batch(fixture.schema, {1, 2, 3},
            {ChangeKind::kInsert, ChangeKind::kUpdateBefore, ChangeKind::kUpdateAfter}),
      absl::ZeroDuration());
  const types::BatchPtr batch = std::get<types::BatchPtr>(fixture.received[0].at(0));
  CHECK(batch->change(0) == ChangeKind::kInsert);
  CHECK(batch->change(1) == ChangeKind::kDelete);
  CHECK(batch->change(2) == ChangeKind::kInsert);
}

TEST_CASE("Rebalance deals batches out in turn and broadcast to all", "[network][unit]") {
  Fixture rebalance({.partitioning = Partitioning::kRebalance, .subtask = 1}, 2);
  for (int64_t i = 0; i < 4; ++i) {
    rebalance.edge->Emit(Batch(rebalance.schema, {i}), absl::ZeroDuration());
  }
  CHECK(rebalance.Rows(1) == std::vector<int64_t>{0, 2});
  CHECK(rebalance.Rows(0) == std::vector<int64_t>{1, 3});

  Fixture broadcast({.partitioning = Partitioning::kBroadcast}, 3);
  broadcast.edge->Emit(Batch(broadcast.schema, {1, 2}), absl::ZeroDuration());
  for (size_t i = 0; i < 3; ++i) CHECK(broadcast.Rows(i) == std::vector<int64_t>{1, 2});
}

}  // namespace
}  // namespace weir::network

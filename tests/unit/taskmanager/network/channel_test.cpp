// What must hold: a channel keeps its order, control elements always enter, a full channel wakes
// its producer once it has drained to half, and a blocked channel keeps what it has.
#include "taskmanager/network/channel.h"

#include <vector>

#include <catch2/catch.hpp>

#include "common/base/thread.h"

namespace weir::network {
namespace {

types::SchemaPtr NumberSchema() {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"n", types::kInt64Type, /*nullable=*/false}});
  return schema;
}

types::BatchPtr Numbers(int64_t first, size_t count) {
  types::BatchBuilder builder(NumberSchema());
  for (size_t i = 0; i < count; ++i) {
    builder.column(0).Append(first + static_cast<int64_t>(i));
    builder.EndRow();
  }
  return builder.Finish();
}

int64_t FirstNumber(const StreamElement& element) {
  return std::get<types::BatchPtr>(element)->column(0).Values<int64_t>()[0];
}

TEST_CASE("InputGate keeps each channel's order and takes channels in turn", "[network][unit]") {
  base::Mailbox consumer;
  InputGate gate(2, consumer);
  for (int64_t i = 0; i < 3; ++i) {
    gate.Push(0, Numbers(i, 1));
    gate.Push(1, Numbers(100 + i, 1));
  }
  std::vector<int64_t> first;
  std::vector<int64_t> second;
  std::vector<uint32_t> turns;
  while (std::optional<GateElement> element = gate.Pop()) {
    turns.push_back(element->channel);
    (element->channel == 0 ? first : second).push_back(FirstNumber(element->element));
  }
  CHECK(first == std::vector<int64_t>{0, 1, 2});
  CHECK(second == std::vector<int64_t>{100, 101, 102});
  CHECK(turns == std::vector<uint32_t>{0, 1, 0, 1, 0, 1});
}

TEST_CASE("InputGate gives nothing of a blocked channel until it is unblocked", "[network][unit]") {
  base::Mailbox consumer;
  InputGate gate(2, consumer);
  gate.Push(0, Numbers(1, 1));
  gate.Block(0);
  gate.Push(0, Numbers(2, 1));
  gate.Push(1, Numbers(3, 1));
  REQUIRE(FirstNumber(gate.Pop()->element) == 3);
  CHECK_FALSE(gate.Pop().has_value());
  CHECK_FALSE(gate.HasReady());
  gate.Unblock(0);
  CHECK(FirstNumber(gate.Pop()->element) == 1);
  CHECK(FirstNumber(gate.Pop()->element) == 2);
}

TEST_CASE("A full channel still takes control elements", "[network][unit]") {
  base::Mailbox consumer;
  base::Mailbox producer;
  InputGate gate(1, consumer);
  while (gate.HasRoom(0, producer)) gate.Push(0, Numbers(0, types::kBatchRowsMax));
  gate.Push(0, checkpoint::Barrier{.id = CheckpointId{7}});
  gate.Push(0, Close{});
  size_t batches = 0;
  std::vector<size_t> controls;
  while (std::optional<GateElement> element = gate.Pop()) {
    if (std::holds_alternative<types::BatchPtr>(element->element)) {
      ++batches;
    } else {
      controls.push_back(element->element.index());
    }
  }
  CHECK(batches * types::kBatchRowsMax * sizeof(int64_t) >= ChannelWindowBytes(1));
  CHECK(controls.size() == 2);
}

TEST_CASE("A full channel wakes its producer at half its window, not before", "[network][unit]") {
  base::Mailbox consumer;
  int wakes = 0;
  base::Mailbox producer([&wakes] { ++wakes; });
  InputGate gate(1, consumer);
  size_t pushed = 0;
  while (gate.HasRoom(0, producer)) {
    gate.Push(0, Numbers(0, types::kBatchRowsMax));
    ++pushed;
  }
  const size_t batch_bytes = Numbers(0, types::kBatchRowsMax)->ByteSize();
  size_t popped = 0;
  while ((pushed - popped) * batch_bytes > ChannelWindowBytes(1) / 2) {
    CHECK(wakes == 0);
    REQUIRE(gate.Pop().has_value());
    ++popped;
  }
  CHECK(wakes == 1);
  CHECK(gate.HasRoom(0, producer));
}

TEST_CASE("The window of a channel stays within its bounds", "[network][unit]") {
  CHECK(ChannelWindowBytes(1) == kChannelWindowBytesMax);
  CHECK(ChannelWindowBytes(16) == kChannelWindowBytesMax);
  CHECK(ChannelWindowBytes(32) == kEdgeWindowBytes / 32);
  CHECK(ChannelWindowBytes(100000) == kChannelWindowBytesMin);
}

TEST_CASE("An abandoned gate frees its producers and drops what comes", "[network][unit]") {
  base::Mailbox consumer;
  int wakes = 0;
  base::Mailbox producer([&wakes] { ++wakes; });
  InputGate gate(1, consumer);
  while (gate.HasRoom(0, producer)) gate.Push(0, Numbers(0, types::kBatchRowsMax));
  gate.Abandon();
  CHECK(wakes == 1);
  CHECK(gate.HasRoom(0, producer));
  gate.Push(0, Numbers(0, 1));
  CHECK_FALSE(gate.Pop().has_value());
}

TEST_CASE("InputGate takes several elements in order with one wake-up", "[network][unit]") {
  int wakes = 0;
  base::Mailbox consumer([&wakes] { ++wakes; });
  InputGate gate(2, consumer);
  std::vector<StreamElement> elements;
  for (int64_t i = 0; i < 3; ++i) elements.emplace_back(Numbers(i, 1));
  gate.PushAll(1, std::move(elements));
  CHECK(wakes == 1);
  for (int64_t i = 0; i < 3; ++i) {
    const std::optional<GateElement> element = gate.Pop();
    REQUIRE(element.has_value());
    CHECK(element->channel == 1);
    CHECK(FirstNumber(element->element) == i);
  }
}

TEST_CASE("InputGate calls who waits without a mailbox once it has drained to half",
          "[network][unit]") {
  base::Mailbox consumer;
  InputGate gate(1, consumer);
  int calls = 0;
  CHECK(gate.HasRoomOr(0, [&calls] { ++calls; }));
  size_t pushed = 0;
  while (gate.HasRoomOr(0, [&calls] { ++calls; })) {
    gate.Push(0, Numbers(0, types::kBatchRowsMax));
    ++pushed;
  }
  size_t popped = 0;
  while (calls == 0 && gate.Pop().has_value()) ++popped;
  CHECK(popped == (pushed + 1) / 2);
  while (gate.Pop().has_value()) {
  }
  CHECK(calls == 1);
}

TEST_CASE("A channel is full of elements that weigh nothing at its limit", "[network][unit]") {
  base::Mailbox consumer;
  int wakes = 0;
  base::Mailbox producer([&wakes] { ++wakes; });
  InputGate gate(1, consumer);
  for (size_t i = 0; i < kChannelElementsMax; ++i) {
    CHECK(gate.HasRoom(0, producer));
    gate.Push(0, Watermark{0});
  }
  CHECK_FALSE(gate.HasRoom(0, producer));
  gate.Push(0, checkpoint::Barrier{.id = CheckpointId{1}});
  for (size_t i = 0; i <= kChannelElementsMax / 2; ++i) REQUIRE(gate.Pop().has_value());
  CHECK(wakes == 1);
}

TEST_CASE("An abandoned gate calls who waits without a mailbox", "[network][unit]") {
  base::Mailbox consumer;
  InputGate gate(1, consumer);
  int calls = 0;
  while (gate.HasRoomOr(0, [&calls] { ++calls; })) gate.Push(0, Numbers(0, types::kBatchRowsMax));
  gate.Abandon();
  CHECK(calls == 1);
}

TEST_CASE("InputGate carries every batch of several producing threads once",
          "[network][unit][threads]") {
  constexpr uint32_t kProducers = 3;
  constexpr int64_t kBatches = 2000;
  base::Mailbox consumer;
  InputGate gate(kProducers, consumer);
  std::vector<std::unique_ptr<base::Thread>> threads;
  for (uint32_t channel = 0; channel < kProducers; ++channel) {
    threads.push_back(std::make_unique<base::Thread>("producer", [&gate, channel] {
      base::Mailbox mailbox;
      for (int64_t i = 0; i < kBatches; ++i) {
        while (!gate.HasRoom(channel, mailbox)) mailbox.WaitFor(absl::Milliseconds(50));
        gate.Push(channel, Numbers(i, 64));
        mailbox.Drain();
      }
      gate.Push(channel, Close{});
      // The gate may still poke the mailbox: it must outlive the last wait, not the last push.
      while (!gate.HasRoom(channel, mailbox)) mailbox.WaitFor(absl::Milliseconds(50));
    }));
  }
  std::vector<int64_t> next(kProducers, 0);
  uint32_t closed = 0;
  while (closed < kProducers) {
    std::optional<GateElement> element = gate.Pop();
    if (!element.has_value()) {
      consumer.WaitFor(absl::Milliseconds(50));
      consumer.Drain();
      continue;
    }
    if (std::holds_alternative<Close>(element->element)) {
      ++closed;
    } else {
      CHECK(FirstNumber(element->element) == next[element->channel]++);
    }
  }
  CHECK(next == std::vector<int64_t>(kProducers, kBatches));
}

}  // namespace
}  // namespace weir::network

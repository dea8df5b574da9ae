// What must hold between two taskmanagers: every element arrives once and in order, a full channel
// stops its producer and nobody else, and a channel either ends with its Close or is lost on both
// sides, once each.
#include "taskmanager/network/network_data_plane.h"

#include <optional>

#include <catch2/catch.hpp>

#include "common/base/thread.h"
#include "common/rpc/channel_lost.h"
#include "tests/integration/taskmanager/network/channel_ends.h"
#include "tests/integration/taskmanager/network/tcp_proxy.h"

namespace weir::network {
namespace {

struct Planes {
  std::unique_ptr<NetworkDataPlane> from = StartPlane();
  std::unique_ptr<NetworkDataPlane> to = StartPlane();
};

// Pops until the Close; the batches' first numbers.
std::vector<int64_t> PopAll(Consumer& consumer) {
  std::vector<int64_t> numbers;
  for (;;) {
    const std::optional<GateElement> element = consumer.Pop();
    if (!element.has_value()) return {};
    if (std::holds_alternative<Close>(element->element)) return numbers;
    if (std::holds_alternative<EncodedBatch>(element->element)) {
      numbers.push_back(FirstNumber(element->element));
    }
  }
}

std::vector<int64_t> UpTo(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) numbers[static_cast<size_t>(i)] = i;
  return numbers;
}

TEST_CASE("A channel carries every kind of element in order and ends",
          "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  const checkpoint::Barrier barrier{.id = CheckpointId{3},
                                    .triggered_at = absl::FromUnixSeconds(5),
                                    .options = {.location = "/x"}};
  CHECK(producer.Push(Numbers(10, 5)));
  CHECK(producer.Push(Watermark{77}));
  CHECK(producer.Push(barrier));
  CHECK(producer.Push(CancelMarker{CheckpointId{4}}));
  CHECK(producer.Push(Idleness{true}));
  CHECK(producer.Push(EndOfData{}));
  CHECK(producer.Push(Close{}));

  CHECK(FirstNumber(consumer.Pop()->element) == 10);
  CHECK(std::get<Watermark>(consumer.Pop()->element).time == 77);
  CHECK(std::get<checkpoint::Barrier>(consumer.Pop()->element) == barrier);
  CHECK(std::get<CancelMarker>(consumer.Pop()->element).id == CheckpointId{4});
  CHECK(std::get<Idleness>(consumer.Pop()->element).is_idle);
  CHECK(std::holds_alternative<EndOfData>(consumer.Pop()->element));
  CHECK(std::holds_alternative<Close>(consumer.Pop()->element));
  CHECK(producer.lost.causes().empty());
  CHECK(consumer.lost[0].causes().empty());
}

TEST_CASE("A channel keeps the order of many batches", "[network][integration][threads]") {
  constexpr int64_t kBatches = 3000;
  Planes planes;
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  base::Thread producing("producer", [&planes] {
    Producer producer;
    producer.Open(*planes.from, Named(0), planes.to->address());
    for (int64_t i = 0; i < kBatches; ++i) {
      producer.Push(Numbers(i, 1 + static_cast<size_t>(i % 1024)));
      if (i % 10 == 0) producer.Push(Watermark{i});
    }
    producer.Push(Close{});
  });
  CHECK(PopAll(consumer) == UpTo(kBatches));
}

TEST_CASE("Many channels of several loops carry their own elements",
          "[network][integration][threads]") {
  constexpr uint32_t kProducers = 12;
  constexpr int64_t kBatches = 200;
  const std::unique_ptr<NetworkDataPlane> from = StartPlane(/*loops=*/3);
  const std::unique_ptr<NetworkDataPlane> to = StartPlane(/*loops=*/2);
  Consumer consumer(kProducers);
  for (uint32_t i = 0; i < kProducers; ++i) consumer.Expect(*to, Named(i), i);
  std::vector<std::unique_ptr<base::Thread>> threads;
  for (uint32_t i = 0; i < kProducers; ++i) {
    threads.push_back(std::make_unique<base::Thread>("producer", [&from, &to, i] {
      Producer producer;
      producer.Open(*from, Named(i), to->address(), kProducers);
      for (int64_t n = 0; n < kBatches; ++n) producer.Push(Numbers(n * 100 + i, 300));
      producer.Push(Close{});
    }));
  }
  std::vector<int64_t> next(kProducers, 0);
  for (uint32_t closed = 0; closed < kProducers;) {
    const std::optional<GateElement> element = consumer.Pop();
    REQUIRE(element.has_value());
    if (std::holds_alternative<Close>(element->element)) {
      ++closed;
    } else {
      REQUIRE(FirstNumber(element->element) == next[element->channel]++ * 100 + element->channel);
    }
  }
  CHECK(next == std::vector<int64_t>(kProducers, kBatches));
}

TEST_CASE("A consumer that takes nothing stops its producer and no other channel",
          "[network][integration][threads]") {
  Planes planes;
  Consumer stuck;
  Consumer brisk;
  stuck.Expect(*planes.to, Named(0));
  brisk.Expect(*planes.to, Named(1));
  Producer slow;
  Producer other;
  slow.Open(*planes.from, Named(0), planes.to->address());
  other.Open(*planes.from, Named(1), planes.to->address());
  int64_t pushed = 0;
  // Room comes back as long as the consumer's gate takes more.
  for (bool has_room = true; has_room;) {
    while (slow.sender->HasRoom()) slow.sender->Push(Numbers(pushed++, 1024));
    has_room = slow.mailbox.WaitFor(absl::Milliseconds(300));
    slow.mailbox.Drain();
  }
  // A window on either side, and what was under way when they filled.
  CHECK(static_cast<size_t>(pushed) * 8192 < 3 * kChannelWindowBytesMax);
  CHECK(static_cast<size_t>(pushed) * 8192 > kChannelWindowBytesMax);

  slow.sender->Push(checkpoint::Barrier{.id = CheckpointId{1}});
  for (int64_t i = 0; i < 1000; ++i) {
    REQUIRE(other.Push(Numbers(i, 1024)));
    REQUIRE(FirstNumber(brisk.Pop()->element) == i);
  }

  slow.sender->Push(Close{});
  CHECK(PopAll(stuck) == UpTo(pushed));
}

TEST_CASE("A sender that goes after its Close leaves everything to be delivered",
          "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  for (int64_t i = 0; i < 500; ++i) producer.sender->Push(Numbers(i, 1024));
  producer.sender->Push(Close{});
  producer.sender = nullptr;
  consumer.Expect(*planes.to, Named(0));
  CHECK(PopAll(consumer) == UpTo(500));
  CHECK(producer.lost.causes().empty());
}

TEST_CASE("A sender that goes without a Close breaks the channel",
          "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  SECTION("idle") {
    producer.Push(Numbers(0, 1));
    REQUIRE(consumer.Pop().has_value());
  }
  SECTION("while the consumer is full") {
    producer.Overfill();
    REQUIRE(consumer.WaitUntilFull(0));
  }
  producer.sender = nullptr;
  CHECK(consumer.lost[0].Wait());
  CHECK(producer.lost.causes().empty());
}

TEST_CASE("A receiver that goes frees its producer, who is not told",
          "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  producer.Overfill();
  REQUIRE(consumer.WaitUntilFull(0));
  consumer.receivers.clear();
  for (int64_t i = 0; i < 1000; ++i) REQUIRE(producer.Push(Numbers(i, 1024)));
  CHECK(producer.lost.causes().empty());
}

TEST_CASE("A connection that is cut loses its channels on both sides, once each",
          "[network][integration][threads]") {
  constexpr uint32_t kChannels = 5;
  Planes planes;
  TcpProxy proxy(planes.to->address());
  proxy.Listen();
  Consumer consumer(kChannels);
  std::vector<Producer> producers(kChannels);
  for (uint32_t i = 0; i < kChannels; ++i) {
    consumer.Expect(*planes.to, Named(i), i);
    producers[i].Open(*planes.from, Named(i), proxy.address(), kChannels);
  }
  // The last one has ended before.
  for (uint32_t i = 0; i < kChannels; ++i) {
    producers[i].Push(Numbers(i, 1));
    REQUIRE(consumer.Pop().has_value());
  }
  producers[kChannels - 1].Push(Close{});
  REQUIRE(std::holds_alternative<Close>(consumer.Pop()->element));
  // The first is full.
  producers[0].Overfill();
  REQUIRE(consumer.WaitUntilFull(0));

  proxy.Cut();
  for (uint32_t i = 0; i + 1 < kChannels; ++i) {
    CHECK(producers[i].lost.Wait());
    CHECK(consumer.lost[i].Wait());
  }
  // Pushing into a lost channel changes nothing.
  CHECK(producers[0].Push(Numbers(0, 1)));
  producers.clear();
}

TEST_CASE("What is told of a lost channel names the other side",
          "[network][integration][threads]") {
  Planes planes;
  TcpProxy proxy(planes.to->address());
  proxy.Listen();
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  Producer producer;
  producer.Open(*planes.from, Named(0), proxy.address());
  producer.Push(Numbers(0, 1));
  REQUIRE(consumer.Pop().has_value());
  proxy.Cut();
  REQUIRE(producer.lost.Wait());
  REQUIRE(consumer.lost[0].Wait());
  const absl::Status at_producer = producer.lost.causes().front();
  const absl::Status at_consumer = consumer.lost[0].causes().front();
  CHECK(at_producer.code() == absl::StatusCode::kUnavailable);
  CHECK(at_consumer.code() == absl::StatusCode::kUnavailable);
  CHECK(rpc::IsChannelLost(at_producer));
  CHECK(rpc::IsChannelLost(at_consumer));
  CHECK(at_producer.message().find(proxy.address()) != StringView::npos);
  CHECK(at_consumer.message().find("127.0.0.1:") != StringView::npos);
}

TEST_CASE("A producer may come before its consumer", "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  Producer first;  // over the same connection: what it does comes after
  Consumer witness;
  witness.Expect(*planes.to, Named(1));
  first.Open(*planes.from, Named(1), planes.to->address());
  producer.Push(Numbers(0, 1));
  first.Push(Numbers(0, 1));
  REQUIRE(witness.Pop().has_value());
  CHECK_FALSE(producer.sender->IsIdle());
  consumer.Expect(*planes.to, Named(0));
  producer.Push(Close{});
  CHECK(PopAll(consumer) == UpTo(1));
}

TEST_CASE("A producer may come before the consumer's taskmanager listens",
          "[network][integration][threads]") {
  Planes planes;
  TcpProxy proxy(planes.to->address());
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  Producer producer;
  producer.Open(*planes.from, Named(0), proxy.address());
  producer.Push(Numbers(0, 1));
  proxy.Listen();
  producer.Push(Close{});
  CHECK(PopAll(consumer) == UpTo(1));
}

TEST_CASE("A producer of an older execution is refused", "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0, /*generation=*/2));
  Producer old;
  old.Open(*planes.from, Named(0, /*generation=*/1), planes.to->address());
  REQUIRE(old.lost.Wait());
  CHECK(old.lost.causes().front().message().find("before the newest") != StringView::npos);
  CHECK(old.sender->HasRoom());
  Producer current;
  current.Open(*planes.from, Named(0, /*generation=*/2), planes.to->address());
  current.Push(Close{});
  CHECK(std::holds_alternative<Close>(consumer.Pop()->element));
}

TEST_CASE("A second producer of a channel is refused and the first goes on",
          "[network][integration][threads]") {
  Planes planes;
  Consumer consumer;
  consumer.Expect(*planes.to, Named(0));
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  producer.Push(Numbers(0, 1));
  REQUIRE(consumer.Pop().has_value());
  Producer second;
  second.Open(*planes.from, Named(0), planes.to->address());
  CHECK(second.lost.Wait());
  producer.Push(Close{});
  CHECK(std::holds_alternative<Close>(consumer.Pop()->element));
}

TEST_CASE("A channel that is expected twice is lost to the second receiver",
          "[network][integration][threads]") {
  Planes planes;
  Consumer first;
  Consumer second;
  first.Expect(*planes.to, Named(0));
  second.Expect(*planes.to, Named(0));
  CHECK(second.lost[0].Wait());
  second.receivers.clear();
  Producer producer;
  producer.Open(*planes.from, Named(0), planes.to->address());
  producer.Push(Close{});
  CHECK(std::holds_alternative<Close>(first.Pop()->element));
}

TEST_CASE("A data plane that stops loses its channels, whose ends may go later",
          "[network][integration][threads]") {
  Planes planes;
  Consumer consumer(2);
  consumer.Expect(*planes.to, Named(0), 0);
  consumer.Expect(*planes.to, Named(1), 1);  // whose producer never comes
  Producer producer;
  Producer waiting;  // whose consumer never comes
  producer.Open(*planes.from, Named(0), planes.to->address());
  waiting.Open(*planes.from, Named(2), planes.to->address());
  producer.Push(Numbers(0, 1));
  REQUIRE(consumer.Pop().has_value());
  SECTION("the producing one") {
    planes.from = nullptr;
    CHECK(producer.lost.causes().size() == 1);
    CHECK(waiting.lost.causes().size() == 1);
    CHECK(consumer.lost[0].Wait());
    CHECK(producer.sender->HasRoom());
    producer.sender->Push(Numbers(0, 1));
  }
  SECTION("the consuming one") {
    planes.to = nullptr;
    CHECK(consumer.lost[0].causes().size() == 1);
    CHECK(consumer.lost[1].causes().size() == 1);
    CHECK(producer.lost.Wait());
    CHECK(waiting.lost.Wait());
  }
}

TEST_CASE("NetworkDataPlane listens only where it is told to", "[network][integration]") {
  CHECK(NetworkDataPlane::Start({.host = ""}).status().code() ==
        absl::StatusCode::kInvalidArgument);
  CHECK(NetworkDataPlane::Start({.host = "*"}).status().code() ==
        absl::StatusCode::kInvalidArgument);
  CHECK(NetworkDataPlane::Start({.host = "unix:/tmp/x"}).status().code() ==
        absl::StatusCode::kInvalidArgument);
  CHECK(NetworkDataPlane::Start({.loops = 0}).status().code() ==
        absl::StatusCode::kInvalidArgument);
  // An address that is kept for documentation: no machine has it.
  CHECK(NetworkDataPlane::Start({.host = "192.0.2.1"}).status().code() ==
        absl::StatusCode::kFailedPrecondition);
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  REQUIRE(plane != nullptr);
  CHECK(plane->address().rfind("127.0.0.1:", 0) == 0);
}

}  // namespace
}  // namespace weir::network

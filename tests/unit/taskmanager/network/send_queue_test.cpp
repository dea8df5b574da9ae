// What must hold: control elements always enter, elements leave in order in frames of a good size,
// never more is under way than the window, and a full queue wakes its producer at half.
#include "taskmanager/network/send_queue.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "taskmanager/network/frame_codec.h"

namespace weir::network {
namespace {

constexpr size_t kWindow = 256u << 10;

// About 8 KiB as a block.
types::BatchPtr Numbers(int64_t first, size_t count = 1024) {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"n", types::kInt64Type, /*nullable=*/false}});
  types::BatchBuilder builder(schema);
  for (size_t i = 0; i < count; ++i) {
    builder.column(0).Append(first + static_cast<int64_t>(i));
    builder.EndRow();
  }
  return builder.Finish();
}

struct Fixture {
  int wakes = 0;
  base::Mailbox producer{[this] { ++wakes; }};
  SendQueue queue{kWindow, producer};
  std::deque<std::vector<std::string>> under_way;  // pushes

  size_t FillUp() {
    size_t pushed = 0;
    while (queue.HasRoom()) queue.Push(Numbers(static_cast<int64_t>(pushed++)));
    return pushed;
  }
  // The elements of the next push.
  std::vector<StreamElement> Take() {
    REQUIRE(queue.Next() == NextStep::kSend);
    under_way.push_back(queue.TakeFrames());
    std::vector<StreamElement> elements;
    FrameDecoder decoder(std::make_shared<BlockMemory>());
    for (const std::string& frame : under_way.back()) {
      REQUIRE(decoder.Decode(frame, &elements).ok());
    }
    return elements;
  }
  // Of the oldest push; returns its bytes.
  size_t Acknowledge() {
    std::vector<std::string> frames = std::move(under_way.front());
    under_way.pop_front();
    const size_t bytes = BytesOf(frames);
    queue.Acknowledge(std::move(frames));
    return bytes;
  }
  static size_t BytesOf(const std::vector<std::string>& frames) {
    size_t bytes = 0;
    for (const std::string& frame : frames) bytes += frame.size();
    return bytes;
  }
};

TEST_CASE("SendQueue gathers elements into frames, and frames that wait into a push",
          "[network][unit]") {
  Fixture f;
  f.FillUp();
  f.Take();
  const std::vector<std::string>& frames = f.under_way.front();
  CHECK(frames.size() == kPushBytesTarget / kFrameBytesTarget);
  for (const std::string& frame : frames) {
    CHECK(frame.size() <= kFrameBytesTarget);
    CHECK(frame.size() > kFrameBytesTarget / 2);
  }
}

TEST_CASE("SendQueue sends at once when nothing is under way", "[network][unit]") {
  Fixture f;
  CHECK(f.queue.IsIdle());
  CHECK(f.queue.Push(Watermark{1}));
  CHECK_FALSE(f.queue.IsIdle());
  CHECK(f.Take().size() == 1);
  CHECK_FALSE(f.queue.IsIdle());
  f.Acknowledge();
  CHECK(f.queue.IsIdle());
}

TEST_CASE("SendQueue gathers while a frame is under way, but for what is urgent",
          "[network][unit]") {
  Fixture f;
  REQUIRE(f.queue.Push(Watermark{1}));
  f.Take();
  CHECK_FALSE(f.queue.Push(Numbers(0, 1)));
  CHECK_FALSE(f.queue.Push(Watermark{2}));
  CHECK(f.queue.Next() == NextStep::kWait);

  SECTION("an acknowledgement lets it go") {
    f.Acknowledge();
    CHECK(f.Take().size() == 2);
  }
  SECTION("a barrier takes along what is before it") {
    CHECK(f.queue.Push(checkpoint::Barrier{.id = CheckpointId{1}}));
    CHECK(f.Take().size() == 3);
  }
  SECTION("a cancellation does") {
    CHECK(f.queue.Push(CancelMarker{CheckpointId{1}}));
    CHECK(f.Take().size() == 3);
  }
  SECTION("the end of data does") {
    CHECK(f.queue.Push(EndOfData{}));
    CHECK(f.Take().size() == 3);
  }
}

TEST_CASE("A full SendQueue takes control elements and never sends beyond its window",
          "[network][unit]") {
  Fixture f;
  f.FillUp();
  CHECK_FALSE(f.queue.HasRoom());
  f.queue.Push(checkpoint::Barrier{.id = CheckpointId{9}});
  size_t under_way = 0;
  bool has_barrier = false;
  while (f.queue.Next() == NextStep::kSend) {
    CHECK(under_way < kWindow);
    for (const StreamElement& element : f.Take()) {
      has_barrier |= std::holds_alternative<checkpoint::Barrier>(element);
    }
    under_way += Fixture::BytesOf(f.under_way.back());
  }
  CHECK(has_barrier);
  CHECK(under_way < kWindow + kFrameBytesTarget);
  for (int i = 0; i < 100; ++i) f.queue.Push(Numbers(i));
  CHECK(f.queue.Next() == NextStep::kWait);
}

TEST_CASE("A full SendQueue wakes its producer once it has drained to half", "[network][unit]") {
  Fixture f;
  std::string element;
  AppendElement(Numbers(0), &element);
  size_t left = f.FillUp() * element.size();
  CHECK(left >= kWindow);
  while (left > 0) {
    CHECK(f.wakes == (left <= kWindow / 2 ? 1 : 0));
    f.Take();
    left -= f.Acknowledge();
  }
  CHECK(f.wakes == 1);
  CHECK(f.queue.HasRoom());
}

TEST_CASE("SendQueue closes when everything before the Close is delivered", "[network][unit]") {
  Fixture f;
  f.queue.Push(Numbers(0));
  CHECK(f.queue.Push(Close{}));
  f.Take();
  CHECK(f.queue.Next() == NextStep::kWait);
  f.Acknowledge();
  CHECK(f.queue.Next() == NextStep::kClose);
  CHECK(f.queue.Detach());
}

TEST_CASE("A failed SendQueue frees its producer and drops what comes", "[network][unit]") {
  Fixture f;
  f.FillUp();
  f.Take();
  f.queue.Fail();
  CHECK(f.wakes == 1);
  CHECK(f.queue.HasRoom());
  CHECK_FALSE(f.queue.Push(Numbers(0)));
  CHECK(f.queue.Next() == NextStep::kWait);
  f.Acknowledge();  // it was on its way
}

TEST_CASE("A detached SendQueue leaves its producer alone", "[network][unit]") {
  Fixture f;
  f.FillUp();
  CHECK_FALSE(f.queue.Detach());
  f.queue.Fail();
  CHECK(f.wakes == 0);
}

TEST_CASE("SendQueue sends a huge batch in parts within its window", "[network][unit]") {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"s", types::kStringType, /*nullable=*/false}});
  types::BatchBuilder builder(schema);
  builder.column(0).AppendString(std::string(5u << 20, 'x'));
  builder.EndRow();
  Fixture f;
  CHECK(f.queue.Push(builder.Finish()));
  CHECK_FALSE(f.queue.HasRoom());
  FrameDecoder decoder(std::make_shared<BlockMemory>());
  std::vector<StreamElement> elements;
  size_t pushes = 0;
  while (f.queue.Next() == NextStep::kSend) {
    std::vector<std::string> frames = f.queue.TakeFrames();
    REQUIRE(frames.size() == 1);
    REQUIRE(decoder.Decode(frames[0], &elements).ok());
    CHECK(f.queue.Next() == NextStep::kWait);  // each is more than the window
    f.queue.Acknowledge(std::move(frames));
    ++pushes;
  }
  CHECK(pushes == 6);
  CHECK(elements.size() == 1);
}

}  // namespace
}  // namespace weir::network

// What must hold: bytes arrive as they were written, however they are cut; small writes go together
// and never get lost or overtaken.
#include "taskmanager/network/data_stream.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <kj/async-io.h>

#include "common/base/random.h"

namespace weir::network {
namespace {

// Counts the writes that reach the socket.
class Counting final : public kj::AsyncIoStream {
 public:
  Counting(kj::Own<kj::AsyncIoStream> inner, int& writes)
      : inner_(kj::mv(inner)), writes_(writes) {}

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return inner_->tryRead(buffer, min_bytes, max_bytes);
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    ++writes_;
    return inner_->write(buffer, size);
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    ++writes_;
    return inner_->write(pieces);
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override { inner_->shutdownWrite(); }

 private:
  kj::Own<kj::AsyncIoStream> inner_;
  int& writes_;
};

struct Fixture {
  Fixture() {
    kj::TwoWayPipe pipe = kj::newTwoWayPipe();
    from = kj::heap<DataStream>(kj::heap<Counting>(kj::mv(pipe.ends[0]), writes));
    to = kj::heap<DataStream>(kj::mv(pipe.ends[1]));
  }
  std::string Read(size_t min_bytes, size_t max_bytes) {
    std::string bytes(max_bytes, '\0');
    bytes.resize(to->tryRead(bytes.data(), min_bytes, max_bytes).wait(scope));
    return bytes;
  }
  bool Fails(kj::Promise<void> promise) {
    return promise.then([] { return false; }, [](kj::Exception&&) { return true; }).wait(scope);
  }

  kj::EventLoop loop;
  kj::WaitScope scope{loop};
  int writes = 0;
  kj::Own<DataStream> from;
  kj::Own<DataStream> to;
};

uint64_t Seed() {
  const char* given = std::getenv("WEIR_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : base::EntropySeed();
}

TEST_CASE("DataStream writes small messages of one turn together", "[network][unit]") {
  Fixture f;
  for (const char* word : {"one ", "two ", "three"}) {
    // Not waited for: that would be a turn.
    const kj::Promise<void> written = f.from->write(word, std::string(word).size());
  }
  CHECK(f.Read(13, 64) == "one two three");
  CHECK(f.writes == 1);
}

TEST_CASE("DataStream puts what waits in front of a large message, in one write",
          "[network][unit]") {
  Fixture f;
  const std::string large(10'000, 'x');
  const kj::Promise<void> small = f.from->write("small", 5);
  auto written = f.from->write(large.data(), large.size());
  CHECK(f.Read(10'005, 10'005) == "small" + large);
  written.wait(f.scope);
  CHECK(f.writes == 1);
}

TEST_CASE("DataStream does not let what waits grow beyond its limit", "[network][unit]") {
  Fixture f;
  const std::string half(kWriteBehindBytes / 2, 'x');
  const kj::Promise<void> first = f.from->write(half.data(), half.size());
  const kj::Promise<void> second = f.from->write(half.data(), half.size());
  CHECK(f.writes == 0);
  auto third = f.from->write("y", 1);
  CHECK(f.writes == 1);
  CHECK(f.Read(kWriteBehindBytes + 1, 4096) == half + half + "y");
  third.wait(f.scope);
}

TEST_CASE("DataStream sends what waits before it shuts down", "[network][unit]") {
  Fixture f;
  const kj::Promise<void> written = f.from->write("last", 4);
  f.from->shutdownWrite();
  CHECK(f.Read(5, 64) == "last");  // and then the end
  CHECK(f.Read(1, 64).empty());
}

TEST_CASE("DataStream tells later writes that one has failed", "[network][unit]") {
  Fixture f;
  f.to = nullptr;
  f.from->write("lost", 4).wait(f.scope);
  bool has_failed = false;
  for (int i = 0; i < 10 && !has_failed; ++i) {
    f.scope.poll();
    has_failed = f.Fails(f.from->write("more", 4));
  }
  CHECK(has_failed);
}

TEST_CASE("DataStream carries bytes whole however they are written and read", "[network][unit]") {
  const uint64_t seed = Seed();
  CAPTURE(seed);
  base::Random random(seed);
  for (int round = 0; round < 20; ++round) {
    Fixture f;
    std::vector<std::string> messages;
    std::string all;
    for (uint64_t i = 1 + random.Below(200); i > 0; --i) {
      const size_t size = 1 + random.Below(random.OneIn(3) ? 40'000 : 300);
      messages.emplace_back(size, '\0');
      for (char& byte : messages.back()) byte = static_cast<char>(random.Below(256));
      all += messages.back();
    }
    kj::Promise<void> writing = kj::READY_NOW;
    for (const std::string& message : messages) {
      const bool waits = random.OneIn(5);
      writing = writing.then([&f, &message, waits] {
        auto written = f.from->write(message.data(), message.size());
        return waits ? written.then([] { return kj::evalLast([] {}); }) : kj::mv(written);
      });
    }
    writing = writing.then([&f] { f.from->shutdownWrite(); }).eagerlyEvaluate(nullptr);
    std::string got;
    for (;;) {
      const size_t min_bytes = 1 + random.Below(random.OneIn(3) ? 20'000 : 100);
      const std::string bytes = f.Read(min_bytes, min_bytes + random.Below(5000));
      got += bytes;
      if (bytes.size() < min_bytes) break;
    }
    writing.wait(f.scope);
    REQUIRE(got == all);
  }
}

}  // namespace
}  // namespace weir::network

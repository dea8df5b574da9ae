// What must hold: a timer fires once, in order of time, can be interrupted between two and taken up
// again after a restore, by whoever owns its key group then.
#include <catch2/catch.hpp>

#include "tests/unit/common/state/keyed_samples.h"

namespace weir::state {
namespace {

using Go = TimerQueue::Go;

struct Sample {
  KeyedBackend backend;
  std::unique_ptr<TimerQueue> timers;

  explicit Sample(KeyGroupRange range = {0, 7})
      : backend(range, 8), timers(*TimerQueue::Create(backend, "timers")) {}

  void Register(const std::string& key, int64_t name_space, EventTimeUs time_us) {
    REQUIRE(timers->Register(KeyFor(key), name_space, time_us).ok());
  }
  // The fired timers as "time/namespace/key".
  std::vector<std::string> Advance(EventTimeUs now_us, size_t fired_max = SIZE_MAX) {
    std::vector<std::string> fired;
    const auto fire = [&](const Timer& timer) -> absl::StatusOr<Go> {
      fired.push_back(std::to_string(timer.time_us) + "/" + std::to_string(timer.name_space) + "/" +
                      timer.key);
      return fired.size() < fired_max ? Go::kOn : Go::kStop;
    };
    is_done = *timers->AdvanceTo(now_us, fire);
    return fired;
  }
  static TableKey KeyFor(const std::string& key) {
    return {KeyGroupOfHash(types::HashKeyBytes(key), 8), key};
  }

  bool is_done = false;
};

using Fired = std::vector<std::string>;

TEST_CASE("timers fire in order of time, namespace and key, each once", "[state][unit]") {
  Sample sample;
  sample.Register("b", 0, 20);
  sample.Register("a", 0, 20);
  sample.Register("a", -1, 20);
  sample.Register("z", 0, -5);
  sample.Register("a", 0, 20);  // once more
  sample.Register("c", 0, 30);
  CHECK(sample.timers->size() == 5);
  CHECK(sample.timers->NextTime() == -5);
  CHECK(sample.Advance(20) == Fired{"-5/0/z", "20/-1/a", "20/0/a", "20/0/b"});
  CHECK(sample.is_done);
  CHECK(sample.Advance(20).empty());
  CHECK(sample.timers->NextTime() == 30);
  CHECK(sample.Advance(29).empty());
  CHECK(sample.Advance(30) == Fired{"30/0/c"});
  CHECK(sample.timers->NextTime() == kEventTimeMax);
}

TEST_CASE("a deleted timer does not fire, a deleted and renewed one fires once", "[state][unit]") {
  Sample sample;
  sample.Register("a", 0, 1);
  sample.Register("b", 0, 2);
  REQUIRE(sample.timers->Delete(Sample::KeyFor("a"), 0, 1).ok());
  REQUIRE(sample.timers->Delete(Sample::KeyFor("a"), 0, 99).ok());
  REQUIRE(sample.timers->Delete(Sample::KeyFor("b"), 0, 2).ok());
  sample.Register("b", 0, 2);
  CHECK(sample.timers->NextTime() == 2);
  CHECK(sample.Advance(10) == Fired{"2/0/b"});
}

TEST_CASE("interrupted firing keeps what has not fired", "[state][unit]") {
  Sample sample;
  for (EventTimeUs time_us = 0; time_us < 6; ++time_us) sample.Register("a", 0, time_us);
  CHECK(sample.Advance(4, 2) == Fired{"0/0/a", "1/0/a"});
  CHECK_FALSE(sample.is_done);
  CHECK(sample.timers->size() == 4);
  CHECK(sample.Advance(4, 3) == Fired{"2/0/a", "3/0/a", "4/0/a"});
  CHECK(sample.is_done);
}

TEST_CASE("a firing timer may register and delete others", "[state][unit]") {
  Sample sample;
  sample.Register("a", 0, 1);
  sample.Register("b", 0, 2);
  std::vector<EventTimeUs> fired;
  const auto fire = [&](const Timer& timer) -> absl::StatusOr<Go> {
    fired.push_back(timer.time_us);
    if (timer.time_us < 50) sample.Register("a", 0, timer.time_us + 10);
    REQUIRE(sample.timers->Delete(Sample::KeyFor("b"), 0, 2).ok());
    return Go::kOn;
  };
  CHECK(*sample.timers->AdvanceTo(35, fire));
  CHECK(fired == std::vector<EventTimeUs>{1, 11, 21, 31});
  CHECK(sample.timers->NextTime() == 41);
}

TEST_CASE("an error while firing ends the advance", "[state][unit]") {
  Sample sample;
  sample.Register("a", 0, 1);
  sample.Register("a", 0, 2);
  const auto fail = [](const Timer&) -> absl::StatusOr<Go> { return absl::InternalError("no"); };
  CHECK(sample.timers->AdvanceTo(5, fail).status().code() == absl::StatusCode::kInternal);
  CHECK(sample.timers->size() == 1);
}

TEST_CASE("timers move with their key groups and overdue ones fire after a restore",
          "[state][unit]") {
  Sample sample;
  for (int i = 0; i < 200; ++i) sample.Register("key" + std::to_string(i), i % 3, 1000 - i);
  CHECK(sample.Advance(900, 50).size() == 50);
  const KeyedStateHandle handle = *WriteToString(sample.backend);

  Fired together;
  for (const KeyGroupRange range : {KeyGroupRange{0, 2}, KeyGroupRange{3, 7}}) {
    Sample restored(range);
    REQUIRE(restored.backend.Restore({handle}, StringInputs()).ok());
    restored.timers->RebuildIndex();
    const Fired fired = restored.Advance(5000);
    CHECK(!fired.empty());
    together.insert(together.end(), fired.begin(), fired.end());
  }
  Fired rest = sample.Advance(5000);
  std::sort(rest.begin(), rest.end());
  std::sort(together.begin(), together.end());
  CHECK(together == rest);
  CHECK(rest.size() == 150);
}

TEST_CASE("a timer of a foreign key group is an internal error", "[state][unit]") {
  Sample sample({0, 3});
  CHECK(sample.timers->Register({6, "a"}, 0, 1).code() == absl::StatusCode::kInternal);
}

TEST_CASE("renewing one timer for ever does not fill the index", "[state][unit]") {
  Sample sample;
  for (int i = 0; i < 20'000; ++i) {
    sample.Register("a", 0, 10'000'000 + i);
    if (i > 0) {
      REQUIRE(sample.timers->Delete(Sample::KeyFor("a"), 0, 10'000'000 + i - 1).ok());
    }
  }
  CHECK(sample.timers->size() == 1);
  CHECK(sample.timers->index_size() < 2000);
}

}  // namespace
}  // namespace weir::state

// What must hold: a producer gets its channel whichever side comes first, one producer per channel,
// older executions are refused, and what waits is bounded and always answered.
#include "taskmanager/network/channel_registry.h"

#include <memory>
#include <optional>

#include <catch2/catch.hpp>

namespace weir::network {
namespace {

const JobId kJob{1, 2};

ChannelName Name(uint64_t generation, uint32_t producer = 0, uint64_t epoch = 1) {
  return {.job = kJob, .epoch = epoch, .generation = generation, .producer = producer};
}

struct Fixture {
  base::Mailbox consumer;
  InputGate gate{1, consumer};
  ChannelRegistry registry;
  int lost = 0;

  std::shared_ptr<ReceiveEnd> NewEnd() {
    return std::make_shared<ReceiveEnd>(gate, 0, [this](const absl::Status&) { ++lost; });
  }
  // What an open was answered, if it was.
  struct Asked {
    std::optional<ChannelRegistry::Answer> answer;
    uint64_t number = 0;
  };
  std::unique_ptr<Asked> Open(const ChannelName& name) {
    auto asked = std::make_unique<Asked>();
    asked->number = registry.Open(
        name, [to = asked.get()](ChannelRegistry::Answer answer) { to->answer = answer; });
    return asked;
  }
};

absl::StatusCode CodeOf(const std::unique_ptr<Fixture::Asked>& asked) {
  REQUIRE(asked->answer.has_value());
  return asked->answer->status().code();
}

TEST_CASE("ChannelRegistry brings the sides together in either order", "[network][unit]") {
  Fixture f;
  const auto first = f.NewEnd();
  REQUIRE(f.registry.Expect(Name(1, 0), first).ok());
  const auto after = f.Open(Name(1, 0));
  REQUIRE(CodeOf(after) == absl::StatusCode::kOk);
  CHECK(after->answer->value() == first);

  const auto before = f.Open(Name(1, 1));
  CHECK_FALSE(before->answer.has_value());
  const auto second = f.NewEnd();
  REQUIRE(f.registry.Expect(Name(1, 1), second).ok());
  REQUIRE(CodeOf(before) == absl::StatusCode::kOk);
  CHECK(before->answer->value() == second);
}

TEST_CASE("ChannelRegistry gives a channel to one producer only", "[network][unit]") {
  Fixture f;
  const auto waiting = f.Open(Name(1));
  CHECK(CodeOf(f.Open(Name(1))) == absl::StatusCode::kAlreadyExists);
  REQUIRE(f.registry.Expect(Name(1), f.NewEnd()).ok());
  CHECK(CodeOf(waiting) == absl::StatusCode::kOk);
  CHECK(CodeOf(f.Open(Name(1))) == absl::StatusCode::kAlreadyExists);
}

TEST_CASE("ChannelRegistry refuses producers of older executions at once", "[network][unit]") {
  Fixture f;
  const auto old = f.Open(Name(/*generation=*/4));
  const auto older_leader = f.Open(Name(/*generation=*/9, 0, /*epoch=*/0));
  const auto next = f.Open(Name(/*generation=*/6));
  REQUIRE(f.registry.Expect(Name(/*generation=*/5, 1), f.NewEnd()).ok());
  CHECK(CodeOf(old) == absl::StatusCode::kAborted);
  CHECK(CodeOf(older_leader) == absl::StatusCode::kAborted);
  CHECK_FALSE(next->answer.has_value());
  CHECK(CodeOf(f.Open(Name(/*generation=*/4))) == absl::StatusCode::kAborted);
}

TEST_CASE("ChannelRegistry withdraws just the open that is meant", "[network][unit]") {
  Fixture f;
  const auto first = f.Open(Name(1));
  f.registry.Withdraw(Name(1), first->number, absl::DeadlineExceededError("late"));
  CHECK(CodeOf(first) == absl::StatusCode::kDeadlineExceeded);
  const auto second = f.Open(Name(1));
  f.registry.Withdraw(Name(1), first->number, absl::DeadlineExceededError("late"));
  CHECK_FALSE(second->answer.has_value());
}

TEST_CASE("ChannelRegistry forgets a receiver but not the one expected before it",
          "[network][unit]") {
  Fixture f;
  const auto first = f.NewEnd();
  const auto twice = f.NewEnd();
  REQUIRE(f.registry.Expect(Name(1), first).ok());
  CHECK(f.registry.Expect(Name(1), twice).code() == absl::StatusCode::kAlreadyExists);
  f.registry.Forget(Name(1), *twice);
  CHECK(CodeOf(f.Open(Name(1))) == absl::StatusCode::kOk);
  f.registry.Forget(Name(1), *first);
  CHECK_FALSE(f.Open(Name(1))->answer.has_value());
}

TEST_CASE("ChannelRegistry holds as many producers as the limit and not one more",
          "[network][unit]") {
  Fixture f;
  size_t answered = 0;
  for (uint32_t i = 0; i < kHeldOpensMax; ++i) {
    f.registry.Open(Name(1, i), [&answered](const ChannelRegistry::Answer&) { ++answered; });
  }
  CHECK(answered == 0);
  CHECK(CodeOf(f.Open(Name(1, kHeldOpensMax))) == absl::StatusCode::kResourceExhausted);
  f.registry.Close(absl::UnavailableError("stopped"));
  CHECK(answered == kHeldOpensMax);
}

TEST_CASE("A closed ChannelRegistry breaks its channels and answers everyone", "[network][unit]") {
  Fixture f;
  REQUIRE(f.registry.Expect(Name(1), f.NewEnd()).ok());
  const auto waiting = f.Open(Name(1, 1));
  f.registry.Close(absl::UnavailableError("stopped"));
  CHECK(f.lost == 1);
  CHECK(CodeOf(waiting) == absl::StatusCode::kUnavailable);
  CHECK(CodeOf(f.Open(Name(1, 2))) == absl::StatusCode::kFailedPrecondition);
  CHECK_FALSE(f.registry.Expect(Name(1, 3), f.NewEnd()).ok());
}

TEST_CASE("ChannelRegistry remembers a bounded number of jobs", "[network][unit]") {
  Fixture f;
  for (uint64_t job = 0; job <= kRememberedJobsMax; ++job) {
    ChannelName name = Name(5);
    name.job = JobId{10, job};
    const auto end = f.NewEnd();
    REQUIRE(f.registry.Expect(name, end).ok());
    f.registry.Forget(name, *end);
  }
  ChannelName forgotten = Name(4);
  forgotten.job = JobId{10, 0};
  CHECK_FALSE(f.Open(forgotten)->answer.has_value());
  forgotten.job = JobId{10, 1};
  CHECK(CodeOf(f.Open(forgotten)) == absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace weir::network

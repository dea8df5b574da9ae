// What must hold: the root cause of an incident is its first failure that is not merely a lost
// channel, it is never dropped, and the log stays small.
#include "jobmanager/job/failure_log.h"

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/rpc/channel_lost.h"

namespace weir::job {
namespace {

Failure Real(const std::string& message) {
  return {.vertex = "counts", .status = absl::InternalError(message)};
}

Failure Lost(const std::string& message) {
  return {.vertex = "sink", .status = rpc::MarkChannelLost(absl::UnavailableError(message))};
}

std::vector<std::string> Messages(const std::vector<Failure>& failures) {
  std::vector<std::string> messages;
  for (const Failure& failure : failures) messages.emplace_back(failure.status.message());
  return messages;
}

TEST_CASE("The first failure is the root cause", "[job][unit]") {
  FailureLog log;
  CHECK(log.RootCause() == nullptr);
  CHECK(log.Newest().empty());
  log.BeginIncident();
  log.Add(Real("a"));
  log.Add(Real("b"));
  log.Add(Lost("c"));
  CHECK(log.RootCause()->status.message() == "a");
  CHECK(Messages(log.Newest()) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("A lost channel is the cause only while nothing else is known", "[job][unit]") {
  FailureLog log;
  log.BeginIncident();
  log.Add(Lost("a"));
  log.Add(Lost("b"));
  CHECK(log.RootCause()->status.message() == "a");
  log.Add(Real("c"));
  log.Add(Real("d"));
  CHECK(log.RootCause()->status.message() == "c");
  CHECK(Messages(log.Newest()) == std::vector<std::string>{"c", "a", "b", "d"});
}

TEST_CASE("Each incident has its own cause", "[job][unit]") {
  FailureLog log;
  log.BeginIncident();
  log.Add(Real("a"));
  log.BeginIncident();
  log.Add(Lost("b"));
  CHECK(log.RootCause()->status.message() == "b");
  CHECK(Messages(log.Newest()) == std::vector<std::string>{"b"});
}

TEST_CASE("What went with one taskmanager is noted once", "[job][unit]") {
  FailureLog log;
  log.BeginIncident();
  const Failure gone{.vertex = "counts",
                     .taskmanager = TaskManagerId{1, 1},
                     .status = absl::UnavailableError("taskmanager 1 was lost")};
  Failure other = gone;
  other.taskmanager = TaskManagerId{2, 2};
  log.Add(gone);
  log.Add(gone);
  log.Add(other);
  CHECK(log.size() == 2);
}

TEST_CASE("The log holds its limit, the newest incident and the cause", "[job][unit]") {
  FailureLog log;
  for (size_t i = 0; i < kFailuresKeptMax; ++i) {
    log.BeginIncident();
    log.Add(Real(absl::StrCat("old ", i)));
  }
  CHECK(log.size() == kFailuresKeptMax);
  log.BeginIncident();
  for (size_t i = 0; i < 2 * kFailuresKeptMax; ++i) log.Add(Lost(absl::StrCat("lost ", i)));
  CHECK(log.size() == kFailuresKeptMax);
  CHECK(log.Newest().size() == kFailuresKeptMax);
  CHECK(log.RootCause()->status.message() == "lost 0");
  log.Add(Real("why"));
  CHECK(log.size() == kFailuresKeptMax);
  CHECK(log.RootCause()->status.message() == "why");
  log.Add(Real("more"));
  CHECK(log.size() == kFailuresKeptMax);
  CHECK(log.RootCause()->status.message() == "why");
}

}  // namespace
}  // namespace weir::job

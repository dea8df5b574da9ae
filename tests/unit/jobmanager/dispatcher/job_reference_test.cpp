// What must hold: a reference means one job or says why not.
#include "jobmanager/dispatcher/job_reference.h"

#include <absl/strings/match.h>
#include <catch2/catch.hpp>

namespace weir::dispatcher {
namespace {

constexpr JobId kFirst{0x12345678'9abcdef0, 1};
constexpr JobId kSecond{0x12345678'00000000, 2};
constexpr JobId kThird{0xfeed0000'00000000, 3};

NamedJob JobOf(JobId id, const std::string& name, int submitted, bool has_ended) {
  return {id, name, absl::UnixEpoch() + absl::Seconds(submitted), has_ended};
}

TEST_CASE("A name means the newest job that has not ended, else the newest", "[dispatcher][unit]") {
  std::vector<NamedJob> jobs = {JobOf(kFirst, "a", 1, false), JobOf(kSecond, "a", 2, true),
                                JobOf(kThird, "a", 3, true)};
  CHECK(*ResolveJob(jobs, "a") == kFirst);
  jobs[0].has_ended = true;
  CHECK(*ResolveJob(jobs, "a") == kThird);
}

TEST_CASE("An id or its beginning means one job", "[dispatcher][unit]") {
  const std::vector<NamedJob> jobs = {JobOf(kFirst, "a", 1, false), JobOf(kSecond, "b", 2, false),
                                      JobOf(kThird, "c", 3, true)};
  CHECK(*ResolveJob(jobs, kSecond.ToString()) == kSecond);
  CHECK(*ResolveJob(jobs, "123456789") == kFirst);
  CHECK(*ResolveJob(jobs, "FEED") == kThird);
  CHECK(absl::IsNotFound(ResolveJob(jobs, "fee").status()));  // too short
  CHECK(absl::IsNotFound(ResolveJob(jobs, "feee").status()));
  CHECK(absl::IsNotFound(ResolveJob(jobs, "nothing").status()));
  CHECK(absl::IsNotFound(ResolveJob({}, "1234").status()));
}

TEST_CASE("A beginning of several ids lists them", "[dispatcher][unit]") {
  const std::vector<NamedJob> jobs = {JobOf(kFirst, "a", 1, false), JobOf(kSecond, "b", 2, false)};
  const absl::Status status = ResolveJob(jobs, "1234").status();
  CHECK(absl::IsInvalidArgument(status));
  CHECK(absl::StrContains(status.message(), kFirst.ToString()));
  CHECK(absl::StrContains(status.message(), kSecond.ToString()));
}

TEST_CASE("A name that looks like an id is a name", "[dispatcher][unit]") {
  const std::vector<NamedJob> jobs = {JobOf(kFirst, "a", 1, false), JobOf(kThird, "1234", 2, true)};
  CHECK(*ResolveJob(jobs, "1234") == kThird);
}

}  // namespace
}  // namespace weir::dispatcher

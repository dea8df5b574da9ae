// What must hold: whatever happens after whichever single event of a run, a job that is cancelled
// ends CANCELED, one that is suspended ends SUSPENDED, and one that loses a taskmanager goes on to
// its end; and nothing is left behind: no task, no slot, no timer. The sites are the steps of a run
// with a wait for slots, a failure and a restart, by number.
#include <functional>

#include <catch2/catch.hpp>

#include "tests/unit/jobmanager/job/job_world.h"

namespace weir::job {
namespace {

// The taskmanagers come late, so that waiting for them is part of the run.
constexpr int kTaskManagersComeAt = 1;
// More than any run takes.
constexpr int kStepsMax = 2000;

// Steps until `site`; false: the run is shorter.
bool RunUntil(JobWorld& world, int site) {
  world.job->Start();
  for (int step = 0; step < site; ++step) {
    if (step == kTaskManagersComeAt) {
      world.AddTaskManager(1);
      world.AddTaskManager(2);
    }
    if (!world.Step()) return false;
  }
  return true;
}

// Runs `at` at every site of a run, then `check` when nothing is left to happen. Returns how many.
int ForEverySite(const JobScript& script, const std::function<void(JobWorld&)>& at,
                 const std::function<void(JobWorld&)>& check) {
  for (int site = kTaskManagersComeAt + 1;; ++site) {
    CAPTURE(site);
    JobWorld world(script);
    if (!RunUntil(world, site)) return site;
    at(world);
    const int steps = world.RunToEnd(kStepsMax);
    REQUIRE(steps < kStepsMax);
    REQUIRE(world.Leftovers() == "");
    check(world);
  }
}

TEST_CASE("The run whose steps are the sites fails, restarts and finishes", "[job][unit]") {
  JobWorld world({});
  REQUIRE(RunUntil(world, kTaskManagersComeAt + 1));
  CHECK(world.RunToEnd(kStepsMax) > 60);
  CHECK(world.Leftovers() == "");
  CHECK(world.job->lifecycle().state() == JobState::kFinished);
  CHECK(world.job->counts().restarts == 1);
  CHECK(world.deployments() == 2);
  CHECK(world.job->counts().restored != kNoCheckpoint);
}

TEST_CASE("A job ends CANCELED at whichever step it is cancelled", "[job][unit]") {
  bool was_finished = false;
  const int sites = ForEverySite(
      {},
      [&](JobWorld& world) {
        was_finished = world.job->lifecycle().state() == JobState::kFinished;
        world.job->Cancel();
        world.job->Cancel();  // asking twice changes nothing
      },
      [&](JobWorld& world) {
        REQUIRE(world.job->lifecycle().state() ==
                (was_finished ? JobState::kFinished : JobState::kCanceled));
      });
  CHECK(sites > 60);
}

TEST_CASE("A job that waits for slots can be cancelled and suspended", "[job][unit]") {
  for (const bool cancels : {true, false}) {
    JobWorld world({});
    world.job->Start();
    while (world.Step() && world.job->WaitsFor().empty()) {
    }
    const absl::Duration asked_at = world.clock.SteadyNow();
    if (cancels) {
      world.job->Cancel();
    } else {
      world.job->Suspend();
    }
    world.RunToEnd();
    CHECK(world.Leftovers() == "");
    CHECK(world.clock.SteadyNow() == asked_at);  // at once, not when the wait is over
    CHECK(world.job->lifecycle().state() == (cancels ? JobState::kCanceled : JobState::kSuspended));
  }
}

TEST_CASE("A job ends SUSPENDED at whichever step it is suspended", "[job][unit]") {
  bool was_finished = false;
  ForEverySite(
      {},
      [&](JobWorld& world) {
        was_finished = world.job->lifecycle().state() == JobState::kFinished;
        world.job->Suspend();
        world.job->Suspend();
      },
      [&](JobWorld& world) {
        const JobState state = world.job->lifecycle().state();
        // Tasks that had all been told of the final checkpoint end well rather than cancelled.
        REQUIRE((state == JobState::kSuspended || state == JobState::kFinished));
        if (was_finished) REQUIRE(state == JobState::kFinished);
        if (state == JobState::kFinished) REQUIRE(world.store.Latest().has_value());
      });
}

TEST_CASE(
    "A job that is cancelled while it is suspended ends CANCELED, and not the other way round",
    "[job][unit]") {
  ForEverySite(
      {},
      [](JobWorld& world) {
        world.job->Suspend();
        world.job->Cancel();
        world.job->Suspend();
      },
      [](JobWorld& world) {
        const JobState state = world.job->lifecycle().state();
        REQUIRE((state == JobState::kCanceled || state == JobState::kSuspended ||
                 state == JobState::kFinished));
      });
}

TEST_CASE("A job goes on to its end at whichever step it loses a taskmanager", "[job][unit]") {
  for (const uint64_t lost : {1, 2}) {
    CAPTURE(lost);
    ForEverySite(
        {}, [lost](JobWorld& world) { world.LoseTaskManager(lost); },
        [](JobWorld& world) {
          REQUIRE(world.job->lifecycle().state() == JobState::kFinished);
          // An incident of its own, or one with the failure that the run has anyway.
          REQUIRE(world.job->counts().restarts <= 2);
        });
  }
}

TEST_CASE("A job waits for another taskmanager at whichever step it loses all", "[job][unit]") {
  ForEverySite(
      {},
      [](JobWorld& world) {
        world.LoseTaskManager(1);
        world.LoseTaskManager(2);
        for (int i = 0; i < 5; ++i) world.Step();
        world.AddTaskManager(3);
      },
      [](JobWorld& world) { REQUIRE(world.job->lifecycle().state() == JobState::kFinished); });
}

TEST_CASE("A taskmanager that registers anew loses what it ran, at whichever step", "[job][unit]") {
  ForEverySite(
      {},
      [](JobWorld& world) {
        world.LoseTaskManager(1);
        world.AddTaskManager(1);
      },
      [](JobWorld& world) { REQUIRE(world.job->lifecycle().state() == JobState::kFinished); });
}

TEST_CASE("A job can be cancelled at any step after it lost a taskmanager", "[job][unit]") {
  for (const int later : {0, 1, 3, 7, 15}) {
    CAPTURE(later);
    bool was_finished = false;
    ForEverySite(
        {},
        [&](JobWorld& world) {
          world.LoseTaskManager(2);
          for (int i = 0; i < later; ++i) world.Step();
          was_finished = world.job->lifecycle().state() == JobState::kFinished;
          world.job->Cancel();
        },
        [&](JobWorld& world) {
          REQUIRE(world.job->lifecycle().state() ==
                  (was_finished ? JobState::kFinished : JobState::kCanceled));
        });
  }
}

TEST_CASE("A taskmanager that is lost while a job is cancelled keeps it from nothing",
          "[job][unit]") {
  for (const int later : {1, 2, 4}) {
    CAPTURE(later);
    bool was_finished = false;
    ForEverySite(
        {},
        [&](JobWorld& world) {
          was_finished = world.job->lifecycle().state() == JobState::kFinished;
          world.job->Cancel();
          for (int i = 0; i < later; ++i) world.Step();
          world.LoseTaskManager(1);
          world.LoseTaskManager(2);
        },
        [&](JobWorld& world) {
          REQUIRE(world.job->lifecycle().state() ==
                  (was_finished ? JobState::kFinished : JobState::kCanceled));
        });
  }
}

TEST_CASE("A job that gives up leadership ends SUSPENDED at whichever step", "[job][unit]") {
  ForEverySite(
      {}, [](JobWorld& world) { world.job->OnLeadershipLost(absl::AbortedError("another leads")); },
      [](JobWorld& world) {
        const JobState state = world.job->lifecycle().state();
        REQUIRE((state == JobState::kSuspended || state == JobState::kFinished));
        if (state == JobState::kSuspended) {
          REQUIRE(absl::IsAborted(world.job->lifecycle().cause()));
        }
      });
}

TEST_CASE("A job whose start was overtaken gives up leadership and touches nothing more",
          "[job][unit]") {
  JobWorld world({});
  world.preparations.push_back(absl::AbortedError("a later start of the job writes there"));
  REQUIRE(RunUntil(world, kTaskManagersComeAt + 1));
  REQUIRE(world.RunToEnd(kStepsMax) < kStepsMax);
  CHECK(world.job->lifecycle().state() == JobState::kSuspended);
  CHECK(absl::IsAborted(world.job->lifecycle().cause()));
  CHECK(world.job->counts().restarts == 0);
}

}  // namespace
}  // namespace weir::job

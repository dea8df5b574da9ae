// What must hold: slots are given once, in the order asked, only of taskmanagers that are there;
// who waits knows for what and not for ever.
#include "jobmanager/resources/slot_pool.h"

#include <cstdlib>
#include <optional>
#include <set>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/testing/manual_clock.h"
#include "common/testing/virtual_timers.h"
#include "jobmanager/resources/local_slots.h"
#include "jobmanager/scheduler/slot_placement.h"
#include "tests/unit/jobmanager/resources/recording_link.h"

namespace weir::resources {
namespace {

SlotPlacement PlacementOf(scheduler::PlacementPolicy policy) {
  return [policy](const std::vector<SlotCount>& counts, uint32_t count) {
    std::vector<scheduler::Capacity> capacities;
    for (const SlotCount& one : counts) capacities.push_back({one.slots, one.free});
    return scheduler::Place(policy, capacities, count).chosen;
  };
}

JobId JobOf(uint64_t number) {
  return {number, number};
}

struct Fixture {
  testing::ManualClock clock;
  testing::VirtualTimers timers{clock};
  base::Mailbox loop;
  LinkRecord record;
  TaskManagerRegistry registry{clock};
  SlotPool pool{{}, PlacementOf(scheduler::PlacementPolicy::kSpread), {registry, loop, timers}};
  std::map<JobId, absl::StatusOr<SlotAssignment>> answers;
  uint64_t requests = 0;
  std::map<uint64_t, uint64_t> newest;  // request of each job
  std::map<TaskManagerId, uint64_t> lives;
  std::map<JobId, std::map<TaskManagerId, uint64_t>> given_in;  // which life of a taskmanager

  Fixture() {
    registry.AddListener(pool);
    registry.Lead(1);
  }
  void Add(uint64_t number, uint32_t slots) {
    ++lives[IdOf(number)];
    REQUIRE(Register(registry, number, slots, record).ok());
  }
  void Lose(uint64_t number) { registry.OnLost(IdOf(number), absl::UnavailableError("gone")); }
  void Acquire(uint64_t job, uint32_t count) {
    const uint64_t number = ++requests;
    newest[job] = number;
    answers.erase(JobOf(job));
    pool.Acquire(JobOf(job), count, [this, job, number](absl::StatusOr<SlotAssignment> answer) {
      // The end of a request that was given back may come after a new one.
      if (newest[job] != number && absl::IsCancelled(answer.status())) return;
      const bool is_first = answers.emplace(JobOf(job), std::move(answer)).second;
      REQUIRE(is_first);
      given_in[JobOf(job)] = lives;
    });
  }
  void Drain() {
    while (loop.Drain() > 0) {
    }
  }
  bool Has(uint64_t job) const {
    const auto it = answers.find(JobOf(job));
    return it != answers.end() && it->second.ok();
  }
};

TEST_CASE("A request is served later, with places", "[resources][unit]") {
  Fixture f;
  f.Add(1, 2);
  f.Add(2, 2);
  f.Acquire(1, 3);
  CHECK(f.answers.empty());
  f.Drain();
  REQUIRE(f.Has(1));
  const SlotAssignment& assignment = *f.answers.at(JobOf(1));
  CHECK(assignment.slots == std::vector<TaskManagerId>{IdOf(1), IdOf(2), IdOf(1)});
  CHECK(assignment.places.at(IdOf(2)).host == "host-2");
  CHECK(assignment.places.at(IdOf(2)).data_address == "127.0.0.1:6002");
  CHECK(f.pool.FreeOn(IdOf(1)) == 0);
  CHECK(f.pool.Total().free == 1);
  CHECK(f.timers.armed_count() == 0);
}

TEST_CASE("A job that waits is served when slots come back", "[resources][unit]") {
  Fixture f;
  f.Add(1, 2);
  f.Acquire(1, 2);
  f.Drain();
  f.Acquire(2, 1);
  f.Drain();
  CHECK_FALSE(f.Has(2));
  CHECK(f.pool.WaitsFor(JobOf(2)) ==
        "waiting for 1 slot: 0 of 2 are free on 1 taskmanager; start another taskmanager or cancel "
        "a job");
  f.pool.Release(JobOf(1));
  f.Drain();
  CHECK(f.Has(2));
  CHECK(f.pool.WaitsFor(JobOf(2)).empty());
}

TEST_CASE("A job that waits is served when a taskmanager comes", "[resources][unit]") {
  Fixture f;
  f.Acquire(1, 2);
  f.Drain();
  CHECK(f.pool.WaitsFor(JobOf(1)) == "waiting for 2 slots: there is no taskmanager; start some");
  f.Add(1, 1);
  f.Drain();
  CHECK(f.pool.WaitsFor(JobOf(1)) ==
        "waiting for 2 slots: 1 of 1 are free on 1 taskmanager; start taskmanagers with 1 more "
        "slot, or run the job with less parallelism");
  f.Add(2, 1);
  f.Drain();
  CHECK(f.Has(1));
}

TEST_CASE("Requests are served in the order they came", "[resources][unit]") {
  Fixture f;
  f.Add(1, 4);
  f.Acquire(1, 3);
  f.Drain();
  f.Acquire(2, 4);
  f.Acquire(3, 1);
  f.Drain();
  CHECK_FALSE(f.Has(3));  // it would fit, but job 2 would then wait for ever
  CHECK(f.pool.WaitsFor(JobOf(3)) ==
        "waiting for 1 slot: 1 of 4 are free on 1 taskmanager, and it is the turn of a job that "
        "asked before");
  f.pool.Release(JobOf(1));
  f.Drain();
  CHECK(f.Has(2));
  CHECK_FALSE(f.Has(3));
  f.pool.Release(JobOf(2));
  f.Drain();
  CHECK(f.Has(3));
}

TEST_CASE("A request larger than the cluster keeps nobody waiting", "[resources][unit]") {
  Fixture f;
  f.Add(1, 4);
  f.Acquire(1, 5);
  f.Acquire(2, 4);
  f.Drain();
  CHECK_FALSE(f.Has(1));
  CHECK(f.Has(2));
}

TEST_CASE("A request that waits too long fails and says what is missing", "[resources][unit]") {
  Fixture f;
  f.Add(1, 1);
  f.Acquire(1, 3);
  f.Drain();
  f.timers.AdvanceBy(absl::Minutes(5) - absl::Milliseconds(1));
  CHECK(f.answers.empty());
  f.timers.AdvanceBy(absl::Milliseconds(1));
  REQUIRE(f.answers.contains(JobOf(1)));
  const absl::Status status = f.answers.at(JobOf(1)).status();
  CHECK(absl::IsResourceExhausted(status));
  CHECK(status.message() ==
        "not enough slots for 5m: waiting for 3 slots: 1 of 1 are free on 1 taskmanager; start "
        "taskmanagers with 2 more slots, or run the job with less parallelism");
  CHECK(f.pool.WaitsFor(JobOf(1)).empty());
  f.Acquire(1, 1);  // and it may ask again
  f.Drain();
  CHECK(f.Has(1));
}

TEST_CASE("A request that is given back ends CANCELLED", "[resources][unit]") {
  Fixture f;
  f.Acquire(1, 3);
  f.Drain();
  f.pool.Release(JobOf(1));
  CHECK(f.answers.empty());
  f.Drain();
  REQUIRE(f.answers.contains(JobOf(1)));
  CHECK(absl::IsCancelled(f.answers.at(JobOf(1)).status()));
  CHECK(f.timers.armed_count() == 0);
  f.pool.Release(JobOf(1));  // nothing any more
  f.Drain();
}

TEST_CASE("The slots of a lost taskmanager vanish, also those that are held", "[resources][unit]") {
  Fixture f;
  f.Add(1, 2);
  f.Add(2, 2);
  f.Acquire(1, 4);
  f.Drain();
  f.Lose(1);
  CHECK(f.pool.Total().slots == 2);
  CHECK(f.pool.Total().free == 0);
  f.Add(1, 3);  // the same one again: nobody holds its slots
  CHECK(f.pool.FreeOn(IdOf(1)) == 3);
  f.pool.Release(JobOf(1));
  CHECK(f.pool.FreeOn(IdOf(1)) == 3);
  CHECK(f.pool.FreeOn(IdOf(2)) == 2);
}

TEST_CASE("A pool may end with requests unanswered", "[resources][unit]") {
  Fixture f;
  {
    SlotPool other({}, PlacementOf(scheduler::PlacementPolicy::kPack),
                   {f.registry, f.loop, f.timers});
    other.Acquire(JobOf(1), 1, [](absl::StatusOr<SlotAssignment>) { FAIL("nobody is there"); });
  }
  f.Drain();
  CHECK(f.timers.armed_count() == 0);
}

TEST_CASE("Whatever comes and goes, no slot is given twice", "[resources][unit]") {
  const char* given = std::getenv("WEIR_TEST_SEED");
  const uint64_t seed = given == nullptr ? 4711 : std::strtoull(given, nullptr, 10);
  CAPTURE(seed);
  base::Random random(seed);
  Fixture f;
  std::set<uint64_t> asked;
  for (int step = 0; step < 3000; ++step) {
    CAPTURE(step);
    const uint64_t number = random.Below(5) + 1;
    switch (random.Below(5)) {
      case 0:
        if (f.registry.Find(IdOf(number)) == nullptr) {
          f.Add(number, static_cast<uint32_t>(random.Between(1, 4)));
        }
        break;
      case 1:
        if (random.OneIn(2)) f.Lose(number);
        break;
      case 2:
        if (asked.insert(number).second) {
          f.Acquire(number, static_cast<uint32_t>(random.Between(1, 6)));
        }
        break;
      case 3:
        if (asked.erase(number) > 0) f.pool.Release(JobOf(number));
        break;
      default:
        f.Drain();
    }
    // What was given by a former life of a taskmanager is nobody's any more.
    std::map<TaskManagerId, uint32_t> used;
    for (const uint64_t job : asked) {
      if (!f.Has(job)) continue;
      for (const TaskManagerId id : f.answers.at(JobOf(job))->slots) {
        if (f.given_in[JobOf(job)][id] == f.lives[id]) ++used[id];
      }
    }
    for (const RegisteredTaskManager* one : f.registry.all()) {
      REQUIRE(used[one->facts.id] == one->facts.slots - f.pool.FreeOn(one->facts.id));
    }
  }
  for (const uint64_t job : asked) f.pool.Release(JobOf(job));
  f.Drain();
  CHECK(f.pool.Total().free == f.pool.Total().slots);
  CHECK(f.timers.armed_count() == 0);
}

TEST_CASE("Local slots are this process's, on the loop's next turn", "[resources][unit]") {
  base::Mailbox loop;
  std::optional<absl::StatusOr<SlotAssignment>> answer;
  const auto done = [&answer](absl::StatusOr<SlotAssignment> given) { answer = std::move(given); };
  {
    LocalSlots slots(loop);
    slots.Acquire(JobOf(1), 3, done);
    CHECK_FALSE(answer.has_value());
    loop.Drain();
    REQUIRE(answer.has_value());
    CHECK((*answer)->slots == std::vector<TaskManagerId>(3));
    slots.Release(JobOf(1));
    answer.reset();
    slots.Acquire(JobOf(1), 2, done);
    slots.Release(JobOf(1));
    while (loop.Drain() > 0) {
    }
    REQUIRE(answer.has_value());
    CHECK(absl::IsCancelled(answer->status()));
    answer.reset();
    slots.Acquire(JobOf(1), 2, done);
  }
  loop.Drain();
  CHECK_FALSE(answer.has_value());
}

}  // namespace
}  // namespace weir::resources

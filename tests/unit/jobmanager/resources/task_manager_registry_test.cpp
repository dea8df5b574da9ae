// What must hold: a taskmanager is there from its registration to its loss, once, and every
// listener hears of both in order.
#include "jobmanager/resources/task_manager_registry.h"

#include <catch2/catch.hpp>

#include "common/testing/manual_clock.h"
#include "tests/unit/jobmanager/resources/recording_link.h"

namespace weir::resources {
namespace {

class Listener final : public RegistryListener {
 public:
  void OnRegistered(const RegisteredTaskManager& taskmanager) override {
    heard.push_back(absl::StrCat("registered ", taskmanager.facts.host));
  }
  void OnReport(const RegisteredTaskManager& taskmanager) override {
    heard.push_back(absl::StrCat("report ", taskmanager.report.resident_bytes));
  }
  void OnLost(const RegisteredTaskManager& taskmanager, const absl::Status& cause) override {
    heard.push_back(absl::StrCat("lost ", taskmanager.facts.host, ": ", cause.message()));
  }
  std::vector<std::string> heard;
};

struct Fixture {
  testing::ManualClock clock;
  Listener listener;
  LinkRecord first;
  LinkRecord second;
  TaskManagerRegistry registry{clock};

  Fixture() { registry.AddListener(listener); }
};

TEST_CASE("A registry takes nobody in until it leads", "[resources][unit]") {
  Fixture f;
  CHECK(absl::IsUnavailable(Register(f.registry, 1, 2, f.first)));
  CHECK_FALSE(f.first.is_alive);
  f.registry.Lead(9);
  const auto registered =
      f.registry.Register(FactsOf(2, 2), std::make_unique<RecordingLink>(f.second));
  REQUIRE(registered.ok());
  CHECK(registered->epoch == 9);
  CHECK(f.registry.size() == 1);
}

TEST_CASE("A registry refuses what cannot run anything", "[resources][unit]") {
  Fixture f;
  f.registry.Lead(1);
  CHECK(absl::IsInvalidArgument(Register(f.registry, 1, 0, f.first)));
  CHECK(Register(f.registry, 1, rpc::kSlotsMax, f.first).ok());
  CHECK(absl::IsInvalidArgument(Register(f.registry, 2, rpc::kSlotsMax + 1, f.second)));
  rpc::TaskManagerFacts facts = FactsOf(3, 1);
  facts.data_address.clear();
  CHECK(absl::IsInvalidArgument(
      f.registry.Register(facts, std::make_unique<RecordingLink>(f.second)).status()));
  facts = FactsOf(3, 1);
  facts.id = {};
  CHECK(absl::IsInvalidArgument(
      f.registry.Register(facts, std::make_unique<RecordingLink>(f.second)).status()));
}

TEST_CASE("A registry holds so many taskmanagers and no more", "[resources][unit]") {
  Fixture f;
  f.registry.Lead(1);
  for (uint64_t i = 1; i <= kTaskManagersMax; ++i)
    REQUIRE(Register(f.registry, i, 1, f.first).ok());
  CHECK(absl::IsResourceExhausted(Register(f.registry, kTaskManagersMax + 1, 1, f.second)));
  // One that is there may come again.
  CHECK(Register(f.registry, 1, 1, f.second).ok());
}

TEST_CASE("Reports are kept and told, those of strangers are not", "[resources][unit]") {
  Fixture f;
  f.registry.Lead(1);
  REQUIRE(Register(f.registry, 1, 2, f.first).ok());
  f.clock.Advance(absl::Seconds(3));
  f.registry.OnReport(IdOf(1), {.resident_bytes = 77});
  f.registry.OnReport(IdOf(2), {.resident_bytes = 78});
  const RegisteredTaskManager* taskmanager = f.registry.Find(IdOf(1));
  CHECK(taskmanager->report.resident_bytes == 77);
  CHECK(taskmanager->heard_at - taskmanager->registered_at == absl::Seconds(3));
  CHECK(f.listener.heard == std::vector<std::string>{"registered host-1", "report 77"});
}

TEST_CASE("A lost taskmanager is gone before anyone hears of it, once", "[resources][unit]") {
  Fixture f;
  f.registry.Lead(1);
  REQUIRE(Register(f.registry, 1, 2, f.first).ok());
  f.registry.OnLost(IdOf(1), absl::UnavailableError("reset"));
  f.registry.OnLost(IdOf(1), absl::UnavailableError("again"));
  CHECK_FALSE(f.first.is_alive);
  CHECK(f.registry.Find(IdOf(1)) == nullptr);
  CHECK(f.registry.LinkOf(IdOf(1)) == nullptr);
  CHECK(f.listener.heard == std::vector<std::string>{"registered host-1", "lost host-1: reset"});
}

TEST_CASE("A taskmanager that registers anew replaces what it was", "[resources][unit]") {
  Fixture f;
  f.registry.Lead(1);
  REQUIRE(Register(f.registry, 1, 2, f.first).ok());
  REQUIRE(Register(f.registry, 1, 4, f.second).ok());
  CHECK_FALSE(f.first.is_alive);
  CHECK(f.second.is_alive);
  CHECK(f.registry.size() == 1);
  CHECK(f.registry.Find(IdOf(1))->facts.slots == 4);
  CHECK(f.listener.heard == std::vector<std::string>{"registered host-1",
                                                     "lost host-1: it has registered anew",
                                                     "registered host-1"});
}

TEST_CASE("A closed registry has told every taskmanager why", "[resources][unit]") {
  Fixture f;
  f.registry.Lead(1);
  REQUIRE(Register(f.registry, 1, 2, f.first).ok());
  REQUIRE(Register(f.registry, 2, 2, f.second).ok());
  f.registry.Close(absl::UnavailableError("stopping"));
  CHECK(f.registry.size() == 0);
  CHECK(f.first.calls == std::vector<std::string>{"close stopping"});
  CHECK(f.second.calls == std::vector<std::string>{"close stopping"});
  CHECK(absl::IsUnavailable(Register(f.registry, 1, 2, f.first)));
}

}  // namespace
}  // namespace weir::resources

// What must hold: the receiver of a deployment has the sender's plan, tasks and its own states, or
// an error that says why not.
#include "common/rpc/deployment_codec.h"

#include <functional>
#include <string>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <capnp/message.h>
#include <catch2/catch.hpp>

#include "tests/unit/common/rpc/sample_job.h"

namespace weir::rpc {
namespace {

absl::StatusOr<JobDeployment> Spoilt(
    const std::function<void(wire::JobDeployment::Builder)>& change) {
  capnp::MallocMessageBuilder message;
  auto deployment = message.initRoot<wire::JobDeployment>();
  WriteDeployment(SampleDeployment(/*epoch=*/5), kFirstTaskManager, deployment);
  change(deployment);
  return ReadDeployment(deployment.asReader());
}

std::string RefusalOf(const std::function<void(wire::JobDeployment::Builder)>& change) {
  const auto result = Spoilt(change);
  CHECK(absl::IsInvalidArgument(result.status()));
  return std::string(result.status().message());
}

std::vector<std::string> VertexNames(const graph::JobGraph& graph) {
  std::vector<std::string> names;
  for (const graph::JobVertex& vertex : graph.vertices) names.push_back(vertex.name);
  return names;
}

TEST_CASE("A deployment arrives with the same plan and the receiver's states", "[rpc][unit]") {
  const JobDeployment sent = SampleDeployment(/*epoch=*/5);
  const auto arrived = Spoilt([](wire::JobDeployment::Builder) {});
  INFO(arrived.status());
  REQUIRE(arrived.ok());
  CHECK(arrived->job == sent.job);
  CHECK(arrived->epoch == 5);
  CHECK(arrived->generation == 77);
  CHECK(arrived->source == sent.source);
  REQUIRE(arrived->plan != nullptr);
  CHECK(arrived->plan->name == "count");
  REQUIRE(arrived->graph != nullptr);
  CHECK(VertexNames(*arrived->graph) == VertexNames(*sent.graph));
  CHECK(arrived->restored == sent.restored);
  CHECK(arrived->restored_location == sent.restored_location);
  CHECK(arrived->data_addresses == sent.data_addresses);
  REQUIRE(arrived->tasks.size() == sent.tasks.size());
  REQUIRE(sent.tasks.size() >= 4);
  for (size_t i = 0; i < sent.tasks.size(); ++i) {
    CAPTURE(i);
    CHECK(arrived->tasks[i].attempt == sent.tasks[i].attempt);
    CHECK(arrived->tasks[i].vertex == sent.tasks[i].vertex);
    CHECK(arrived->tasks[i].subtask == sent.tasks[i].subtask);
    CHECK(arrived->tasks[i].taskmanager == sent.tasks[i].taskmanager);
    const bool is_own = sent.tasks[i].taskmanager == kFirstTaskManager;
    CHECK(arrived->tasks[i].states ==
          (is_own ? sent.tasks[i].states : decltype(sent.tasks[i].states){}));
  }
}

TEST_CASE("A preparation carries the list state of every task", "[rpc][unit]") {
  const JobDeployment sent = SampleDeployment(/*epoch=*/5);
  capnp::MallocMessageBuilder message;
  auto wire = message.initRoot<wire::JobDeployment>();
  WritePreparation(sent, wire);
  const auto arrived = ReadDeployment(wire.asReader());
  REQUIRE(arrived.ok());
  for (size_t i = 0; i < sent.tasks.size(); ++i) {
    CAPTURE(i);
    REQUIRE(arrived->tasks[i].states.size() == 1);
    const auto& [uid, state] = *arrived->tasks[i].states.begin();
    CHECK(uid == sent.tasks[i].states.begin()->first);
    CHECK(state.operator_managed == sent.tasks[i].states.begin()->second.operator_managed);
    CHECK(state.keyed_managed.empty());
    CHECK(state.keyed_raw.empty());
    CHECK(state.operator_raw.empty());
  }
}

TEST_CASE("A text that is not the one that was planned is refused", "[rpc][unit]") {
  const auto changed_text = Spoilt(
      [](auto d) { d.getSource().setText(absl::StrCat(SampleSource().text, "# more\n").c_str()); });
  CHECK(absl::IsFailedPrecondition(changed_text.status()));
  CHECK(absl::StrContains(changed_text.status().message(), "of the same build"));
  const auto changed_variable =
      Spoilt([](auto d) { d.getSource().getVariables()[0].setValue("other"); });
  CHECK(absl::IsFailedPrecondition(changed_variable.status()));
  const auto changed_parallelism = Spoilt([](auto d) { d.getSource().setParallelism(3); });
  CHECK(absl::IsFailedPrecondition(changed_parallelism.status()));
}

TEST_CASE("A text without a plan is refused with its first error", "[rpc][unit]") {
  const auto broken = Spoilt([](auto d) {
    graph::JobSource source = SampleSource();
    source.text = "weir: 1\nname: x\n";
    d.getSource().setText(source.text.c_str());
    d.setSourceHash(graph::HashOf(source));
  });
  CHECK(absl::IsFailedPrecondition(broken.status()));
  CHECK(absl::StrContains(broken.status().message(), "has no plan on this taskmanager: "));
}

TEST_CASE("Parallelism that no state has room for is refused", "[rpc][unit]") {
  const auto refusal = [](int64_t parallelism, int64_t max_parallelism) {
    const auto spoilt = Spoilt([&](auto d) {
      graph::JobSource source = SampleSource();
      source.parallelism = parallelism;
      source.max_parallelism = max_parallelism;
      d.getSource().setParallelism(parallelism);
      d.getSource().setMaxParallelism(max_parallelism);
      d.setSourceHash(graph::HashOf(source));
    });
    CHECK(absl::IsFailedPrecondition(spoilt.status()));
    return std::string(spoilt.status().message());
  };
  CHECK(absl::StrContains(refusal(2, 99999), "max_parallelism is 99999; it must be"));
  CHECK(absl::StrContains(refusal(-1, 16), "parallelism is -1; it must be"));
  CHECK(absl::StrContains(refusal(17, 16), "parallelism 17 exceeds max_parallelism 16"));
}

TEST_CASE("A deployment that cannot be is refused", "[rpc][unit]") {
  CHECK(RefusalOf([](auto d) { d.initJob(); }) == "a deployment of no job");
  CHECK(RefusalOf([](auto d) { d.setRestored(-1); }) == "restored checkpoint -1");
  CHECK(absl::StrContains(RefusalOf([](auto d) { d.initTasks(1); }), "and 1 were sent"));
  CHECK(absl::StrContains(RefusalOf([](auto d) { d.getTasks()[1].setSubtask(0); }),
                          "where subtask 1 of vertex 0"));
  CHECK(absl::StrContains(RefusalOf([](auto d) { d.getTasks()[0].setVertex(1u << 31); }),
                          "where subtask 0 of vertex 0"));
  CHECK(absl::StrContains(RefusalOf([](auto d) { d.getTasks()[0].initAttempt(); }),
                          "has no attempt"));
  CHECK(absl::StrContains(
      RefusalOf([](auto d) { d.getTasks()[1].setAttempt(d.getTasks()[0].getAttempt()); }),
      "twice"));
  CHECK(
      absl::StrContains(RefusalOf([](auto d) { d.initDataAddresses(0); }), "has no data address"));
  CHECK(absl::StrContains(RefusalOf([](auto d) { d.getDataAddresses()[0].setAddress(""); }),
                          "data address of 0 bytes"));
  CHECK(
      absl::StrContains(RefusalOf([](auto d) { d.getTasks()[0].getStates()[0].setUid("counts"); }),
                        "state of operator counts for task lines"));
  CHECK(absl::StrContains(
      RefusalOf([](auto d) {
        d.getTasks()[0].getStates()[0].getState().getKeyedManaged()[0].setLastGroup(16);
      }),
      "key groups"));
}

}  // namespace
}  // namespace weir::rpc

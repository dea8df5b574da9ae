// What must hold: every subtask has one attempt, each event counts once, and attempts of another
// execution are unknown.
#include "jobmanager/job/execution.h"

#include <catch2/catch.hpp>

namespace weir::job {
namespace {

graph::JobGraph TwoVertices() {
  graph::JobGraph graph;
  graph.vertices.push_back({.name = "source", .chain = {0}, .parallelism = 2});
  graph.vertices.push_back({.name = "sink", .chain = {1}, .parallelism = 1, .inputs = {0}});
  graph.edges.push_back({.from = 0, .to = 1, .partitioning = graph::Partitioning::kRebalance});
  return graph;
}

TEST_CASE("An execution has one attempt for each subtask", "[job][unit]") {
  base::IdSource ids(1);
  const Execution execution(TwoVertices(), ids);
  REQUIRE(execution.attempts().size() == 3);
  CHECK(execution.live_count() == 3);
  CHECK(execution.Facts()[1].subtask == SubtaskIndex{1});
  CHECK(execution.Facts()[2].vertex == 1);
  CHECK(execution.Find(execution.attempts()[2].id)->vertex == 1);
  CHECK(execution.Find(AttemptId{5, 5}) == nullptr);
}

TEST_CASE("Each event of an attempt counts once", "[job][unit]") {
  base::IdSource ids(1);
  Execution execution(TwoVertices(), ids);
  const AttemptId first = execution.attempts()[0].id;
  CHECK(execution.OnRunning(first));
  CHECK_FALSE(execution.OnRunning(first));
  CHECK_FALSE(execution.OnRunning(AttemptId{5, 5}));
  CHECK_FALSE(execution.AllRunning());
  CHECK(execution.OnEnded(first, absl::OkStatus()));
  CHECK_FALSE(execution.OnEnded(first, absl::InternalError("late")));
  CHECK_FALSE(execution.OnRunning(first));
  CHECK(execution.live_count() == 2);
  CHECK(execution.attempts()[0].state == checkpoint::TaskState::kFinished);
}

TEST_CASE("An execution is finished when every attempt ended well", "[job][unit]") {
  base::IdSource ids(1);
  Execution all_well(TwoVertices(), ids);
  for (const Attempt& attempt : std::vector<Attempt>(all_well.attempts())) {
    CHECK_FALSE(all_well.AllFinished());
    all_well.OnEnded(attempt.id, absl::OkStatus());
  }
  CHECK(all_well.AllFinished());

  Execution one_failed(TwoVertices(), ids);
  for (const Attempt& attempt : std::vector<Attempt>(one_failed.attempts())) {
    one_failed.OnEnded(attempt.id,
                       attempt.vertex == 1 ? absl::InternalError("broken") : absl::OkStatus());
  }
  CHECK_FALSE(one_failed.AllFinished());
  CHECK(one_failed.live_count() == 0);
}

TEST_CASE("Job facts describe chains, inputs and signatures", "[job][unit]") {
  graph::Plan plan;
  plan.name = "job";
  plan.settings.max_parallelism = 128;
  plan.nodes.push_back({.id = "source", .uid = "source", .state_signature = "splits"});
  plan.nodes.push_back({.id = "sink", .uid = "renamed"});
  const checkpoint::JobFacts facts = MakeJobFacts(JobId{1, 1}, 9, plan, TwoVertices());
  REQUIRE(facts.vertices.size() == 2);
  CHECK(facts.epoch == 9);
  CHECK(facts.vertices[0].operators[0].signature == "splits");
  CHECK(facts.vertices[1].operators[0].uid == "renamed");
  CHECK(facts.vertices[1].operators[0].max_parallelism == 128);
  CHECK(facts.vertices[1].inputs[0].kind == checkpoint::EdgeKind::kAllToAll);
}

}  // namespace
}  // namespace weir::job

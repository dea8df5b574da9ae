// CoordinatorHarness: drives a CoordinatorCore by hand and keeps what it asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "common/checkpoint/coordinator_core.h"

namespace weir::checkpoint {

// A job of vertices in a chain: all-to-all edges from each to the next.
inline JobFacts ChainJob(const std::vector<uint32_t>& parallelism) {
  JobFacts job;
  job.job = {1, 2};
  job.name = "job";
  job.epoch = 7;
  job.max_parallelism = 128;
  for (uint32_t v = 0; v < parallelism.size(); ++v) {
    VertexFacts vertex;
    vertex.name = "v" + std::to_string(v);
    vertex.parallelism = parallelism[v];
    vertex.operators.push_back({"op" + std::to_string(v), 128, "sig"});
    if (v > 0) vertex.inputs.push_back({v - 1, EdgeKind::kAllToAll});
    job.vertices.push_back(std::move(vertex));
  }
  return job;
}

inline state::OperatorSubtaskState FileState(const std::string& path, uint64_t size) {
  state::OperatorSubtaskState state;
  state::OperatorStateHandle handle;
  handle.stream.path = path;
  handle.stream.size = size;
  handle.lists["list"] = {state::ListMode::kSplitEven, {0}};
  state.operator_managed.push_back(std::move(handle));
  return state;
}

// Fetches ids at once, runs no hooks by itself, and leaves storing to the test.
class CoordinatorHarness {
 public:
  explicit CoordinatorHarness(JobFacts job, CoordinatorSettings settings = {})
      : job_(job), core(std::move(job), settings, kNoCheckpoint, /*seed=*/42) {}

  Now now() const { return {steady, absl::UnixEpoch() + steady}; }

  AttemptId Attempt(uint32_t vertex, uint32_t subtask = 0) const {
    return {generation_, uint64_t{vertex} * 1000 + subtask + 1};
  }
  // Deploys all tasks of a new execution.
  void Deploy(TaskState state = TaskState::kRunning) {
    ++generation_;
    std::vector<AttemptFacts> attempts;
    for (uint32_t v = 0; v < job_.vertices.size(); ++v) {
      for (uint32_t i = 0; i < job_.vertices[v].parallelism; ++i) {
        attempts.push_back({Attempt(v, i), v, SubtaskIndex{i}, state});
      }
    }
    Do(core.OnDeployed(attempts, now()));
  }

  // Keeps `actions`, answers FetchId.
  void Do(Actions actions) {
    for (Action& action : actions) {
      if (const auto* armed = std::get_if<ArmTimer>(&action)) {
        timers[{armed->kind, armed->id}] = armed->at;
      } else if (const auto* cancelled = std::get_if<CancelTimer>(&action)) {
        timers.erase({cancelled->kind, cancelled->id});
      }
      const bool fetches = std::holds_alternative<FetchId>(action);
      done.push_back(std::move(action));
      if (fetches && fetch_by_itself) AnswerFetch();
    }
  }
  void AnswerFetch() {
    const CheckpointId id{next_id++};
    Do(core.OnIdFetched({id, "loc" + std::to_string(ToInt(id))}, now()));
  }

  // Moves time, firing timers on the way.
  void Advance(absl::Duration by) {
    const absl::Duration end = steady + by;
    while (true) {
      auto next = timers.end();
      for (auto it = timers.begin(); it != timers.end(); ++it) {
        if (it->second <= end && (next == timers.end() || it->second < next->second)) next = it;
      }
      if (next == timers.end()) break;
      steady = std::max(steady, next->second);
      const auto [kind, id] = next->first;
      timers.erase(next);
      Do(core.OnTimer(kind, id, now()));
    }
    steady = end;
  }

  AckFacts MakeAck(uint32_t vertex, int64_t id, uint32_t subtask = 0) const {
    AckFacts ack;
    ack.sender = {job_.job, job_.epoch, Attempt(vertex, subtask)};
    ack.id = CheckpointId{id};
    ack.states["op" + std::to_string(vertex)] =
        FileState("f" + std::to_string(vertex) + "-" + std::to_string(subtask), 10);
    return ack;
  }
  AckResult Ack(uint32_t vertex, int64_t id, uint32_t subtask = 0) {
    return Give(MakeAck(vertex, id, subtask));
  }
  AckResult Give(AckFacts ack) {
    AckOutcome outcome = core.OnAck(std::move(ack), now());
    Do(std::move(outcome.actions));
    return outcome.result;
  }
  void AckAll(int64_t id) {
    for (uint32_t v = 0; v < job_.vertices.size(); ++v) {
      for (uint32_t i = 0; i < job_.vertices[v].parallelism; ++i) Ack(v, id, i);
    }
  }
  void Decline(uint32_t vertex, int64_t id, FailureReason reason = FailureReason::kDeclined) {
    DeclineFacts decline;
    decline.sender = {job_.job, job_.epoch, Attempt(vertex)};
    decline.id = CheckpointId{id};
    decline.reason = reason;
    decline.cause = absl::InternalError("no");
    Do(core.OnDecline(decline, now()));
  }
  void Store(int64_t id, StoreOutcome outcome = StoreOutcome::kStored) {
    const absl::Status cause = outcome == StoreOutcome::kStored
                                   ? absl::OkStatus()
                                   : absl::UnavailableError("the store is away");
    Do(core.OnStoreResult(CheckpointId{id}, outcome, cause, now()));
  }
  void Complete(int64_t id) {
    AckAll(id);
    Store(id);
  }
  void Request(uint64_t token, CheckpointKind kind = CheckpointKind::kCheckpoint) {
    UserRequest request;
    request.token = RequestToken{token};
    request.kind = kind;
    Do(core.OnUserRequest(request, now()));
  }

  // --- What was asked for since the last Forget() ---
  template <class T>
  std::vector<T> Of() const {
    std::vector<T> found;
    for (const Action& action : done) {
      if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }
  template <class T>
  size_t Count() const {
    return Of<T>().size();
  }
  // Attempts per id, of SendTrigger.
  std::multimap<int64_t, AttemptId> Triggers() const {
    std::multimap<int64_t, AttemptId> found;
    for (const auto& t : Of<SendTrigger>()) found.emplace(ToInt(t.barrier.id), t.attempt);
    return found;
  }
  std::set<int64_t> TriggeredIds() const {
    std::set<int64_t> ids;
    for (const auto& t : Of<SendTrigger>()) ids.insert(ToInt(t.barrier.id));
    return ids;
  }
  template <class T>
  std::vector<std::pair<AttemptId, int64_t>> Told() const {
    std::vector<std::pair<AttemptId, int64_t>> told;
    for (const auto& t : Of<T>()) told.emplace_back(t.attempt, ToInt(t.id));
    return told;
  }
  std::optional<RequestEnded> Answer(uint64_t token) const {
    for (const auto& ended : Of<RequestEnded>()) {
      if (ended.token == RequestToken{token}) return ended;
    }
    return std::nullopt;
  }
  bool IsArmed(TimerKind kind, int64_t id = 0) const {
    return timers.contains({kind, CheckpointId{id}});
  }
  void Forget() { done.clear(); }

 private:
  JobFacts job_;
  uint64_t generation_ = 0;

 public:
  CoordinatorCore core;
  absl::Duration steady = absl::Seconds(100);
  std::map<std::pair<TimerKind, CheckpointId>, absl::Duration> timers;
  Actions done;
  int64_t next_id = 1;
  bool fetch_by_itself = true;
};

}  // namespace weir::checkpoint

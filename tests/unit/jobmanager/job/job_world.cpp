#include "tests/unit/jobmanager/job/job_world.h"

#include <stdexcept>

#include <absl/strings/str_cat.h>

#include "common/graph/planner.h"
#include "jobmanager/scheduler/slot_placement.h"

namespace weir::job {
namespace {

constexpr char kJob[] = R"(weir: 1
name: numbers
settings:
  parallelism: 2
  checkpointing: {interval: 1s}
  restart: {strategy: fixed_delay, attempts: 20, delay: 1s}
types:
  number: {n: int64 not null}
sources:
  in:
    connector: datagen
    options: {count: 100, fields: {n: {kind: sequence, start: 0, step: 1}}}
    schema: number
transforms:
  counts: {type: aggregate, input: in, key_by: {k: "n % 10"}, aggregates: {c: count(*)}}
sinks:
  out: {connector: blackhole, input: counts, changelog: log}
)";

std::vector<size_t> Spread(const std::vector<resources::SlotCount>& counts, uint32_t count) {
  std::vector<scheduler::Capacity> capacities;
  for (const resources::SlotCount& one : counts) capacities.push_back({one.slots, one.free});
  return scheduler::Place(scheduler::PlacementPolicy::kSpread, capacities, count).chosen;
}

}  // namespace

// A taskmanager as the registry owns it.
class JobWorld::Link final : public resources::TaskManagerLink {
 public:
  Link(JobWorld& world, TaskManagerId id) : world_(world), id_(id) {}
  ~Link() override {
    // What is owed is answered later, on the loop.
    for (Done& done : owed_) {
      world_.loop.PostControl([done = std::move(done)]() mutable {
        done(absl::UnavailableError("the connection ended"));
      });
    }
  }

  absl::Status Deploy(rpc::JobDeployment deployment) override {
    world_.OnDeploy(id_, deployment);
    return absl::OkStatus();
  }
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override {
    world_.OnTrigger(attempt, barrier);
    return absl::OkStatus();
  }
  void NotifyComplete(AttemptId attempt, CheckpointId id) override { world_.OnNotify(attempt); }
  void NotifyAborted(AttemptId attempt, CheckpointId id) override {}
  void Cancel(AttemptId attempt) override {
    world_.EndSoon(attempt, absl::CancelledError("asked to"));
  }
  void Release(JobId job) override {}
  void Prepare(const rpc::JobDeployment& deployment, Done done) override {
    owed_.push_back(std::move(done));
    world_.Later(id_, [this] {
      Done answered = std::move(owed_.front());
      owed_.pop_front();
      absl::Status status;
      if (!world_.preparations.empty()) {
        status = world_.preparations.front();
        world_.preparations.pop_front();
      }
      if (status.ok()) return answered(rpc::SinkPreparation{});
      answered(status);
    });
  }
  void ReadLogs(const rpc::LogRequest& request, LogsDone done) override {}
  void Close(const absl::Status& cause) override {}

 private:
  JobWorld& world_;
  const TaskManagerId id_;
  std::deque<Done> owed_;
};

JobWorld::JobWorld(JobScript script) : script_(std::move(script)) {
  pool = std::make_unique<resources::SlotPool>(
      resources::SlotPoolOptions{}, Spread, resources::SlotPool::Services{registry, loop, timers});
  registry.AddListener(*pool);
  registry.AddListener(gateway);
  registry.Lead(/*epoch=*/7);
  const graph::PlanResult planned = graph::MakePlan({.file_name = "job.yaml", .text = kJob});
  if (planned.plan == nullptr) throw std::logic_error("the test's job has errors");
  plan_ = planned.plan;
  job = std::make_unique<Job>(
      JobDescription{.id = JobId{1, 2},
                     .epoch = 7,
                     .source = {.file_name = "job.yaml", .text = kJob},
                     .plan = plan_,
                     .graph = std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*plan_)),
                     .restart = plan_->settings.restart,
                     .started_by = script_.started_by,
                     .seed = 3},
      JobServices{.checkpoints = {clock, timers, io, loop, storage, counter, store, gateway},
                  .sinks = gateway,
                  .slots = *pool});
}

JobWorld::~JobWorld() {
  job.reset();
  registry.Close(absl::CancelledError("the test is over"));
  loop.Drain();
}

void JobWorld::AddTaskManager(uint64_t number) {
  const TaskManagerId id = IdOf(number);
  const absl::StatusOr<resources::Registration> registered =
      registry.Register({.id = id,
                         .host = absl::StrCat("host-", number),
                         .data_address = absl::StrCat("127.0.0.1:", 6000 + number),
                         .slots = 2,
                         .build_version = "test"},
                        std::make_unique<Link>(*this, id));
  if (!registered.ok()) throw std::logic_error(std::string(registered.status().message()));
}

bool JobWorld::LoseTaskManager(uint64_t number) {
  const TaskManagerId id = IdOf(number);
  if (registry.Find(id) == nullptr) return false;
  std::erase_if(actions_, [id](const Action& action) { return action.taskmanager == id; });
  for (auto& [attempt, task] : tasks_) {
    if (task.taskmanager == id) task.is_live = false;
  }
  registry.OnLost(id, absl::UnavailableError("connection reset"));
  return true;
}

void JobWorld::OnDeploy(TaskManagerId id, const rpc::JobDeployment& deployment) {
  if (deployment.generation != generation_) {
    generation_ = deployment.generation;
    ++deployments_;
    tasks_.clear();
    triggered_.clear();
    input_ends_ = false;
    has_failed_ = false;
  }
  const graph::JobGraph& graph = *deployment.graph;
  for (const rpc::TaskDeployment& task : deployment.tasks) {
    if (task.taskmanager != id) continue;
    tasks_[task.attempt] = {.sender = {deployment.job, deployment.epoch, task.attempt},
                            .taskmanager = id,
                            .is_source = graph.vertices[task.vertex].inputs.empty()};
    Later(id, [this, attempt = task.attempt] {
      const auto it = tasks_.find(attempt);
      if (it != tasks_.end() && it->second.is_live) gateway.OnTaskRunning(it->second.sender);
    });
  }
}

void JobWorld::OnTrigger(AttemptId attempt, const checkpoint::Barrier& barrier) {
  int sources = 0;
  for (const auto& [other, task] : tasks_) sources += task.is_source && task.is_live ? 1 : 0;
  // The barrier has reached every task once each source has sent it.
  if (++triggered_[barrier.id] < sources) return;
  for (const auto& [other, task] : tasks_) {
    Later(task.taskmanager, [this, other = other, barrier] {
      const auto it = tasks_.find(other);
      if (it == tasks_.end() || !it->second.is_live) return;
      it->second.is_final = barrier.options.kind == checkpoint::CheckpointKind::kFinal;
      checkpoint::AckFacts ack;
      ack.sender = it->second.sender;
      ack.id = barrier.id;
      ack.finished = it->second.data_ended;
      gateway.OnAck(std::move(ack));
    });
  }
}

void JobWorld::OnNotify(AttemptId attempt) {
  Task& task = tasks_.at(attempt);
  ++task.notified;
  if (task.is_final) return EndSoon(attempt, absl::OkStatus());
  if (deployments_ <= script_.failing_executions && !task.is_source && !has_failed_) {
    has_failed_ = true;
    return EndSoon(attempt, script_.failure);
  }
  if (task.notified < script_.checkpoints || input_ends_) return;
  input_ends_ = true;
  for (const auto& [other, one] : tasks_) {
    Later(one.taskmanager, [this, other = other] {
      const auto it = tasks_.find(other);
      if (it == tasks_.end() || !it->second.is_live) return;
      it->second.data_ended = true;
      gateway.OnEndOfData(it->second.sender);
    });
  }
}

void JobWorld::EndSoon(AttemptId attempt, const absl::Status& status) {
  const auto found = tasks_.find(attempt);
  if (found == tasks_.end()) return;
  Later(found->second.taskmanager, [this, attempt, status] {
    const auto it = tasks_.find(attempt);
    if (it == tasks_.end() || !it->second.is_live) return;
    it->second.is_live = false;
    gateway.OnTaskEnded(it->second.sender, status);
  });
}

bool JobWorld::Step() {
  if (loop.Drain() > 0) return true;
  if (!events.empty()) {
    const std::function<void(Job&)> event = std::move(events.front());
    events.pop_front();
    event(*job);
    return true;
  }
  if (io.RunOne()) return true;
  if (!actions_.empty()) {
    const std::function<void()> run = std::move(actions_.front().run);
    actions_.pop_front();
    run();
    return true;
  }
  return timers.RunNext();
}

int JobWorld::RunToEnd(int steps_max) {
  int steps = 0;
  while (steps < steps_max && Step()) ++steps;
  return steps;
}

int JobWorld::live_tasks() const {
  int live = 0;
  for (const auto& [attempt, task] : tasks_) live += task.is_live ? 1 : 0;
  return live;
}

std::string JobWorld::Leftovers() const {
  std::string left;
  if (!HasEnded(job->lifecycle().state())) {
    absl::StrAppend(&left, "the job is ", ToString(job->lifecycle().state()), "; ");
  }
  if (live_tasks() > 0) absl::StrAppend(&left, live_tasks(), " tasks live; ");
  const resources::SlotCount total = pool->Total();
  if (total.free != total.slots) absl::StrAppend(&left, total.slots - total.free, " slots held; ");
  if (!pool->WaitsFor(job->description().id).empty()) absl::StrAppend(&left, "waits for slots; ");
  if (timers.armed_count() > 0) absl::StrAppend(&left, timers.armed_count(), " timers armed; ");
  if (io.waiting_count() > 0) absl::StrAppend(&left, io.waiting_count(), " pieces of work; ");
  return left;
}

}  // namespace weir::job

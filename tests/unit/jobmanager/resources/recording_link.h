// RecordingLink: a taskmanager's link that writes down what it is told.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "jobmanager/resources/task_manager_link.h"
#include "jobmanager/resources/task_manager_registry.h"

namespace weir::resources {

// What one link was told; outlives it.
struct LinkRecord {
  std::vector<rpc::JobDeployment> deployments;
  std::vector<rpc::JobDeployment> preparations;
  std::vector<rpc::SinkPreparer::Done> owed;  // answers to preparations
  std::vector<std::string> calls;             // the others, in words
  absl::Status deploys;                       // the answer to Deploy()
  bool is_alive = true;
};

// Life: its record outlives it.
class RecordingLink final : public TaskManagerLink {
 public:
  explicit RecordingLink(LinkRecord& record) : record_(record) {}
  ~RecordingLink() override { record_.is_alive = false; }

  absl::Status Deploy(rpc::JobDeployment deployment) override {
    record_.deployments.push_back(std::move(deployment));
    return record_.deploys;
  }
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override {
    Note("trigger", attempt.low);
    return absl::OkStatus();
  }
  void NotifyComplete(AttemptId attempt, CheckpointId id) override {
    Note("complete", attempt.low);
  }
  void NotifyAborted(AttemptId attempt, CheckpointId id) override { Note("aborted", attempt.low); }
  void Cancel(AttemptId attempt) override { Note("cancel", attempt.low); }
  void Release(JobId job) override { Note("release", job.low); }
  void Prepare(const rpc::JobDeployment& deployment, Done done) override {
    record_.preparations.push_back(deployment);
    record_.owed.push_back(std::move(done));
  }
  void ReadLogs(const rpc::LogRequest& request, LogsDone done) override {
    Note("logs", request.lines_max);
  }
  void Close(const absl::Status& cause) override {
    record_.calls.push_back(absl::StrCat("close ", cause.message()));
  }

 private:
  void Note(const char* call, uint64_t of) { record_.calls.push_back(absl::StrCat(call, " ", of)); }

  LinkRecord& record_;
};

inline TaskManagerId IdOf(uint64_t number) {
  return {number << 32, number};
}

inline rpc::TaskManagerFacts FactsOf(uint64_t number, uint32_t slots) {
  return {.id = IdOf(number),
          .host = absl::StrCat("host-", number),
          .data_address = absl::StrCat("127.0.0.1:", 6000 + number),
          .slots = slots,
          .build_version = "test"};
}

inline absl::Status Register(TaskManagerRegistry& registry, uint64_t number, uint32_t slots,
                             LinkRecord& record) {
  return registry.Register(FactsOf(number, slots), std::make_unique<RecordingLink>(record))
      .status();
}

}  // namespace weir::resources

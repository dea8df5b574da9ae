// TaskEventRouter: carries what tasks say from their threads to the control loop, job by job.
#pragma once

#include <utility>

#include <absl/functional/any_invocable.h>

#include "common/base/ids.h"
#include "common/base/mailbox.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/job/job.h"

namespace weir::dispatcher {

// Life:   outlives every task that was given it. What arrives for a job that is unknown, or while
//         nobody finds jobs, is dropped.
// Thread: the events from any; SetFinder() and the delivery on the control loop.
class TaskEventRouter final : public rpc::TaskEvents {
 public:
  // Null: not here, or not any more.
  using Finder = absl::AnyInvocable<job::Job*(JobId job)>;

  explicit TaskEventRouter(base::Mailbox& loop) : loop_(loop) {}

  // Null: nobody listens any more.
  void SetFinder(Finder finder) { finder_ = std::move(finder); }

  void OnTaskRunning(const checkpoint::Sender& sender) override {
    Post(sender.job, [sender](job::Job& job) { job.OnTaskRunning(sender); });
  }
  void OnEndOfData(const checkpoint::Sender& sender) override {
    Post(sender.job, [sender](job::Job& job) { job.OnEndOfData(sender); });
  }
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override {
    Post(sender.job, [sender, status](job::Job& job) { job.OnTaskEnded(sender, status); });
  }
  void OnAck(checkpoint::AckFacts ack) override {
    const JobId id = ack.sender.job;
    Post(id, [ack = std::move(ack)](job::Job& job) mutable { job.OnAck(std::move(ack)); });
  }
  void OnDecline(const checkpoint::DeclineFacts& decline) override {
    Post(decline.sender.job, [decline](job::Job& job) { job.OnDecline(decline); });
  }

 private:
  template <class Event>
  void Post(JobId id, Event event) {
    loop_.PostControl([this, id, event = std::move(event)]() mutable {
      job::Job* job = finder_ ? finder_(id) : nullptr;
      if (job != nullptr) event(*job);
    });
  }

  base::Mailbox& loop_;
  Finder finder_;
};

}  // namespace weir::dispatcher

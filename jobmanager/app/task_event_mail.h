// TaskEventMail: carries what tasks say from their threads to the control loop.
#pragma once

#include <utility>

#include "common/base/mailbox.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/job/job.h"

namespace weir::jobmanager {

// Life:   outlives every task that was given it. What arrives while no job is set is dropped.
// Thread: the events from any; SetJob() and the delivery on the control loop.
class TaskEventMail final : public rpc::TaskEvents {
 public:
  explicit TaskEventMail(base::Mailbox& loop) : loop_(loop) {}

  // Null: nobody listens any more.
  void SetJob(job::Job* job) { job_ = job; }

  void OnTaskRunning(const checkpoint::Sender& sender) override {
    Post([sender](job::Job& job) { job.OnTaskRunning(sender); });
  }
  void OnEndOfData(const checkpoint::Sender& sender) override {
    Post([sender](job::Job& job) { job.OnEndOfData(sender); });
  }
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override {
    Post([sender, status](job::Job& job) { job.OnTaskEnded(sender, status); });
  }
  void OnAck(checkpoint::AckFacts ack) override {
    Post([ack = std::move(ack)](job::Job& job) mutable { job.OnAck(std::move(ack)); });
  }
  void OnDecline(const checkpoint::DeclineFacts& decline) override {
    Post([decline](job::Job& job) { job.OnDecline(decline); });
  }

 private:
  template <class Event>
  void Post(Event event) {
    loop_.PostControl([this, event = std::move(event)]() mutable {
      if (job_ != nullptr) event(*job_);
    });
  }

  base::Mailbox& loop_;
  job::Job* job_ = nullptr;
};

}  // namespace weir::jobmanager

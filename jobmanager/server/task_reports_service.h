// Wire adapter: what the tasks of one taskmanager report. Decode, call, answer.
#pragma once

#include "common/rpc/task_gateway.h"
#include "schemas/rpc/task_manager.capnp.h"

namespace weir::server {

// Thread: the control loop's. `events` outlives it; it forgets reports of unknown attempts.
class TaskReportsService final : public wire::TaskReports::Server {
 public:
  explicit TaskReportsService(rpc::TaskEvents& events) : events_(events) {}

  kj::Promise<void> running(RunningContext context) override;
  kj::Promise<void> endOfData(EndOfDataContext context) override;
  kj::Promise<void> ended(EndedContext context) override;
  kj::Promise<void> ack(AckContext context) override;
  kj::Promise<void> decline(DeclineContext context) override;

 private:
  rpc::TaskEvents& events_;
};

}  // namespace weir::server

#include "jobmanager/server/task_reports_service.h"

#include <utility>

#include <absl/status/statusor.h>

#include "common/rpc/checkpoint_codec.h"
#include "common/rpc/error_codec.h"

namespace weir::server {
namespace {

// Calls `tell` with what was read, if it could be, and answers.
template <class T, class Context, class Tell>
kj::Promise<void> Answer(absl::StatusOr<T> read, Context& context, Tell tell) {
  if (read.ok()) tell(std::move(*read));
  rpc::WriteOutcome(read.status(), context.getResults().initOutcome());
  return kj::READY_NOW;
}

}  // namespace

kj::Promise<void> TaskReportsService::running(RunningContext context) {
  return Answer(rpc::ReadTask(context.getParams().getTask()), context,
                [this](const checkpoint::Sender& sender) { events_.OnTaskRunning(sender); });
}

kj::Promise<void> TaskReportsService::endOfData(EndOfDataContext context) {
  return Answer(rpc::ReadTask(context.getParams().getTask()), context,
                [this](const checkpoint::Sender& sender) { events_.OnEndOfData(sender); });
}

kj::Promise<void> TaskReportsService::ended(EndedContext context) {
  return Answer(rpc::ReadTask(context.getParams().getTask()), context,
                [this, &context](const checkpoint::Sender& sender) {
                  events_.OnTaskEnded(sender, rpc::ReadOutcome(context.getParams().getOutcome()));
                });
}

kj::Promise<void> TaskReportsService::ack(AckContext context) {
  return Answer(rpc::ReadAck(context.getParams().getAck()), context,
                [this](checkpoint::AckFacts ack) { events_.OnAck(std::move(ack)); });
}

kj::Promise<void> TaskReportsService::decline(DeclineContext context) {
  return Answer(rpc::ReadDecline(context.getParams().getDecline()), context,
                [this](const checkpoint::DeclineFacts& decline) { events_.OnDecline(decline); });
}

}  // namespace weir::server

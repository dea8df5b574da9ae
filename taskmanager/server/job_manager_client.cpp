#include "taskmanager/server/job_manager_client.h"

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"

namespace weir::server {
namespace {

// What may be over in a moment: the jobmanager is not the leader yet, or has too much to do.
bool IsPassing(const absl::Status& cause) {
  return absl::IsUnavailable(cause) || absl::IsDeadlineExceeded(cause) ||
         absl::IsResourceExhausted(cause);
}

}  // namespace

JobManagerClient::JobManagerClient(JobManagerClientOptions options,
                                   JobManagerClientServices services)
    : options_(std::move(options)),
      services_(services),
      alive_(std::make_shared<const bool>(true)),
      backoff_(options_.backoff, options_.seed) {
}

JobManagerClient::~JobManagerClient() {
  services_.loop.Cancel(timer_);
}

void JobManagerClient::Start(rpc::TaskManagerFacts facts, HostedTasks hosted, OnLost on_lost) {
  WEIR_CHECK(state_ == State::kIdle);
  facts_ = std::move(facts);
  hosted_.emplace(std::move(hosted));
  on_lost_ = std::move(on_lost);
  Join();
}

void JobManagerClient::Stop() {
  state_ = State::kStopped;
  services_.loop.Cancel(timer_);
  session_.reset();
}

void JobManagerClient::Join() {
  state_ = State::kJoining;
  session_ = std::make_unique<JobManagerSession>(
      options_.address, facts_,
      JobManagerSessionServices{services_.loop, services_.io, services_.files, fence_, *hosted_},
      JobManagerSession::Callbacks{
          .registered = [this](uint64_t epoch) { OnRegistered(epoch); },
          .ended = [this](SessionEnd end, const absl::Status& cause) { OnEnded(end, cause); }});
}

void JobManagerClient::OnRegistered(uint64_t epoch) {
  state_ = State::kRegistered;
  cause_ = absl::OkStatus();
  announced_.clear();
  backoff_.Reset();
  LOG(INFO) << "registered at the jobmanager address=" << options_.address << " epoch=" << epoch
            << " taskmanager=" << facts_.id.ToString() << " slots=" << facts_.slots;
}

void JobManagerClient::OnEnded(SessionEnd end, const absl::Status& cause) {
  session_.reset();
  cause_ = cause;
  if (end == SessionEnd::kLost) {
    LOG(WARNING) << "jobmanager lost, every task is cancelled address=" << options_.address
                 << " cause=" << cause;
    state_ = State::kLosing;
    return on_lost_(cause);
  }
  const bool needs_person = end == SessionEnd::kRefused && !IsPassing(cause);
  const absl::Duration delay = needs_person ? options_.refused_pause : backoff_.Next();
  Announce(end, delay);
  TryAgainAfter(delay);
}

void JobManagerClient::Resume() {
  if (state_ == State::kLosing) TryAgainAfter(backoff_.Next());
}

void JobManagerClient::TryAgainAfter(absl::Duration delay) {
  state_ = State::kWaiting;
  timer_ = services_.loop.RunAfter(delay, [this] { Join(); });
}

void JobManagerClient::Announce(SessionEnd end, absl::Duration delay) {
  const bool is_refused = end == SessionEnd::kRefused;
  std::string what =
      absl::StrCat(is_refused ? "the jobmanager refuses this taskmanager, trying again address="
                              : "jobmanager not reachable, trying again address=",
                   options_.address, " cause=", cause_.ToString());
  if (what == announced_) return;
  announced_ = std::move(what);
  const std::string line = absl::StrCat(announced_, " next_in=", absl::FormatDuration(delay));
  if (is_refused && !IsPassing(cause_)) {
    LOG(ERROR) << line;
  } else {
    LOG(WARNING) << line;
  }
}

// --- Events ---

void JobManagerClient::Post(absl::AnyInvocable<void(JobManagerSession& session)> send) {
  services_.loop.mailbox().PostControl(
      [this, alive = std::weak_ptr<const bool>(alive_), send = std::move(send)]() mutable {
        if (!alive.expired() && session_ != nullptr) send(*session_);
      });
}

void JobManagerClient::OnTaskRunning(const checkpoint::Sender& sender) {
  Post([sender](JobManagerSession& session) { session.SendRunning(sender); });
}

void JobManagerClient::OnEndOfData(const checkpoint::Sender& sender) {
  Post([sender](JobManagerSession& session) { session.SendEndOfData(sender); });
}

void JobManagerClient::OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) {
  Post([sender, status](JobManagerSession& session) { session.SendEnded(sender, status); });
}

void JobManagerClient::OnAck(checkpoint::AckFacts ack) {
  Post([ack = std::move(ack)](JobManagerSession& session) { session.SendAck(ack); });
}

void JobManagerClient::OnDecline(const checkpoint::DeclineFacts& decline) {
  Post([decline](JobManagerSession& session) { session.SendDecline(decline); });
}

}  // namespace weir::server

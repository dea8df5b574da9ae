#include "taskmanager/server/job_manager_session.h"

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/status_macros.h"
#include "common/rpc/call_deadline.h"
#include "common/rpc/checkpoint_codec.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/protocol.h"
#include "common/rpc/wire_values.h"

namespace weir::server {
namespace {

// Silence is measured in parts of the timeout.
constexpr uint32_t kSilenceTicks = 10;
// Longest timeout a jobmanager may ask for; more is a mistake of units.
constexpr absl::Duration kHeartbeatTimeoutMax = absl::Hours(24);
// How long a jobmanager may take to write its probe and answer.
constexpr absl::Duration kHandshakeTimeout = absl::Seconds(30);
// A healthy one answers in milliseconds: whoever watches a start learns what it waits for.
constexpr absl::Duration kHandshakeTold = absl::Seconds(2);
// More than a probe ever holds.
constexpr size_t kProbeBytesMax = 256;

absl::StatusOr<std::string> ReadSmallFile(fs::FileSystem& files, const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<fs::SequentialFile> file, files.OpenSequential(path));
  std::string content(kProbeBytesMax, '\0');
  size_t size = 0;
  while (size < content.size()) {
    WEIR_ASSIGN_OR_RETURN(const size_t read,
                          file->Read(content.data() + size, content.size() - size));
    if (read == 0) break;
    size += read;
  }
  content.resize(size);
  return content;
}

absl::Status CheckTimeout(absl::Duration timeout) {
  if (timeout > absl::ZeroDuration() && timeout <= kHeartbeatTimeoutMax) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the jobmanager asks for a heartbeat timeout of ",
                                                 absl::FormatDuration(timeout)));
}

}  // namespace

JobManagerSession::JobManagerSession(const std::string& address, const rpc::TaskManagerFacts& facts,
                                     JobManagerSessionServices services, Callbacks callbacks)
    : address_(address),
      facts_(facts),
      services_(services),
      callbacks_(std::move(callbacks)),
      alive_(std::make_shared<const bool>(true)),
      silence_(kSilenceTicks),
      connection_(std::make_unique<rpc::ClientConnection>(
          services.loop, address, rpc::kConnectTimeout,
          rpc::ClientConnection::Callbacks{
              .connected = [this] { Greet(); },
              .ended = [this](const absl::Status& cause) { Fail(cause); }})),
      calls_(*this) {
}

JobManagerSession::~JobManagerSession() noexcept {
  alive_.reset();  // first: nothing that is delivered during the rest reaches this
  services_.loop.Cancel(timer_);
}

kj::Timer& JobManagerSession::Timer() {
  return services_.loop.io().provider->getTimer();
}

// --- Joining ---

void JobManagerSession::Greet() {
  timer_ = services_.loop.RunAfter(kHandshakeTold, [this] {
    LOG(WARNING) << "no answer to the greeting yet, is this a jobmanager's RPC port? address="
                 << address_
                 << " gives_up_in=" << absl::FormatDuration(kHandshakeTimeout - kHandshakeTold);
  });
  jobmanager_ = connection_->Bootstrap().castAs<wire::JobManager>();
  auto request = jobmanager_->greetRequest();
  request.setProtocol(rpc::kProtocolVersion);
  request.setBuild(rpc::TextOf(facts_.build_version));
  kj::Promise<void> welcomed =
      request.send().then([this](auto&& results) { OnWelcome(results.getOutcome()); });
  calls_.add(rpc::WithDeadline(Timer(), kHandshakeTimeout, kj::mv(welcomed)));
}

void JobManagerSession::OnWelcome(wire::Welcome::Reader welcome) {
  services_.loop.Cancel(timer_);
  if (welcome.isFailed()) return End(SessionEnd::kRefused, rpc::ReadError(welcome.getFailed()));
  const auto accepted = welcome.getAccepted();
  reports_ = accepted.getReports();
  cluster_ = rpc::ReadId<ClusterId>(accepted.getCluster());
  const std::string path = rpc::StringOf(accepted.getProbePath());
  if (path.empty()) return Register("");
  ReadProbe(path);
}

void JobManagerSession::ReadProbe(const std::string& path) {
  services_.io.Run([this, path, &files = services_.files, &loop = services_.loop,
                    alive = std::weak_ptr<const bool>(alive_)] {
    absl::StatusOr<std::string> seen = ReadSmallFile(files, path);
    loop.mailbox().PostControl([this, alive, seen = std::move(seen)] {
      if (!alive.expired()) Register(seen);
    });
  });
}

void JobManagerSession::Register(const absl::StatusOr<std::string>& seen) {
  if (is_ended_) return;
  auto request = jobmanager_->registerRequest();
  rpc::WriteFacts(facts_, request.initFacts());
  if (seen.ok()) {
    request.initSeen().setContent(rpc::TextOf(*seen));
  } else {
    rpc::WriteError(seen.status(), request.initSeen().initFailed());
  }
  JobManagerListener& listener = *this;
  request.setTaskManager(
      kj::heap<TaskManagerService>(services_.hosted, services_.fence, cluster_, listener, alive_));
  is_handed_over_ = true;
  kj::Promise<void> registered =
      request.send().then([this](auto&& results) { OnRegistered(results.getOutcome()); });
  calls_.add(rpc::WithDeadline(Timer(), kHandshakeTimeout, kj::mv(registered)));
}

void JobManagerSession::OnRegistered(wire::Registered::Reader outcome) {
  if (is_ended_) return;
  if (outcome.isFailed()) {
    is_handed_over_ = false;
    return End(SessionEnd::kRefused, rpc::ReadError(outcome.getFailed()));
  }
  const auto accepted = outcome.getAccepted();
  const absl::Duration timeout = absl::Microseconds(accepted.getHeartbeatTimeoutUs());
  absl::Status status = CheckTimeout(timeout);
  if (status.ok()) status = services_.fence.Admit(cluster_, accepted.getEpoch());
  if (!status.ok()) {
    is_handed_over_ = false;
    return End(SessionEnd::kRefused, status);
  }
  WatchSilence(timeout);
  Tell([registered = callbacks_.registered, epoch = accepted.getEpoch()] { registered(epoch); });
}

// --- Watching ---

void JobManagerSession::OnHeard() {
  silence_.Heard();
}

void JobManagerSession::OnDismissed(const absl::Status& cause) {
  End(SessionEnd::kLost, absl::UnavailableError(absl::StrCat(
                             "the jobmanager let this taskmanager go: ", cause.message())));
}

void JobManagerSession::WatchSilence(absl::Duration timeout) {
  timer_ = services_.loop.RunAfter(timeout / kSilenceTicks, [this, timeout] {
    if (is_ended_) return;
    if (silence_.Tick()) {
      return End(SessionEnd::kLost,
                 absl::DeadlineExceededError(
                     absl::StrCat(address_, ": no heartbeat for ", absl::FormatDuration(timeout))));
    }
    WatchSilence(timeout);
  });
}

// --- Reporting ---

template <class Results>
void JobManagerSession::Await(capnp::RemotePromise<Results> answer) {
  kj::Promise<absl::Status> outcome = answer.then(
      [](capnp::Response<Results>&& results) { return rpc::ReadOutcome(results.getOutcome()); });
  calls_.add(rpc::WithDeadline(Timer(), rpc::kCallTimeout, kj::mv(outcome))
                 .then([this](const absl::Status& status) {
                   if (status.ok()) return;
                   // The jobmanager waits for what it could not read: only a fresh start helps.
                   LOG(ERROR) << "report refused address=" << address_ << " cause=" << status;
                   Fail(status);
                 }));
}

void JobManagerSession::SendRunning(const checkpoint::Sender& sender) {
  if (!MaySend()) return;
  auto request = reports_->runningRequest();
  rpc::WriteTask(sender, request.initTask());
  Await(request.send());
}

void JobManagerSession::SendEndOfData(const checkpoint::Sender& sender) {
  if (!MaySend()) return;
  auto request = reports_->endOfDataRequest();
  rpc::WriteTask(sender, request.initTask());
  Await(request.send());
}

void JobManagerSession::SendEnded(const checkpoint::Sender& sender, const absl::Status& status) {
  if (!MaySend()) return;
  auto request = reports_->endedRequest();
  rpc::WriteTask(sender, request.initTask());
  rpc::WriteOutcome(status, request.initOutcome());
  Await(request.send());
}

void JobManagerSession::SendAck(const checkpoint::AckFacts& ack) {
  if (!MaySend()) return;
  auto request = reports_->ackRequest();
  rpc::WriteAck(ack, request.initAck());
  const uint64_t bytes = request.totalSize().wordCount * sizeof(capnp::word);
  if (bytes <= rpc::kPayloadBytesMax) return Await(request.send());
  SendDecline({.sender = ack.sender,
               .id = ack.id,
               .reason = checkpoint::FailureReason::kAsyncFailure,
               .cause = absl::ResourceExhaustedError(
                   absl::StrCat("the acknowledgement is ", bytes,
                                " bytes with the state in it, and at most ", rpc::kPayloadBytesMax,
                                " can be sent: configure a checkpoint directory, or lower "
                                "checkpointing.inline_threshold"))});
}

void JobManagerSession::SendDecline(const checkpoint::DeclineFacts& decline) {
  if (!MaySend()) return;
  auto request = reports_->declineRequest();
  rpc::WriteDecline(decline, request.initDecline());
  Await(request.send());
}

// --- Ending ---

void JobManagerSession::Fail(const absl::Status& cause) {
  End(SessionEnd::kUnreachable, cause);
}

void JobManagerSession::End(SessionEnd end, const absl::Status& cause) {
  if (is_ended_) return;
  is_ended_ = true;
  services_.loop.Cancel(timer_);
  if (is_handed_over_) end = SessionEnd::kLost;
  Tell([ended = callbacks_.ended, end, cause] { ended(end, cause); });
}

void JobManagerSession::Tell(std::function<void()> callback) {
  services_.loop.mailbox().PostControl(
      [alive = std::weak_ptr<const bool>(alive_), callback = std::move(callback)] {
        if (!alive.expired()) callback();
      });
}

void JobManagerSession::taskFailed(kj::Exception&& exception) {
  Fail(rpc::FromException(exception, address_));
}

}  // namespace weir::server

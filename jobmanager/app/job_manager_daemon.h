// JobManagerDaemon: a jobmanager as a process of its own: taskmanagers join it, people ask it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "common/daemon/daemon_main.h"

namespace weir::jobmanager {

// Life:   as daemon::Daemon.
// Thread: the control loop's; Start() blocks.
class JobManagerDaemon final : public daemon::Daemon {
 public:
  // FAILED_PRECONDITION: another jobmanager leads. DATA_LOSS: what it keeps is damaged.
  // UNAVAILABLE: a port cannot be listened on.
  static absl::StatusOr<std::unique_ptr<daemon::Daemon>> Start(const daemon::DaemonOptions& options,
                                                               rpc::ControlLoop& loop);
  ~JobManagerDaemon() override;

  std::vector<std::pair<std::string, std::string>> Addresses() const override;
  // Suspends the jobs where the next jobmanager will find them, else cancels them.
  void Stop(absl::AnyInvocable<void()> done) override;
  absl::Status Outcome() const override;

 private:
  struct Parts;
  explicit JobManagerDaemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::jobmanager

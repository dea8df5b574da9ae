// TaskManagerDaemon: a taskmanager as a process of its own: its network, its link to the
// jobmanager, its health, and the app that runs the tasks.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "common/daemon/daemon_main.h"

namespace weir::taskmanager {

// Life:   as daemon::Daemon.
// Thread: the control loop's; Start() blocks.
class TaskManagerDaemon final : public daemon::Daemon {
 public:
  // UNAVAILABLE: a port cannot be listened on.
  static absl::StatusOr<std::unique_ptr<daemon::Daemon>> Start(const daemon::DaemonOptions& options,
                                                               rpc::ControlLoop& loop);
  ~TaskManagerDaemon() override;

  std::vector<std::pair<std::string, std::string>> Addresses() const override;
  // Leaves the jobmanager, which takes the tasks elsewhere, and ends them here.
  void Stop(absl::AnyInvocable<void()> done) override;

 private:
  struct Parts;
  explicit TaskManagerDaemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::taskmanager

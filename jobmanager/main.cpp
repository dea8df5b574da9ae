// weir-jobmanager: takes jobs, places their tasks, coordinates their checkpoints.
#include "common/daemon/daemon_main.h"
#include "jobmanager/app/job_manager_daemon.h"

int main(int argc, char** argv) {
  const weir::daemon::DaemonRole role{
      .program = "weir-jobmanager",
      .description = "Takes jobs, places their tasks and coordinates their checkpoints.",
      .work_dir = [](const auto& options) { return options.jobmanager.work_dir; },
      .start = &weir::jobmanager::JobManagerDaemon::Start};
  return weir::daemon::RunDaemon(argc, argv, role);
}

// weir-taskmanager: runs the tasks a jobmanager gives it.
#include "common/daemon/daemon_main.h"
#include "taskmanager/app/task_manager_daemon.h"

int main(int argc, char** argv) {
  const weir::daemon::DaemonRole role{
      .program = "weir-taskmanager",
      .description = "Runs the tasks of jobs; a jobmanager gives them.",
      .work_dir = [](const auto& options) { return options.taskmanager.work_dir; },
      .start = &weir::taskmanager::TaskManagerDaemon::Start};
  return weir::daemon::RunDaemon(argc, argv, role);
}

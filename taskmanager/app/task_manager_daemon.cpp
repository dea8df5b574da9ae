#include "taskmanager/app/task_manager_daemon.h"

#include <unistd.h>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <glog/logging.h>

#include "common/base/clock.h"
#include "common/base/id_source.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/thread.h"
#include "common/base/thread_pool.h"
#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/daemon/log_buffer.h"
#include "common/daemon/version.h"
#include "common/fs/local/local_file_system.h"
#include "common/rpc/http/http_server.h"
#include "taskmanager/app/process_memory.h"
#include "taskmanager/app/resident_memory.h"
#include "taskmanager/app/storage_places.h"
#include "taskmanager/app/task_manager_app.h"
#include "taskmanager/network/network_data_plane.h"
#include "taskmanager/server/http/task_manager_routes.h"
#include "taskmanager/server/job_manager_client.h"

namespace weir::taskmanager {
namespace {

// Threads for blocking work: as many checkpoint parts are written at a time. More than one, since
// ending a job waits on one for work on another.
constexpr size_t kIoThreads = 4;

// Looks for tasks that hang, in the time they are given.
constexpr int kCancelChecks = 10;
constexpr int kHangingExitCode = 1;

uint32_t SlotsOf(const daemon::TaskManagerOptions& options) {
  if (options.slots > 0) return options.slots;
  return base::UsableCpus();
}

std::shared_ptr<state::MemoryBudget> StateMemoryOf(const daemon::MemoryOptions& options) {
  const double process = options.process.has_value() ? static_cast<double>(*options.process)
                                                     : static_cast<double>(MemoryOfMachine()) *
                                                           daemon::kMemoryShareOfMachine;
  const auto limit = static_cast<uint64_t>(process * options.state.fraction);
  LOG(INFO) << "memory for state limit_mib=" << (limit >> 20);
  return std::make_shared<state::MemoryBudget>(limit);
}

}  // namespace

// Destroyed from the last to the first: whoever calls goes before whoever is called.
struct TaskManagerDaemon::Parts {
  Parts(const daemon::DaemonOptions& configured, rpc::ControlLoop& control_loop)
      : options(configured), loop(control_loop) {}
  ~Parts() { loop.Cancel(watch); }

  rpc::TaskManagerReport Report() const {
    return {.resident_bytes = ResidentBytes(), .tasks = app->Counts()};
  }

  // Again and again: whether a task hangs.
  void WatchCancelled() {
    watch = loop.RunAfter(options.taskmanager.cancel_timeout / kCancelChecks, [this] {
      const std::vector<std::string> overdue = app->OverdueTasks();
      if (!overdue.empty()) EndWithHanging(overdue);
      WatchCancelled();
    });
  }

  // At once: to end in order would wait for the threads that hang.
  [[noreturn]] void EndWithHanging(const std::vector<std::string>& tasks) const {
    LOG(ERROR) << "cancelled tasks have not ended in "
               << absl::FormatDuration(options.taskmanager.cancel_timeout)
               << ", so this process ends: something that they call does not return (a pipe that "
                  "nobody reads, a disk that is away). taskmanager.cancel-timeout sets how long to "
                  "wait tasks="
               << absl::StrJoin(tasks, ", ");
    google::FlushLogFiles(google::GLOG_INFO);
    _exit(kHangingExitCode);
  }

  const daemon::DaemonOptions options;
  rpc::ControlLoop& loop;
  base::TimerId watch{0};
  daemon::LogBuffer logs;
  fs::LocalFileSystem files;
  std::unique_ptr<checkpoint::FileCheckpointStorage> file_storage;
  checkpoint::MemoryCheckpointStorage memory_storage;
  std::unique_ptr<StorageSnapshotPlaces> places;
  std::unique_ptr<network::NetworkDataPlane> network;
  std::unique_ptr<server::JobManagerClient> jobmanager;
  base::ThreadPool io{"io", kIoThreads};
  std::unique_ptr<TaskManagerApp> app;
  std::unique_ptr<rpc::HttpServer> http;
  rpc::TaskManagerFacts facts;
};

TaskManagerDaemon::TaskManagerDaemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
}
TaskManagerDaemon::~TaskManagerDaemon() = default;

absl::StatusOr<std::unique_ptr<daemon::Daemon>> TaskManagerDaemon::Start(
    const daemon::DaemonOptions& options, rpc::ControlLoop& loop) {
  auto parts = std::make_unique<Parts>(options, loop);
  const daemon::TaskManagerOptions& own = options.taskmanager;
  const uint64_t seed = base::EntropySeed();
  WEIR_ASSIGN_OR_RETURN(const checkpoint::StreamOptions streams,
                        checkpoint::CheckStreamOptions({}));
  parts->file_storage = std::make_unique<checkpoint::FileCheckpointStorage>(
      parts->files, options.state.checkpoints.dir.value_or(""), streams, seed);
  parts->places =
      std::make_unique<StorageSnapshotPlaces>(*parts->file_storage, parts->memory_storage);
  WEIR_ASSIGN_OR_RETURN(parts->network, network::NetworkDataPlane::Start(
                                            {.host = *own.bind_host, .port = own.data.port}));
  const std::string host = own.host.value_or(*own.bind_host);
  parts->facts = {.id = base::IdSource(seed).Make<TaskManagerId>(),
                  .host = host,
                  .data_address = absl::StrCat(
                      host, parts->network->address().substr(parts->network->address().rfind(':'))),
                  .slots = SlotsOf(own),
                  .pid = getpid(),
                  .build_version = std::string(daemon::Version())};
  Parts& made = *parts;
  parts->jobmanager = std::make_unique<server::JobManagerClient>(
      server::JobManagerClientOptions{
          .address = absl::StrCat(options.jobmanager.rpc.address, ":", options.jobmanager.rpc.port),
          .seed = seed},
      server::JobManagerClientServices{loop, parts->io, parts->files});
  parts->app = std::make_unique<TaskManagerApp>(
      TaskManagerServices{.clock = base::SystemClock(),
                          .files = parts->files,
                          .io = parts->io,
                          .loop = loop.mailbox(),
                          .places = *parts->places,
                          .events = *parts->jobmanager,
                          .self = parts->facts.id,
                          .channels = parts->network.get(),
                          .state_memory = StateMemoryOf(own.memory),
                          .cancel_patience = own.cancel_timeout});
  parts->WatchCancelled();
  if (options.metrics.prometheus.enabled) {
    const auto routes = std::make_shared<server::TaskManagerRoutes>(server::TaskManagerView{
        .report = [&made] { return made.Report(); },
        .is_registered = [&made] { return made.jobmanager->IsRegistered(); }});
    WEIR_ASSIGN_OR_RETURN(parts->http,
                          rpc::HttpServer::Listen(
                              loop, *own.bind_host, options.metrics.prometheus.port,
                              [routes](const rpc::HttpRequest& request, rpc::HttpRespond respond) {
                                routes->Handle(request, std::move(respond));
                              }));
    parts->facts.http_address = parts->http->address();
  }
  parts->jobmanager->Start(
      parts->facts,
      server::HostedTasks{.tasks = *parts->app,
                          .sinks = *parts->app,
                          .report = [&made] { return made.Report(); },
                          .logs =
                              [&made](const rpc::LogRequest& request) {
                                return made.logs.Last(request.contains, request.lines_max);
                              }},
      [&made](const absl::Status& cause) {
        LOG(WARNING) << "jobmanager lost, its tasks are cancelled cause=" << cause;
        made.app->CancelAll([&made] { made.jobmanager->Resume(); });
      });
  return std::unique_ptr<daemon::Daemon>(new TaskManagerDaemon(std::move(parts)));
}

std::vector<std::pair<std::string, std::string>> TaskManagerDaemon::Addresses() const {
  std::vector<std::pair<std::string, std::string>> addresses{{"id", parts_->facts.id.ToString()},
                                                             {"data", parts_->facts.data_address}};
  if (parts_->http != nullptr) addresses.emplace_back("http", parts_->http->address());
  return addresses;
}

void TaskManagerDaemon::Stop(absl::AnyInvocable<void()> done) {
  parts_->jobmanager->Stop();
  parts_->app->CancelAll(std::move(done));
}

}  // namespace weir::taskmanager

#include "jobmanager/app/job_manager_daemon.h"

#include <unistd.h>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/clock.h"
#include "common/base/id_source.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/thread_pool.h"
#include "common/coordination/file/directory_id.h"
#include "common/coordination/file/file_coordination.h"
#include "common/coordination/file/file_stores.h"
#include "common/coordination/memory/memory_job_stores.h"
#include "common/daemon/log_buffer.h"
#include "common/daemon/version.h"
#include "common/fs/local/local_file_system.h"
#include "common/rpc/http/http_server.h"
#include "jobmanager/app/cluster_stores.h"
#include "jobmanager/dispatcher/dispatcher.h"
#include "jobmanager/dispatcher/registry_view.h"
#include "jobmanager/resources/cluster_gateway.h"
#include "jobmanager/resources/slot_pool.h"
#include "jobmanager/scheduler/slot_placement.h"
#include "jobmanager/server/http/api_routes.h"
#include "jobmanager/server/registration_service.h"

namespace weir::jobmanager {
namespace {

// What to do about another jobmanager on the same storage directory.
constexpr char kWayOut[] =
    "stop that process, or give this jobmanager another high-availability.storage-dir";

// Threads for blocking work: metadata, lists of checkpoints, planning of submissions.
constexpr size_t kIoThreads = 4;

resources::SlotPlacement PlacementOf(daemon::SlotPlacement policy) {
  const scheduler::PlacementPolicy chosen = policy == daemon::SlotPlacement::kPack
                                                ? scheduler::PlacementPolicy::kPack
                                                : scheduler::PlacementPolicy::kSpread;
  return [chosen](const std::vector<resources::SlotCount>& taskmanagers, uint32_t count) {
    std::vector<scheduler::Capacity> capacities;
    capacities.reserve(taskmanagers.size());
    for (const resources::SlotCount& one : taskmanagers) {
      capacities.push_back({one.slots, one.free});
    }
    return scheduler::Place(chosen, capacities, count).chosen;
  };
}

// Without a log that counts leaders, time does: it only has to rise with every jobmanager.
uint64_t EpochOfTime(const base::Clock& clock) {
  return static_cast<uint64_t>(absl::ToUnixMicros(clock.WallNow()));
}

// A local run keeps the same kind of log, but its job has no descriptor there: planned from nothing
// it would end as failed, and its state would be lost to whoever goes on with it.
absl::Status CheckOfCluster(const coordination::FileCoordination& coordination,
                            const std::string& directory) {
  const coordination::CoordinationState state = coordination.State();
  for (const auto& [id, job] : state.jobs()) {
    if (!job.source.text.empty()) continue;
    return absl::FailedPreconditionError(absl::StrCat("high-availability.storage-dir ", directory,
                                                      " is the state directory of job '", job.name,
                                                      "' of a local run: use another directory"));
  }
  return absl::OkStatus();
}

}  // namespace

// Destroyed from the last to the first: whoever calls goes before whoever is called, and the I/O
// pool does what it accepted while what that stands on is still there.
struct JobManagerDaemon::Parts {
  Parts(const daemon::DaemonOptions& configured, rpc::ControlLoop& control_loop)
      : options(configured),
        loop(control_loop),
        registry(clock),
        pool({.request_timeout = options.jobmanager.scheduler.slot_request_timeout},
             PlacementOf(options.jobmanager.scheduler.placement), {registry, loop.mailbox(), loop}),
        events(loop.mailbox()),
        gateway(registry, events),
        view(registry, pool, [this](const rpc::LogRequest& request) {
          return logs.Last(request.contains, request.lines_max);
        }) {}

  absl::Status OpenStores(uint64_t seed);
  absl::Status OpenPorts(uint64_t seed);
  void MakeDispatcher(uint64_t seed);
  // Ends the process: what it would do next is another one's to do.
  void Fail(const absl::Status& cause) {
    if (failure.ok()) failure = cause;
    loop.Stop();
  }
  uint64_t Epoch() const { return coordination == nullptr ? started_epoch : coordination->epoch(); }

  const daemon::DaemonOptions options;
  rpc::ControlLoop& loop;
  const base::Clock& clock = base::SystemClock();
  const uint64_t started_epoch = EpochOfTime(clock);
  absl::Status failure;
  daemon::LogBuffer logs;
  fs::LocalFileSystem files;
  std::unique_ptr<coordination::FileCoordination> coordination;  // null: standalone
  ClusterId cluster;
  std::unique_ptr<coordination::JobGraphStore> graphs;
  std::unique_ptr<coordination::JobResultStore> results;
  std::unique_ptr<ClusterStores> stores;
  base::ThreadPool io{"io", kIoThreads};
  resources::TaskManagerRegistry registry;
  resources::SlotPool pool;
  dispatcher::TaskEventRouter events;
  resources::ClusterGateway gateway;
  dispatcher::RegistryView view;
  std::unique_ptr<dispatcher::Dispatcher> dispatcher;
  std::unique_ptr<server::RegistrationService> registration;
  std::unique_ptr<server::ApiRoutes> routes;
  std::unique_ptr<rpc::HttpServer> http;
};

absl::Status JobManagerDaemon::Parts::OpenStores(uint64_t seed) {
  const daemon::HighAvailabilityOptions& kept = options.high_availability;
  if (kept.type == daemon::CoordinationDriver::kFile) {
    WEIR_ASSIGN_OR_RETURN(coordination, coordination::FileCoordination::Open(
                                            files, *kept.storage_dir,
                                            absl::StrCat("process ", getpid()), seed, kWayOut));
    WEIR_RETURN_IF_ERROR(CheckOfCluster(*coordination, *kept.storage_dir));
    WEIR_ASSIGN_OR_RETURN(cluster,
                          coordination::ReadOrMakeDirectoryId(files, *kept.storage_dir, seed + 3));
    graphs = std::make_unique<coordination::FileJobGraphStore>(*coordination);
    results = std::make_unique<coordination::FileJobResultStore>(*coordination);
  } else {
    cluster = base::IdSource(seed + 3).Make<ClusterId>();
    graphs = std::make_unique<coordination::MemoryJobGraphStore>();
    results = std::make_unique<coordination::MemoryJobResultStore>();
  }
  const std::string directory = options.state.checkpoints.dir.value_or("");
  stores = std::make_unique<ClusterStores>(files, directory, coordination.get(), seed);
  return stores->PrepareDirectory();
}

void JobManagerDaemon::Parts::MakeDispatcher(uint64_t seed) {
  dispatcher = std::make_unique<dispatcher::Dispatcher>(
      dispatcher::DispatcherOptions{.version = std::string(daemon::Version()),
                                    .epoch = Epoch(),
                                    .on_stop = coordination == nullptr
                                                   ? dispatcher::OnStop::kCancel
                                                   : dispatcher::OnStop::kSuspend,
                                    .restart = daemon::ClusterRestart(options.restart_strategy),
                                    .ended_jobs_max = options.jobmanager.history.jobs,
                                    .seed = seed},
      dispatcher::DispatcherServices{clock, loop, io, loop.mailbox(), gateway, gateway, events,
                                     pool, *graphs, *results, *stores, view},
      dispatcher::DispatcherObserver{
          .leadership_lost = [this](const absl::Status& cause) { Fail(cause); }});
  // Slots first: a job that hears of a loss asks for others.
  registry.AddListener(pool);
  registry.AddListener(*dispatcher);
  registry.AddListener(gateway);
  registry.Lead(Epoch());
}

absl::Status JobManagerDaemon::Parts::OpenPorts(uint64_t seed) {
  WEIR_ASSIGN_OR_RETURN(
      registration, server::RegistrationService::Open(
                        server::RegistrationOptions{
                            .host = *options.jobmanager.bind_host,
                            .port = options.jobmanager.rpc.port,
                            .build_version = std::string(daemon::Version()),
                            .checkpoint_dir = options.state.checkpoints.dir.value_or(""),
                            .cluster = cluster,
                            .heartbeat = {options.heartbeat.interval, options.heartbeat.timeout},
                            .seed = seed},
                        server::RegistrationServices{loop, io, files, registry, gateway}));
  routes = std::make_unique<server::ApiRoutes>(*dispatcher);
  WEIR_ASSIGN_OR_RETURN(
      http, rpc::HttpServer::Listen(loop, *options.rest.bind_address, options.rest.port,
                                    [this](rpc::HttpRequest request, rpc::HttpRespond respond) {
                                      routes->Handle(std::move(request), std::move(respond));
                                    },
                                    {.methods_of = &server::ApiRoutes::MethodsOf}));
  return absl::OkStatus();
}

JobManagerDaemon::JobManagerDaemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
}
JobManagerDaemon::~JobManagerDaemon() = default;

absl::StatusOr<std::unique_ptr<daemon::Daemon>> JobManagerDaemon::Start(
    const daemon::DaemonOptions& options, rpc::ControlLoop& loop) {
  auto parts = std::make_unique<Parts>(options, loop);
  const uint64_t seed = base::EntropySeed();
  WEIR_RETURN_IF_ERROR(parts->OpenStores(seed));
  parts->MakeDispatcher(seed + 1);
  WEIR_RETURN_IF_ERROR(parts->OpenPorts(seed + 2));
  LOG(INFO) << "jobmanager leads epoch=" << parts->Epoch();
  Parts& made = *parts;
  parts->dispatcher->Start([&made](const absl::Status& started) {
    if (!started.ok()) made.Fail(started);
  });
  return std::unique_ptr<daemon::Daemon>(new JobManagerDaemon(std::move(parts)));
}

std::vector<std::pair<std::string, std::string>> JobManagerDaemon::Addresses() const {
  return {{"rpc", parts_->registration->address()}, {"http", parts_->http->address()}};
}

void JobManagerDaemon::Stop(absl::AnyInvocable<void()> done) {
  parts_->dispatcher->Stop(std::move(done));
}

absl::Status JobManagerDaemon::Outcome() const {
  return parts_->failure;
}

}  // namespace weir::jobmanager

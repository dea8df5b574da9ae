#include "common/daemon/daemon_main.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/standard_descriptors.h"
#include "common/base/status_macros.h"
#include "common/config/diagnostic_text.h"
#include "common/daemon/configuration.h"
#include "common/daemon/daemon_flags.h"
#include "common/daemon/version.h"
#include "common/fs/local/local_file_system.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"

namespace weir::daemon {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadConfiguration = 78;

void Say(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

std::string ReadyLine(const DaemonRole& role, const Daemon& daemon) {
  std::string line = absl::StrCat(role.program, " ready");
  for (const auto& [name, address] : daemon.Addresses()) {
    absl::StrAppend(&line, " ", name, "=", address);
  }
  return absl::StrCat(line, " pid=", getpid(), " version=", Version(), "\n");
}

// The ready line in the work directory: there while the daemon runs.
class ReadyFile {
 public:
  ~ReadyFile() {
    if (path_.empty()) return;
    const absl::Status removed = files_.Remove(path_);
    if (!removed.ok()) LOG(WARNING) << "ready file not removed cause=" << removed;
  }

  absl::Status Write(const std::optional<std::string>& work_dir, StringView program,
                     const std::string& line) {
    if (!work_dir.has_value()) return absl::OkStatus();
    const std::string path = fs::JoinPath(*work_dir, absl::StrCat(program, ".ready"));
    WEIR_RETURN_IF_ERROR(fs::PublishFile(files_, path, line));
    path_ = path;
    return absl::OkStatus();
  }

 private:
  fs::LocalFileSystem files_;
  std::string path_;
};

absl::Status WatchSignals(rpc::ControlLoop& loop, Daemon& daemon) {
  auto stopping = std::make_shared<bool>(false);
  for (const int signal : {SIGINT, SIGTERM}) {
    WEIR_RETURN_IF_ERROR(loop.WatchSignal(signal, [&loop, &daemon, signal, stopping] {
      if (*stopping) _exit(128 + signal);
      *stopping = true;
      LOG(INFO) << "stopping signal=" << signal;
      daemon.Stop([&loop] { loop.Stop(); });
    }));
  }
  return absl::OkStatus();
}

absl::Status Serve(const DaemonOptions& options, const DaemonRole& role) {
  rpc::ControlLoop loop;
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Daemon> daemon, role.start(options, loop));
  WEIR_RETURN_IF_ERROR(WatchSignals(loop, *daemon));
  const std::string line = ReadyLine(role, *daemon);
  ReadyFile file;
  const std::optional<std::string> work_dir = role.work_dir(options);
  if (const absl::Status written = file.Write(work_dir, role.program, line); !written.ok()) {
    return absl::Status(written.code(), absl::StrCat("the work directory ", *work_dir,
                                                     " cannot be written: ", written.message(),
                                                     "; create it, or set another work-dir"));
  }
  Say(stdout, line);
  loop.Run();
  return daemon->Outcome();
}

}  // namespace

int RunDaemon(int argc, const char* const* argv, const DaemonRole& role) {
  base::FillStandardDescriptors();
  const DaemonFlags flags = ParseDaemonFlags(argc, argv, role.program, role.description);
  if (flags.is_done) return flags.exit_code;
  const Configuration configuration = LoadConfiguration({.file = flags.config_file,
                                                         .environment = EnvironmentAssignments(),
                                                         .assignments = flags.assignments});
  if (!configuration.diagnostics.empty()) {
    const config::Colour colour =
        isatty(STDERR_FILENO) == 1 ? config::Colour::kOn : config::Colour::kOff;
    Say(stderr, config::RenderText(configuration.diagnostics, colour, role.program));
  }
  if (configuration.diagnostics.HasErrors()) return kExitBadConfiguration;
  if (flags.print_config) Say(stdout, RenderConfiguration(configuration));
  if (flags.check_config && !flags.print_config) Say(stdout, "the configuration is valid\n");
  if (flags.check_config || flags.print_config) return 0;
  StartLogging(role.program, configuration.options.logging.level);
  const absl::Status served = Serve(configuration.options, role);
  if (served.ok()) return 0;
  Say(stderr, absl::StrCat(role.program, ": ", served.message(), "\n"));
  return kExitFailed;
}

}  // namespace weir::daemon

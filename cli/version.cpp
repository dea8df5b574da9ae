// weir version
#include "common/daemon/version.h"

#include <string>

#include <absl/strings/str_cat.h>

#include "cli/command_tree.h"
#include "cli/verbs.h"

namespace weir::cli {

namespace {

std::string Member(StringView name, StringView value) {
  std::string member = absl::StrCat("\"", name, "\":");
  config::AppendJsonString(value, &member);
  return member;
}

ExitCode ShowVersion(Console& console) {
  if (console.IsJson()) {
    console.OutJson("Version", absl::StrCat(Member("version", daemon::Version()), ",",
                                            Member("build_type", daemon::BuildType())));
  } else {
    console.Out(absl::StrCat("weir ", daemon::Version(), " (", daemon::BuildType(), ")\n"));
  }
  return ExitCode::kOk;
}

}  // namespace

void AddVersion(CommandTree& tree) {
  tree.AddVerb({"version"}, "Shows the version and the build type.", ShowVersion);
}

}  // namespace weir::cli

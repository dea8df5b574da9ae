// weir version
#include "cli/version.h"

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
    console.OutJson("Version", absl::StrCat(Member("version", Version()), ",",
                                            Member("build_type", BuildType())));
  } else {
    console.Out(absl::StrCat("weir ", Version(), " (", BuildType(), ")\n"));
  }
  return ExitCode::kOk;
}

}  // namespace

StringView Version() {
  return WEIR_VERSION;
}

StringView BuildType() {
  return WEIR_BUILD_TYPE;
}

void AddVersion(CommandTree& tree) {
  tree.AddVerb({"version"}, "Shows the version and the build type.", ShowVersion);
}

}  // namespace weir::cli

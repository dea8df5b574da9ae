#include "cli/plan_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/config/document.h"

namespace weir::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

absl::Status ReadError(const std::string& path, int error) {
  if (error == EISDIR) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is a directory; name the descriptors in it, such as ", path,
                     absl::EndsWith(path, "/") ? "" : "/", "*.yaml"));
  }
  std::string message =
      absl::StrCat("cannot read '", path, "': ", std::generic_category().message(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(message);
  return absl::InvalidArgumentError(message);
}

}  // namespace

absl::StatusOr<std::string> ReadDescriptorFile(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return ReadError(path, errno);
  // One byte more than allowed: then the parser says that the text is too large.
  std::string text(config::kDocumentBytesMax + 1, '\0');
  const size_t size = std::fread(text.data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) return ReadError(path, errno);
  text.resize(size);
  return text;
}

absl::StatusOr<graph::PlanResult> PlanFile(const std::string& path,
                                           absl::optional<int64_t> parallelism,
                                           absl::optional<int64_t> max_parallelism,
                                           PathCheck path_check) {
  graph::PlanRequest request;
  request.file_name = path;
  WEIR_ASSIGN_OR_RETURN(request.text, ReadDescriptorFile(path));
  request.variables = config::EnvironmentLookup();
  request.parallelism = parallelism;
  request.max_parallelism = max_parallelism;
  if (path_check == PathCheck::kWarn) {
    request.path_exists = [](const std::string& file) { return access(file.c_str(), F_OK) == 0; };
  }
  return graph::MakePlan(request);
}

}  // namespace weir::cli

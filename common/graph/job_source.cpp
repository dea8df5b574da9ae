#include "common/graph/job_source.h"

#include <absl/strings/str_cat.h>

#include "common/io/hash.h"

namespace weir::graph {
namespace {

void AppendText(StringView text, std::string* out) {
  absl::StrAppend(out, text.size(), ":", text);
}

void AppendNumber(absl::optional<int64_t> number, std::string* out) {
  if (number.has_value()) {
    absl::StrAppend(out, "=", *number, ";");
  } else {
    out->append(";");
  }
}

}  // namespace

PlanRequest RequestOf(const JobSource& source) {
  PlanRequest request;
  request.file_name = source.file_name;
  request.text = source.text;
  request.variables = [&source](StringView name) -> absl::optional<std::string> {
    const auto it = source.variables.find(std::string(name));
    if (it == source.variables.end()) return absl::nullopt;
    return it->second;
  };
  request.parallelism = source.parallelism;
  request.max_parallelism = source.max_parallelism;
  return request;
}

uint64_t HashOf(const JobSource& source) {
  std::string bytes;
  AppendText(source.text, &bytes);
  for (const auto& [name, value] : source.variables) {
    AppendText(name, &bytes);
    AppendText(value, &bytes);
  }
  AppendNumber(source.parallelism, &bytes);
  AppendNumber(source.max_parallelism, &bytes);
  return io::Xxh3(bytes);
}

}  // namespace weir::graph

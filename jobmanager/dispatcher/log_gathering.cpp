#include "jobmanager/dispatcher/log_gathering.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::dispatcher {

void LogGathering::Finish() {
  WEIR_CHECK(expected_ > 0);
  if (--expected_ > 0) return;
  std::stable_sort(lines_.begin(), lines_.end(),
                   [](const rpc::LogLine& a, const rpc::LogLine& b) { return a.at < b.at; });
  const size_t surplus = lines_.size() - std::min(lines_.size(), lines_max_);
  lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(surplus));
  done_(std::move(lines_));
}

void LogGathering::Close() {
  Finish();
}

void LogGathering::Add(const std::string& origin, std::vector<rpc::LogLine> lines) {
  for (rpc::LogLine& line : lines) {
    line.text = absl::StrCat(origin, ": ", line.text);
    lines_.push_back(std::move(line));
  }
}

ClusterView::LogsDone LogGathering::Expect(const std::shared_ptr<LogGathering>& gathering,
                                           std::string origin, absl::Time now) {
  ++gathering->expected_;
  return [gathering, origin = std::move(origin),
          now](absl::StatusOr<std::vector<rpc::LogLine>> lines) {
    if (lines.ok()) {
      gathering->Add(origin, *std::move(lines));
    } else {
      const std::string text = absl::StrCat("its log cannot be read: ", lines.status().message());
      gathering->Add(origin, {{.at = now, .level = 'W', .text = text}});
    }
    gathering->Finish();
  };
}

}  // namespace weir::dispatcher

#include "common/daemon/log_buffer.h"

#include <algorithm>
#include <deque>

#include <absl/base/thread_annotations.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace weir::daemon {

class LogBuffer::Sink final : public google::LogSink {
 public:
  Sink() { google::AddLogSink(this); }
  ~Sink() override { google::RemoveLogSink(this); }

  // NOLINTNEXTLINE(readability-function-size): glog's parameters
  void send(google::LogSeverity severity, const char* full_filename, const char* base_filename,
            int line, const google::LogMessageTime& time, const char* message,
            size_t message_len) override {
    rpc::LogLine kept{.at = base::SystemClock().WallNow(),
                      .level = google::GetLogSeverityName(severity)[0],
                      .text = std::string(message, std::min(message_len, kLogLineBytesMax))};
    base::MutexLock lock(mutex_);
    lines_.push_back(std::move(kept));
    if (lines_.size() > kLogLinesKept) lines_.pop_front();
  }

  std::vector<rpc::LogLine> Last(StringView needle, size_t lines_max) const {
    std::vector<rpc::LogLine> found;
    base::MutexLock lock(mutex_);
    for (auto it = lines_.rbegin(); it != lines_.rend() && found.size() < lines_max; ++it) {
      if (needle.empty() || absl::StrContains(it->text, needle)) found.push_back(*it);
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

 private:
  mutable base::Mutex mutex_;
  std::deque<rpc::LogLine> lines_ ABSL_GUARDED_BY(mutex_);
};

LogBuffer::LogBuffer() : sink_(std::make_unique<Sink>()) {
}
LogBuffer::~LogBuffer() = default;

std::vector<rpc::LogLine> LogBuffer::Last(StringView needle, size_t lines_max) const {
  return sink_->Last(needle, lines_max);
}

}  // namespace weir::daemon

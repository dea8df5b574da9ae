#include "cli/progress_line.h"

#include <cstdlib>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "common/base/clock.h"
#include "common/config/diagnostic_text.h"

namespace weir::cli {
namespace {

constexpr absl::Duration kTerminalInterval = absl::Milliseconds(500);
constexpr absl::Duration kLogInterval = absl::Seconds(10);

// 1234567 -> "1,234,567".
std::string Grouped(int64_t n) {
  const std::string digits = absl::StrCat(std::abs(n));
  std::string grouped = n < 0 ? "-" : "";
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped.push_back(',');
    grouped.push_back(digits[i]);
  }
  return grouped;
}

// "3 late rows dropped", "1 late row dropped": the first word with an s at its end is the plural.
std::string Counted(int64_t count, StringView what) {
  std::string words = absl::StrCat(what, " ");
  if (count == 1) words.erase(words.find("s "), 1);
  return absl::StrCat(Grouped(count), " ", words.substr(0, words.size() - 1));
}

void AppendIfAny(int64_t count, StringView what, std::string* text) {
  if (count > 0) absl::StrAppend(text, ", ", Counted(count, what));
}

// Whether rows were read and dropped before, which no count remembers.
bool HasStartedAgain(const LocalProgress& progress) {
  return progress.restored != kNoCheckpoint || progress.restarts > 0;
}

}  // namespace

ProgressLine::ProgressLine(Console& console, bool is_terminal)
    : console_(console),
      is_terminal_(is_terminal),
      started_at_(base::SystemClock().SteadyNow()),
      last_at_(started_at_) {
}

absl::Duration ProgressLine::interval() const {
  return is_terminal_ ? kTerminalInterval : kLogInterval;
}

void ProgressLine::Show(const LocalProgress& progress) {
  const absl::Duration now = base::SystemClock().SteadyNow();
  const double seconds = absl::ToDoubleSeconds(now - last_at_);
  const int64_t rate =
      seconds > 0
          ? static_cast<int64_t>(static_cast<double>(progress.rows_read - last_rows_) / seconds)
          : 0;
  last_at_ = now;
  last_rows_ = progress.rows_read;
  std::string line = absl::StrCat(
      job::ToString(progress.state), "  ", absl::ToInt64Seconds(now - started_at_), "s  read ",
      Grouped(progress.rows_read), " rows (", Grouped(std::max<int64_t>(rate, 0)), "/s)  written ",
      Grouped(progress.rows_written));
  if (progress.completed != kNoCheckpoint) {
    absl::StrAppend(
        &line, "  checkpoint ", ToInt(progress.completed), " (",
        absl::StrFormat("%.1f ms", absl::ToDoubleMilliseconds(progress.checkpoint_duration)), ")");
  }
  if (progress.restarts > 0) absl::StrAppend(&line, "  restarts ", progress.restarts);
  console_.Progress(line, is_terminal_);
  shown_ = true;
}

void ProgressLine::Restarting(const absl::Status& cause) {
  End();
  console_.Note(absl::StrCat("the job starts again after a failure: ", cause.message()));
}

void ProgressLine::End() {
  if (shown_ && is_terminal_) console_.EndProgress();
  shown_ = false;
}

std::string SummaryText(const std::string& name, const std::string& state,
                        const LocalProgress& progress) {
  std::string text =
      absl::StrCat("job '", name, "' ", state, ": ", Counted(progress.rows_read, "rows read"), ", ",
                   Grouped(progress.rows_written), " written, ",
                   Counted(static_cast<int64_t>(progress.checkpoints_completed), "checkpoints"));
  if (progress.restored != kNoCheckpoint) {
    absl::StrAppend(&text, ", restored from checkpoint ", ToInt(progress.restored));
  }
  AppendIfAny(progress.rows_late, "late rows dropped", &text);
  AppendIfAny(progress.rows_partially_late, "rows late for some windows", &text);
  AppendIfAny(progress.rows_skipped, "bad rows skipped", &text);
  AppendIfAny(progress.deletes_dropped, "deletes dropped", &text);
  AppendIfAny(progress.restarts, "restarts", &text);
  AppendIfAny(progress.fallbacks, "unreadable checkpoints passed over", &text);
  AppendIfAny(static_cast<int64_t>(progress.checkpoints_failed), "checkpoints failed", &text);
  if (HasStartedAgain(progress)) text += "; rows are counted since the last start";
  return text;
}

std::string SummaryJson(const std::string& name, const std::string& state, bool ran,
                        const LocalProgress& progress) {
  std::string json = "\"job\":";
  config::AppendJsonString(name, &json);
  absl::StrAppend(
      &json, ",\"state\":\"", state, "\",\"ran\":", ran ? "true" : "false", ",\"counted_since\":\"",
      HasStartedAgain(progress) ? "last_start" : "first_start",
      "\",\"rows_read\":", progress.rows_read, ",\"rows_written\":", progress.rows_written,
      ",\"rows_late\":", progress.rows_late,
      ",\"rows_partially_late\":", progress.rows_partially_late,
      ",\"rows_skipped\":", progress.rows_skipped,
      ",\"deletes_dropped\":", progress.deletes_dropped, ",\"restarts\":", progress.restarts,
      ",\"fallbacks\":", progress.fallbacks, ",\"restored\":", ToInt(progress.restored),
      ",\"checkpoint\":", ToInt(progress.completed),
      ",\"checkpoints_completed\":", progress.checkpoints_completed,
      ",\"checkpoints_failed\":", progress.checkpoints_failed);
  return json;
}

}  // namespace weir::cli

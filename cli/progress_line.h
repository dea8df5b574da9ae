// ProgressLine and summaries: how a local run tells people, and programs, how far it is.
#pragma once

#include <string>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "cli/console.h"
#include "cli/local_cluster.h"

namespace weir::cli {

// One line on stderr that is rewritten on a terminal and repeated, less often, elsewhere.
//
// Life:   made before the run; End() before anything else is written.
// Thread: confined to the main thread.
class ProgressLine {
 public:
  ProgressLine(Console& console, bool is_terminal);

  // How often Show() should be called.
  absl::Duration interval() const;
  void Show(const LocalProgress& progress);
  // A line of its own: what went wrong, and that the job starts again.
  void Restarting(const absl::Status& cause);
  void End();

 private:
  Console& console_;
  const bool is_terminal_;
  absl::Duration started_at_;  // steady
  absl::Duration last_at_;
  int64_t last_rows_ = 0;
  bool shown_ = false;
};

// "job 'x' FINISHED: 20,000 rows read, 5,000 written, 37 checkpoints" and what people must know:
// late and skipped rows, restarts. Counts of rows are of the job's last start, and say so if it was
// not the first.
std::string SummaryText(const std::string& name, const std::string& state,
                        const LocalProgress& progress);
// Members of a JSON object, without braces. `ran`: false if the job had finished before.
std::string SummaryJson(const std::string& name, const std::string& state, bool ran,
                        const LocalProgress& progress);

}  // namespace weir::cli

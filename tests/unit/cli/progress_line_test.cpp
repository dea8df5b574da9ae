// What must hold: the summary of a run says what is counted, and since when.
#include "cli/progress_line.h"

#include <absl/strings/match.h>
#include <catch2/catch.hpp>

namespace weir::cli {

TEST_CASE("The summary of a first start counts everything and says no more", "[cli][unit]") {
  LocalProgress progress;
  progress.rows_read = 20000;
  progress.rows_late = 3;
  CHECK(SummaryText("j", "FINISHED", progress) ==
        "job 'j' FINISHED: 20,000 rows read, 0 written, 0 checkpoints, 3 late rows dropped");
  CHECK(absl::StrContains(SummaryJson("j", "FINISHED", true, progress),
                          "\"counted_since\":\"first_start\",\"rows_read\":20000"));
}

TEST_CASE("The summary after a restore or a restart says since when it counts", "[cli][unit]") {
  LocalProgress restored;
  restored.rows_skipped = 1;
  restored.restored = CheckpointId{7};
  CHECK(SummaryText("j", "FINISHED", restored) ==
        "job 'j' FINISHED: 0 rows read, 0 written, 0 checkpoints, restored from checkpoint 7, 1 "
        "bad row "
        "skipped; rows are counted since the last start");
  LocalProgress restarted;
  restarted.restarts = 2;
  CHECK(absl::EndsWith(SummaryText("j", "FINISHED", restarted),
                       "2 restarts; rows are counted since the last start"));
  CHECK(absl::StrContains(SummaryJson("j", "FINISHED", true, restarted),
                          "\"counted_since\":\"last_start\""));
}

}  // namespace weir::cli

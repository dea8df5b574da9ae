// What must hold: reference and help show each option of the table, with the defaults of the
// struct.
#include "common/config/option_text.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/common/config/option_table_sample.h"

namespace weir::config {

TEST_CASE("RenderMarkdown makes a row per option", "[config][unit]") {
  CHECK(RenderMarkdown(SampleTable()) ==
        "| Option | Type | Default | Meaning |\n"
        "|---|---|---|---|\n"
        "| `label` | text |  | Free text \\| for people. |\n"
        "| `input` | id | required | The step to read. |\n"
        "| `interval` | duration, at least 10ms | `30s` | Time between checkpoints. |\n"
        "| `mode` | `exactly_once`, `at_least_once` | `exactly_once` | What a crash may repeat. |\n"
        "| `enabled` | true or false | `true` | Whether to take any. |\n"
        "| `parallelism` | whole number, 1 to 128 | `one per CPU` | Subtasks. |\n"
        "| `ratio` | number, 0 to 1 | `0.5` | A share. |\n"
        "| `limit` | size, at most 1mb | `1kb` | Most bytes. |\n"
        "| `rate` | rate |  | Most events. |\n"
        "| `attempts` | whole number, at least 0 or `unlimited` | `3` | Most restarts. |\n"
        "| `columns` | list of texts | `[a]` | Names. |\n"
        "| `labels` | map of texts |  | Marks. |\n"
        "| `path` | path |  | Where. |\n"
        "| `where` | an expression |  | Which rows. |\n"
        "| `unaligned` | block |  | Barriers that overtake. |\n"
        "| `unaligned.enabled` | true or false | `false` | Whether barriers may overtake. |\n"
        "| `unaligned.aligned_timeout` | duration | `30s` | How long to align first. |\n");
}

TEST_CASE("RenderHelp aligns what it shows", "[config][unit]") {
  CHECK(RenderHelp(SampleUnalignedTable()) ==
        "  enabled          true or false (default: false)\n"
        "                   Whether barriers may overtake.\n"
        "  aligned_timeout  duration (default: 30s)\n"
        "                   How long to align first.\n");
}

TEST_CASE("An included option shows the default of the whole", "[config][unit]") {
  struct Common {
    int64_t size = 1;
  };
  struct Whole {
    Common common{.size = 5};
  };
  OptionTable<Common> common("common", "");
  common.Add("size", &Common::size, IntegerOption{}, "Size.");
  OptionTable<Whole> whole("whole", "");
  whole.Include(&Whole::common, common);
  CHECK(common.Find("size")->default_text == "1");
  CHECK(whole.Find("size")->default_text == "5");
}

}  // namespace weir::config

// How diagnostics look: text for people, JSON for tools.
#pragma once

#include <cstdint>
#include <string>

#include "common/config/diagnostic.h"

namespace weir::config {

enum class Colour : uint8_t { kOff, kOn };

// One diagnostic, ending in a line break:
//   job.yaml:31:27: error: unknown column 'pric' in expression [E0203]
//      |
//   31 |     where: price > 100 and pric < 900
//      |                            ^^^^ did you mean 'price'?
//      = help: ...
// The source line is shown with a label, and with every error that is not explained by a
// suggestion on the first line. `program` stands in for a place that is not known.
std::string RenderText(const Diagnostic& diagnostic, Colour colour, StringView program = "weir");
// All that Sorted() returns, then a line about hidden ones.
std::string RenderText(const Diagnostics& diagnostics, Colour colour, StringView program = "weir");

// {"file","line","column","end_line","end_column","severity","code","message","because","help","path"};
// file is null, and line and column 0, where the place is not known. Suggestion and label are part
// of "help".
std::string RenderJson(const Diagnostic& diagnostic);
// A JSON array of them.
std::string RenderJson(const Diagnostics& diagnostics);

// Appends `text` as a JSON string with quotes; bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(StringView text, std::string* out);

}  // namespace weir::config

// How an option table looks to people: a Markdown reference and plain help.
#pragma once

#include <string>

#include "common/config/option_table.h"

namespace weir::config {

// A table with a row per option; nested blocks follow with dotted keys such as `unaligned.enabled`.
std::string RenderMarkdown(const OptionBlock& block);
// "  interval   duration (default 30s)   Time between checkpoints."
std::string RenderHelp(const OptionBlock& block);

}  // namespace weir::config

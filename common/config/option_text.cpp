#include "common/config/option_text.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

namespace weir::config {

namespace {

std::string Cell(StringView text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}});
}

std::string DefaultCell(const Option& option) {
  if (option.is_required) return "required";
  return option.default_text.empty() ? "" : absl::StrCat("`", Cell(option.default_text), "`");
}

void AppendMarkdownRows(const OptionBlock& block, const std::string& prefix, std::string* out) {
  for (const Option& option : block.options()) {
    absl::StrAppend(out, "| `", prefix, option.key, "` | ", Cell(option.type_text), " | ",
                    DefaultCell(option), " | ", Cell(option.description), " |\n");
    if (option.block == nullptr) continue;
    AppendMarkdownRows(*option.block, absl::StrCat(prefix, option.key, "."), out);
  }
}

size_t WidestKey(const OptionBlock& block, size_t prefix) {
  size_t widest = 0;
  for (const Option& option : block.options()) {
    const size_t key = prefix + option.key.size();
    widest = std::max(widest, key);
    if (option.block != nullptr) widest = std::max(widest, WidestKey(*option.block, key + 1));
  }
  return widest;
}

void AppendHelpRows(const OptionBlock& block, const std::string& prefix, size_t width,
                    std::string* out) {
  const std::string margin(width + 4, ' ');
  for (const Option& option : block.options()) {
    const std::string key = absl::StrCat(prefix, option.key);
    absl::StrAppend(out, "  ", key, std::string(width - key.size() + 2, ' '), option.type_text);
    if (option.is_required) {
      *out += " (required)";
    } else if (!option.default_text.empty()) {
      absl::StrAppend(out, " (default: ", option.default_text, ")");
    }
    absl::StrAppend(out, "\n", margin, option.description, "\n");
    if (option.block == nullptr) continue;
    AppendHelpRows(*option.block, absl::StrCat(key, "."), width, out);
  }
}

}  // namespace

std::string RenderMarkdown(const OptionBlock& block) {
  std::string out = "| Option | Type | Default | Meaning |\n|---|---|---|---|\n";
  AppendMarkdownRows(block, "", &out);
  return out;
}

std::string RenderHelp(const OptionBlock& block) {
  std::string out;
  AppendHelpRows(block, "", WidestKey(block, 0), &out);
  return out;
}

}  // namespace weir::config

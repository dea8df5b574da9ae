#include "common/config/option_yaml.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "common/config/diagnostic_text.h"

namespace weir::config {
namespace {

// Texts that YAML reads as themselves without quotes.
bool IsPlain(StringView text) {
  return !text.empty() && absl::ascii_isalnum(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                  c == '-' || c == '/' || c == '+';
         });
}

std::string Scalar(StringView text) {
  if (text.empty()) return "null";
  if (IsPlain(text) || text.front() == '/') return std::string(text);
  std::string quoted;
  AppendJsonString(text, &quoted);
  return quoted;
}

class YamlRenderer {
 public:
  explicit YamlRenderer(const OptionYamlStyle& style) : style_(style) {}

  void Render(const OptionBlock& block, const void* object, const std::string& path) {
    for (const Option& option : block.options()) {
      const std::string own = path.empty() ? option.key : absl::StrCat(path, ".", option.key);
      if (path.empty() && !out_.empty()) out_ += '\n';
      if (style_.has_descriptions) {
        Line(absl::StrCat("# ", option.description,
                          option.block == nullptr ? absl::StrCat(" (", option.type_text, ")") : ""),
             /*is_comment=*/true);
      }
      if (option.block != nullptr) {
        Line(absl::StrCat(option.key, ":"), /*is_comment=*/false);
        depth_ += 2;
        Render(*option.block, option.nested(object), own);
        depth_ -= 2;
        continue;
      }
      std::string text = absl::StrCat(option.key, ": ", Scalar(option.format_default(object)));
      const std::string remark = style_.remark ? style_.remark(own) : std::string();
      if (!remark.empty()) absl::StrAppend(&text, "  # ", remark);
      Line(text, /*is_comment=*/false);
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void Line(StringView text, bool is_comment) {
    const bool is_hidden = style_.is_commented_out && !is_comment;
    absl::StrAppend(&out_, is_hidden ? "#" : "", std::string(depth_, ' '), text, "\n");
  }

  const OptionYamlStyle& style_;
  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string RenderYaml(const OptionBlock& block, const void* object, const OptionYamlStyle& style) {
  YamlRenderer renderer(style);
  renderer.Render(block, object, "");
  return renderer.Take();
}

}  // namespace weir::config

#include "common/config/interpolation.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/config/utf8.h"
#include "common/config/values.h"

namespace weir::config {

namespace {

constexpr char kKnownForms[] =
    "known are `${NAME}` and `${NAME:-default}`; a literal `${` is written `$${`";

// Length of the variable name at the start of `text`: a letter or _, then letters, digits and _.
size_t NameLength(StringView text) {
  size_t length = 0;
  while (length < text.size()) {
    const auto c = static_cast<unsigned char>(text[length]);
    const bool fits = c == '_' || (length == 0 ? absl::ascii_isalpha(c) : absl::ascii_isalnum(c));
    if (!fits) break;
    ++length;
  }
  return length;
}

}  // namespace

// One run over one document.
class Interpolator {
 public:
  Interpolator(const VariableLookup& lookup, Document* document, Diagnostics* diagnostics)
      : lookup_(lookup), document_(document), diagnostics_(diagnostics) {}

  void Run() {
    for (Node& node : document_->nodes_) {
      if (!node.IsScalar() || node.is_key_) continue;
      if (!absl::StrContains(node.text_, "${") || IsIgnored(node)) continue;
      Resolve(&node);
    }
  }

 private:
  // What one `${...}` comes to.
  struct Resolved {
    size_t written_end;
    std::string value;
  };

  // Whether the node stands below a top-level key that starts with x-.
  static bool IsIgnored(const Node& node) {
    const Node* top = &node;
    while (top->parent_ != nullptr && top->parent_->parent_ != nullptr) top = top->parent_;
    return top->key_ != nullptr && absl::StartsWith(top->key_->text_, "x-");
  }

  void Resolve(Node* node) {
    const StringView written = node->text_;
    std::string text;
    std::vector<Substitution> substitutions;
    size_t at = 0;
    while (at < written.size()) {
      const bool is_escape = absl::StartsWith(written.substr(at), "$${");
      const bool is_start = absl::StartsWith(written.substr(at), "${");
      if (!is_escape && !is_start) {
        text += written[at++];
        continue;
      }
      const Resolved resolved = is_escape ? Resolved{at + 3, "${"} : ResolveOne(*node, at);
      substitutions.push_back({.begin = text.size(),
                               .end = text.size() + resolved.value.size(),
                               .written_begin = at,
                               .written_end = resolved.written_end});
      text += resolved.value;
      at = resolved.written_end;
    }
    node->written_text_ = std::exchange(node->text_, std::move(text));
    node->substitutions_ = std::move(substitutions);
  }

  // The `${` at `at`. After an error it stands for itself.
  Resolved ResolveOne(const Node& node, size_t at) {
    const StringView written = node.text_;
    const size_t close = written.find('}', at);
    if (close == StringView::npos) {
      Report(node, at, at + 2, codes::kBadInterpolation, "the `${` is not closed");
      return {at + 2, "${"};
    }
    const size_t end = close + 1;
    Resolved unresolved{end, std::string(written.substr(at, end - at))};
    const StringView inside = written.substr(at + 2, close - at - 2);
    const StringView name = inside.substr(0, NameLength(inside));
    const StringView rest = inside.substr(name.size());
    const bool has_default = absl::StartsWith(rest, ":-");
    if (name.empty() || (!rest.empty() && !has_default) || absl::StrContains(rest, "${")) {
      Report(node, at, end, codes::kBadInterpolation,
             absl::StrCat("`", unresolved.value, "` is not an interpolation"));
      return unresolved;
    }
    absl::optional<std::string> value = lookup_(name);
    if (has_default && (!value.has_value() || value->empty())) value = std::string(rest.substr(2));
    if (!value.has_value()) {
      diagnostics_->Add(ErrorInText(node, at, end, codes::kMissingVariable,
                                    absl::StrCat("variable '", name, "' is not set"))
                            .Help(absl::StrCat("set it, or give a default: ${", name, ":-value}")));
      return unresolved;
    }
    return Accept(node, unresolved, at, *std::move(value));
  }

  Resolved Accept(const Node& node, const Resolved& unresolved, size_t at, std::string value) {
    const size_t end = unresolved.written_end;
    if (FindInvalidUtf8(value) != StringView::npos) {
      Report(node, at, end, codes::kNotText, "the variable's value is not UTF-8 text");
      return unresolved;
    }
    substituted_bytes_ += value.size();
    if (substituted_bytes_ > kSubstitutedBytesMax) {
      Report(node, at, end, codes::kLimitExceeded,
             absl::StrCat("the values of all variables are larger than ",
                          ByteSizeText(kSubstitutedBytesMax)));
      return unresolved;
    }
    return {end, std::move(value)};
  }

  void Report(const Node& node, size_t begin, size_t end, const DiagnosticCode& code,
              std::string message) {
    Diagnostic diagnostic = ErrorInText(node, begin, end, code, std::move(message));
    if (StringView(code.id) == StringView(codes::kBadInterpolation.id)) {
      diagnostic.Help(kKnownForms);
    }
    diagnostics_->Add(std::move(diagnostic));
  }

  const VariableLookup& lookup_;
  Document* const document_;
  Diagnostics* const diagnostics_;
  size_t substituted_bytes_ = 0;
};

void Interpolate(const VariableLookup& lookup, Document* document, Diagnostics* diagnostics) {
  Interpolator(lookup, document, diagnostics).Run();
}

VariableLookup EnvironmentLookup() {
  return [](StringView name) -> absl::optional<std::string> {
    // Weir never changes its environment, so reading it is safe in any thread.
    const char* const value =
        std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) return absl::nullopt;
    return std::string(value);
  };
}

}  // namespace weir::config

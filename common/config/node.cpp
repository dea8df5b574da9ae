#include "common/config/node.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include "common/base/check.h"
#include "common/config/document.h"
#include "common/config/scalar_positions.h"
#include "common/config/utf8.h"

namespace weir::config {

namespace {

// Code points of a found text that a message repeats.
constexpr size_t kFoundTextMax = 40;

Diagnostic At(const Node& node, Severity severity, const DiagnosticCode& code,
              std::string message) {
  return MakeDiagnostic(severity, code, node.range(), node.Path(), std::move(message));
}

}  // namespace

bool Node::IsNull() const {
  if (!IsScalar() || style_ != ScalarStyle::kPlain || !substitutions_.empty()) return false;
  return text_.empty() || text_ == "~" || text_ == "null" || text_ == "Null" || text_ == "NULL";
}

const Node* Node::Find(StringView key) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [key](const MapEntry& entry) {
    return key == StringView(entry.key->text());
  });
  return found == entries_.end() ? nullptr : found->value;
}

SourceRange Node::range() const {
  return {document_->source(), begin_, end_};
}

std::string Node::Name() const {
  if (is_key_) return text_;
  if (key_ != nullptr) return key_->text();
  return parent_ == nullptr ? "" : absl::StrCat(index_);
}

std::string Node::Path() const {
  std::vector<const Node*> chain;
  for (const Node* node = this; node->parent_ != nullptr; node = node->parent_) {
    chain.push_back(node);
  }
  std::string path;
  for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
    absl::StrAppend(&path, "/", absl::StrReplaceAll((*node)->Name(), {{"~", "~0"}, {"/", "~1"}}));
  }
  return path;
}

std::string DescribeFound(const Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsNull()) return node.text().empty() ? "nothing" : "null";
  const std::vector<StringView> points = SplitCodePoints(node.text());
  std::string text;
  for (size_t i = 0; i < std::min(points.size(), kFoundTextMax); ++i) {
    absl::StrAppend(&text, points[i] == "\n" ? StringView("\\n") : points[i]);
  }
  return absl::StrCat("'", text, points.size() > kFoundTextMax ? "..." : "", "'");
}

Diagnostic ErrorAt(const Node& node, const DiagnosticCode& code, std::string message) {
  return At(node, Severity::kError, code, std::move(message));
}

Diagnostic WarningAt(const Node& node, const DiagnosticCode& code, std::string message) {
  return At(node, Severity::kWarning, code, std::move(message));
}

Diagnostic NoteAt(const Node& node, const DiagnosticCode& code, std::string message) {
  return At(node, Severity::kNote, code, std::move(message));
}

Diagnostic ErrorInText(const Node& scalar, size_t begin, size_t end, const DiagnosticCode& code,
                       std::string message) {
  WEIR_CHECK(scalar.IsScalar());
  Diagnostic diagnostic = ErrorAt(scalar, code, std::move(message));
  diagnostic.range = ScalarPositions(scalar).Range(begin, end);
  return diagnostic;
}

Diagnostic ErrorAtKey(const Node& node, const DiagnosticCode& code, std::string message) {
  Diagnostic diagnostic = ErrorAt(node, code, std::move(message));
  if (node.key() != nullptr) diagnostic.range = node.key()->range();
  return diagnostic;
}

}  // namespace weir::config

// Node: what a YAML file says, before anyone knows what it means. Scalars keep their text, so
// `no`, `12:30` and `500.10` are what the user typed until an option's type asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <absl/types/span.h>

#include "common/base/string_view.h"
#include "common/config/diagnostic.h"
#include "common/config/source_text.h"

namespace weir::config {

class Document;
class Node;

enum class NodeKind : uint8_t { kScalar, kMap, kSequence };
enum class ScalarStyle : uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral, kFolded };

struct MapEntry {
  const Node* key;
  const Node* value;
};

// Part of a scalar's text that interpolation put there: text [begin, end) stands for the written
// text [written_begin, written_end).
struct Substitution {
  size_t begin;
  size_t end;
  size_t written_begin;
  size_t written_end;
};

// Life:      owned by its Document, which must outlive every reference to a node.
// Thread:    immutable once the document is built and interpolated.
// Invariant: the keys of a map are scalars with different texts.
class Node {
 public:
  // For Document and its builders only.
  Node(const Document& document, NodeKind kind) : document_(&document), kind_(kind) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  NodeKind kind() const { return kind_; }
  bool IsScalar() const { return kind_ == NodeKind::kScalar; }
  bool IsMap() const { return kind_ == NodeKind::kMap; }
  bool IsSequence() const { return kind_ == NodeKind::kSequence; }
  // A plain scalar that is empty, ~, null, Null or NULL.
  bool IsNull() const;

  // A scalar's text: escapes undone, lines folded, variables filled in. Empty for others.
  const std::string& text() const { return text_; }
  ScalarStyle style() const { return style_; }
  const std::vector<Substitution>& substitutions() const { return substitutions_; }

  // A map's entries in file order. Empty for others.
  absl::Span<const MapEntry> entries() const { return entries_; }
  // Null: the map has no such key, or this is no map. Compares exactly: ids are never folded.
  const Node* Find(StringView key) const;
  // A sequence's items. Empty for others.
  absl::Span<const Node* const> items() const { return items_; }

  // Where it stands. A node reached through an alias stands where the anchor's content stands.
  SourceRange range() const;
  // Whether it stands inside {...} or [...] of the file, itself included.
  bool InFlow() const { return in_flow_; }
  // RFC 6901, such as "/sources/bids/topics/0". The root is "". A key has its value's path.
  std::string Path() const;
  // The key or index it is found under, for messages; "" for the root.
  std::string Name() const;
  // Null for the root.
  const Node* parent() const { return parent_; }
  // The key node it is found under; null in sequences, for keys and for the root.
  const Node* key() const { return key_; }
  const Document& document() const { return *document_; }

 private:
  friend class Document;
  friend class Interpolator;
  friend class NodeBuilder;
  friend class ScalarPositions;

  const Document* document_;
  NodeKind kind_;
  ScalarStyle style_ = ScalarStyle::kPlain;
  bool in_flow_ = false;
  bool is_key_ = false;
  // Column of the text of a block scalar, from 0.
  uint32_t block_indent_ = 0;
  uint32_t depth_ = 0;
  size_t index_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  const Node* parent_ = nullptr;
  const Node* key_ = nullptr;
  std::string text_;
  // The text before interpolation, where substitutions_ is not empty.
  std::string written_text_;
  std::vector<Substitution> substitutions_;
  std::vector<MapEntry> entries_;
  std::vector<const Node*> items_;
};

// "a map", "a list", "nothing" or the quoted text, for messages about what was found.
std::string DescribeFound(const Node& node);

// Diagnostics about a node, with its place and path filled in.
Diagnostic ErrorAt(const Node& node, const DiagnosticCode& code, std::string message);
Diagnostic WarningAt(const Node& node, const DiagnosticCode& code, std::string message);
Diagnostic NoteAt(const Node& node, const DiagnosticCode& code, std::string message);
// About bytes [begin, end) of a scalar's text, for example a column name in an expression.
Diagnostic ErrorInText(const Node& scalar, size_t begin, size_t end, const DiagnosticCode& code,
                       std::string message);
// At the key a node is found under; the node itself where there is none.
Diagnostic ErrorAtKey(const Node& node, const DiagnosticCode& code, std::string message);

}  // namespace weir::config

// Document: the node tree of one YAML file, and the parser that makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "common/config/diagnostic.h"
#include "common/config/node.h"
#include "common/config/source_text.h"

namespace weir::config {

// Largest file. A descriptor is written by people; inline test data is the largest part.
inline constexpr size_t kDocumentBytesMax = size_t{4} << 20;
// Deepest nesting. Everything that walks nodes may recurse this deep.
inline constexpr uint32_t kNodeDepthMax = 200;
// Most nodes, keys included.
inline constexpr size_t kNodeCountMax = 200'000;
// Most nodes that aliases may copy, all together.
inline constexpr size_t kAliasNodesMax = 10'000;
static_assert(kAliasNodesMax < kNodeCountMax, "aliases are a part of the nodes");

// Life:      shared by all that keep nodes; never moves.
// Thread:    immutable once parsed and interpolated.
class Document {
 public:
  explicit Document(SourcePtr source) : source_(std::move(source)) {}
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const SourcePtr& source() const { return source_; }
  // A null scalar for an empty file.
  const Node& root() const { return *root_; }
  size_t node_count() const { return nodes_.size(); }

 private:
  friend class NodeBuilder;
  friend class Interpolator;

  const SourcePtr source_;
  // A deque, because nodes point to each other.
  std::deque<Node> nodes_;
  Node* root_ = nullptr;
};

// Parses YAML 1.2. Null: the text has no usable structure, and `diagnostics` says why. Errors that
// leave a usable tree (a duplicate key, whose first value stays) are reported and the tree
// returned, so that later passes can report theirs at once.
std::unique_ptr<Document> ParseYaml(const SourcePtr& source, Diagnostics* diagnostics);

}  // namespace weir::config

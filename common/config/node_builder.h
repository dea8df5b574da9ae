// NodeBuilder: makes a Document from yaml-cpp's events. Only yaml_parser.cpp uses it: yaml-cpp
// shows in no other header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <yaml-cpp/eventhandler.h>

#include "common/config/diagnostic.h"
#include "common/config/document.h"
#include "common/config/node.h"

namespace weir::config {

// Life:      for one parse.
// Thread:    confined to one thread.
// Invariant: once has_failed() is true, events change nothing more.
class NodeBuilder final : public YAML::EventHandler {
 public:
  // yaml-cpp counts bytes from `offset` of the document's source (behind a byte order mark).
  NodeBuilder(Document* document, size_t offset, Diagnostics* diagnostics);

  // An error was reported after which the tree is of no use.
  bool has_failed() const { return has_failed_; }
  // The innermost open `{` or `[` when the parser stopped; null outside of them.
  const Node* OpenFlow() const;
  // Makes the null root of a file without content.
  void Finish();

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override;
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  // A collection that is still open.
  struct Frame {
    Node* node = nullptr;
    // Column of a block collection's content; that of the block around it for `{}` and `[]`.
    uint32_t indent = 0;
    bool is_flow = false;
    // In a map: the key whose value comes next.
    Node* key = nullptr;
    // The value of the key is read, but not kept.
    bool drops_value = false;
    // Where the last child ends.
    size_t content_end = 0;
    absl::flat_hash_map<std::string, Node*> keys = {};
  };

  bool ExpectsKey() const;
  uint32_t ParentIndent() const { return frames_.empty() ? 0 : frames_.back().indent; }
  size_t Offset(const YAML::Mark& mark) const;
  SourceRange RangeAt(size_t begin, size_t end) const;
  void Fail(const DiagnosticCode& code, SourceRange range, std::string message);
  // Null: a limit is exceeded.
  Node* NewNode(NodeKind kind, size_t begin);
  void CheckTag(const std::string& tag, size_t offset);
  void Attach(Node* node);
  void AttachKey(Node* node, Frame* frame);
  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, NodeKind kind,
            bool is_flow);
  void Close();
  Node* CopyTree(const Node& original, uint32_t depth, const SourceRange& alias);
  size_t FindFlowEnd(size_t from) const;
  size_t EmptyValueOffset(size_t mark) const;

  Document* const document_;
  const size_t offset_;
  Diagnostics* const diagnostics_;
  std::vector<Frame> frames_;
  absl::flat_hash_map<YAML::anchor_t, Node*> anchors_;
  size_t alias_node_count_ = 0;
  bool has_failed_ = false;
};

}  // namespace weir::config

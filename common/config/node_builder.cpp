#include "common/config/node_builder.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <yaml-cpp/mark.h>

#include "common/base/check.h"
#include "common/config/scalar_scan.h"

namespace weir::config {

namespace {

// Whether a written null stands at `at`, whole.
size_t WrittenNullBytes(StringView text, size_t at) {
  for (const StringView word :
       {StringView("~"), StringView("null"), StringView("Null"), StringView("NULL")}) {
    if (text.substr(std::min(at, text.size()), word.size()) == word) return word.size();
  }
  return 0;
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

NodeBuilder::NodeBuilder(Document* document, size_t offset, Diagnostics* diagnostics)
    : document_(document), offset_(offset), diagnostics_(diagnostics) {
}

const Node* NodeBuilder::OpenFlow() const {
  return frames_.empty() || !frames_.back().is_flow ? nullptr : frames_.back().node;
}

size_t NodeBuilder::Offset(const YAML::Mark& mark) const {
  const size_t at = mark.pos < 0 ? 0 : static_cast<size_t>(mark.pos) + offset_;
  return std::min(at, document_->source()->text().size());
}

SourceRange NodeBuilder::RangeAt(size_t begin, size_t end) const {
  return {document_->source(), begin, end};
}

void NodeBuilder::Fail(const DiagnosticCode& code, SourceRange range, std::string message) {
  if (!has_failed_) {
    diagnostics_->Add(
        MakeDiagnostic(Severity::kError, code, std::move(range), "", std::move(message)));
  }
  has_failed_ = true;
}

Node* NodeBuilder::NewNode(NodeKind kind, size_t begin) {
  if (document_->nodes_.size() >= kNodeCountMax) {
    Fail(codes::kLimitExceeded, RangeAt(begin, begin),
         absl::StrCat("the file has more than ", kNodeCountMax, " values"));
    return nullptr;
  }
  Node& node = document_->nodes_.emplace_back(*document_, kind);
  node.begin_ = begin;
  node.end_ = begin;
  return &node;
}

void NodeBuilder::CheckTag(const std::string& tag, size_t offset) {
  if (tag.empty() || tag == "?" || tag == "!" || has_failed_) return;
  const StringView text = document_->source()->text();
  const size_t end = std::min(text.find_first_of(" \t\r\n", offset), text.size());
  diagnostics_->Add(MakeDiagnostic(Severity::kError, codes::kTagNotSupported, RangeAt(offset, end),
                                   "", "YAML tags are not supported")
                        .Help("leave the tag out: the type of a value comes from its option"));
}

bool NodeBuilder::ExpectsKey() const {
  return !frames_.empty() && frames_.back().node->IsMap() && frames_.back().key == nullptr;
}

void NodeBuilder::AttachKey(Node* node, Frame* frame) {
  frame->key = node;
  frame->drops_value = false;
  node->is_key_ = true;
  if (!node->IsScalar()) {
    Fail(codes::kWrongStructure, node->range(),
         absl::StrCat("a key must be a single text, not ", DescribeFound(*node)));
    return;
  }
  if (!frame->is_flow && frame->keys.empty()) {
    frame->indent = document_->source()->At(node->begin_).column - 1;
  }
  if (node->text_ == "<<" && node->style_ == ScalarStyle::kPlain) {
    frame->drops_value = true;
    diagnostics_->Add(ErrorAt(*node, codes::kMergeKey, "the merge key `<<` is not supported")
                          .Help("repeat the keys here, or set them once under `defaults:`"));
    return;
  }
  const auto [known, is_new] = frame->keys.emplace(node->text_, node);
  if (is_new) return;
  frame->drops_value = true;
  diagnostics_->Add(
      ErrorAt(*node, codes::kDuplicateKey, absl::StrCat("duplicate key '", node->text_, "'"))
          .Label("the first one counts")
          .Because(absl::StrCat("it is set first at ", known->second->range().ToString()))
          .Help("keep one of the two, or join their values under one key"));
}

void NodeBuilder::Attach(Node* node) {
  if (frames_.empty()) {
    document_->root_ = node;
    return;
  }
  Frame& frame = frames_.back();
  node->parent_ = frame.node;
  node->depth_ = frame.node->depth_ + 1;
  node->in_flow_ = node->in_flow_ || frame.is_flow;
  if (frame.node->IsSequence()) {
    node->index_ = frame.node->items_.size();
    frame.node->items_.push_back(node);
  } else if (frame.key == nullptr) {
    AttachKey(node, &frame);
  } else {
    node->key_ = frame.key;
    if (!frame.drops_value) frame.node->entries_.push_back({frame.key, node});
    frame.key = nullptr;
  }
  frame.content_end = std::max(frame.content_end, node->end_);
}

void NodeBuilder::OnDocumentStart(const YAML::Mark& mark) {
}

void NodeBuilder::OnDocumentEnd() {
}

size_t NodeBuilder::EmptyValueOffset(size_t mark) const {
  if (frames_.empty()) return mark;
  const StringView text = document_->source()->text();
  const Frame& frame = frames_.back();
  // Behind the `:` or `-` that the value is missing after.
  if (frame.node->IsMap() && frame.key != nullptr) {
    size_t at = frame.key->end_;
    while (at < mark && IsSpace(text[at])) ++at;
    return at < text.size() && text[at] == ':' ? at + 1 : frame.key->end_;
  }
  const size_t dash = mark == 0 ? StringView::npos : text.rfind('-', mark - 1);
  const bool is_item = !frame.is_flow && dash != StringView::npos && dash >= frame.content_end;
  return is_item ? dash + 1 : mark;
}

void NodeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (has_failed_) return;
  const StringView text = document_->source()->text();
  const size_t at = SkipProperties(text, Offset(mark));
  size_t bytes = WrittenNullBytes(text, at);
  // A missing value is reported at whatever comes next, which may be a key named null.
  if (bytes > 0 && !frames_.empty() && !frames_.back().is_flow && !ExpectsKey()) {
    const Frame& frame = frames_.back();
    const LineColumn place = document_->source()->At(at);
    const bool is_same_line =
        frame.key != nullptr && document_->source()->At(frame.key->end_).line == place.line;
    if (!is_same_line && place.column - 1 <= frame.indent) bytes = 0;
  }
  const size_t begin = bytes > 0 ? at : EmptyValueOffset(Offset(mark));
  Node* const node = NewNode(NodeKind::kScalar, begin);
  if (node == nullptr) return;
  node->end_ = begin + bytes;
  node->text_ = std::string(text.substr(begin, bytes));
  Attach(node);
  if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
}

void NodeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  if (has_failed_) return;
  CheckTag(tag, Offset(mark));
  const StringView text = document_->source()->text();
  const WrittenScalar written =
      ScanScalar(text, SkipProperties(text, Offset(mark)), value, ParentIndent());
  Node* const node = NewNode(NodeKind::kScalar, written.begin);
  if (node == nullptr) return;
  if (!written.is_closed) {
    Fail(codes::kYamlSyntax, RangeAt(written.begin, written.begin + 1),
         "the quote is never closed");
    return;
  }
  node->style_ = written.style;
  node->end_ = written.end;
  node->block_indent_ = written.block_indent;
  node->text_ = value;
  Attach(node);
  if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
}

void NodeBuilder::Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       NodeKind kind, bool is_flow) {
  if (has_failed_) return;
  CheckTag(tag, Offset(mark));
  const size_t begin = SkipProperties(document_->source()->text(), Offset(mark));
  if (frames_.size() >= kNodeDepthMax) {
    Fail(codes::kLimitExceeded, RangeAt(begin, begin + 1),
         absl::StrCat("the file is nested deeper than ", kNodeDepthMax, " levels"));
    return;
  }
  Node* const node = NewNode(kind, begin);
  if (node == nullptr) return;
  node->in_flow_ = is_flow;
  const uint32_t column = document_->source()->At(begin).column - 1;
  const uint32_t indent = is_flow ? ParentIndent() : column;
  Attach(node);
  if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
  frames_.push_back({.node = node, .indent = indent, .is_flow = is_flow, .content_end = begin});
}

size_t NodeBuilder::FindFlowEnd(size_t from) const {
  const StringView text = document_->source()->text();
  size_t at = from;
  while (at < text.size()) {
    if (text[at] == ']' || text[at] == '}') return at + 1;
    if (text[at] == '#') {
      at = std::min(text.find_first_of("\r\n", at), text.size());
    } else if (IsSpace(text[at]) || text[at] == ',' || text[at] == ':') {
      ++at;
    } else {
      return from;
    }
  }
  return from;
}

void NodeBuilder::Close() {
  if (has_failed_) return;
  WEIR_CHECK(!frames_.empty());
  const Frame& frame = frames_.back();
  Node* const node = frame.node;
  const StringView text = document_->source()->text();
  const bool has_bracket = frame.is_flow && node->begin_ < text.size() &&
                           (text[node->begin_] == '[' || text[node->begin_] == '{');
  const size_t content_end = std::max(frame.content_end, node->begin_ + (has_bracket ? 1 : 0));
  node->end_ = has_bracket ? FindFlowEnd(content_end) : content_end;
  const size_t end = node->end_;
  frames_.pop_back();
  if (!frames_.empty()) frames_.back().content_end = std::max(frames_.back().content_end, end);
}

void NodeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  Open(mark, tag, anchor, NodeKind::kSequence, style == YAML::EmitterStyle::Flow);
}

void NodeBuilder::OnSequenceEnd() {
  Close();
}

void NodeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  Open(mark, tag, anchor, NodeKind::kMap, style == YAML::EmitterStyle::Flow);
}

void NodeBuilder::OnMapEnd() {
  Close();
}

Node* NodeBuilder::CopyTree(const Node& original, uint32_t depth, const SourceRange& alias) {
  if (++alias_node_count_ > kAliasNodesMax) {
    Fail(codes::kLimitExceeded, alias,
         absl::StrCat("aliases expand to more than ", kAliasNodesMax, " values"));
    return nullptr;
  }
  if (depth > kNodeDepthMax) {
    Fail(codes::kLimitExceeded, alias,
         absl::StrCat("the file is nested deeper than ", kNodeDepthMax, " levels"));
    return nullptr;
  }
  Node* const copy = NewNode(original.kind_, original.begin_);
  if (copy == nullptr) return nullptr;
  copy->style_ = original.style_;
  copy->in_flow_ = original.in_flow_;
  copy->is_key_ = original.is_key_;
  copy->block_indent_ = original.block_indent_;
  copy->depth_ = depth;
  copy->index_ = original.index_;
  copy->end_ = original.end_;
  copy->text_ = original.text_;
  for (const MapEntry& entry : original.entries_) {
    Node* const key = CopyTree(*entry.key, depth + 1, alias);
    Node* const value = key == nullptr ? nullptr : CopyTree(*entry.value, depth + 1, alias);
    if (value == nullptr) return nullptr;
    key->parent_ = copy;
    value->parent_ = copy;
    value->key_ = key;
    copy->entries_.push_back({key, value});
  }
  for (const Node* item : original.items_) {
    Node* const item_copy = CopyTree(*item, depth + 1, alias);
    if (item_copy == nullptr) return nullptr;
    item_copy->parent_ = copy;
    copy->items_.push_back(item_copy);
  }
  return copy;
}

void NodeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (has_failed_) return;
  const size_t begin = Offset(mark);
  const StringView text = document_->source()->text();
  const size_t end = std::min(text.find_first_of(" \t\r\n,]}", begin), text.size());
  const auto found = anchors_.find(anchor);
  // yaml-cpp itself refuses unknown anchors.
  WEIR_CHECK(found != anchors_.end());
  const bool is_open = std::any_of(frames_.begin(), frames_.end(),
                                   [&](const Frame& frame) { return frame.node == found->second; });
  if (is_open) {
    Fail(codes::kBadAlias, RangeAt(begin, end), "the alias contains itself");
    return;
  }
  const auto depth = static_cast<uint32_t>(frames_.size());
  Node* const copy = CopyTree(*found->second, depth, RangeAt(begin, end));
  if (copy == nullptr) return;
  copy->is_key_ = false;
  Attach(copy);
  if (!frames_.empty()) frames_.back().content_end = std::max(frames_.back().content_end, end);
}

void NodeBuilder::Finish() {
  if (document_->root_ == nullptr) document_->root_ = NewNode(NodeKind::kScalar, 0);
}

}  // namespace weir::config

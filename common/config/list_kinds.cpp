#include "common/config/list_kinds.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/config/names.h"
#include "common/config/option_kinds.h"

namespace weir::config {

namespace {

std::string JoinList(const std::vector<std::string>& texts) {
  return texts.empty() ? "" : absl::StrCat("[", JoinNames(texts, texts.size()), "]");
}

}  // namespace

bool TextListOption::Read(const Node& node, std::vector<Located<std::string>>* value,
                          Diagnostics* diagnostics) const {
  std::vector<Located<std::string>> read;
  const bool is_single = may_be_single && node.IsScalar() && !node.IsNull();
  if (is_single) {
    read.emplace_back(node.text());
    read.back().node = &node;
  } else if (!ExpectSequence(node, absl::StrCat("a ", type_text), diagnostics)) {
    return false;
  }
  bool is_good = true;
  for (const Node* item : node.items()) {
    is_good = ExpectScalar(*item, "a text", diagnostics) && is_good;
    read.emplace_back(item->text());
    read.back().node = item;
  }
  if (read.size() < min_count) {
    diagnostics->Add(ErrorAt(node, codes::kOutOfRange,
                             absl::StrCat("'", node.Name(), "' needs at least ", min_count,
                                          " items, found ", read.size())));
    return false;
  }
  if (is_good) *value = std::move(read);
  return is_good;
}

bool TextListOption::Read(const Node& node, std::vector<std::string>* value,
                          Diagnostics* diagnostics) const {
  std::vector<Located<std::string>> located;
  if (!Read(node, &located, diagnostics)) return false;
  value->clear();
  value->reserve(located.size());
  for (Located<std::string>& item : located) value->push_back(std::move(item.value));
  return true;
}

std::string TextListOption::Format(const std::vector<std::string>& value) const {
  return JoinList(value);
}

std::string TextListOption::Format(const std::vector<Located<std::string>>& value) const {
  std::vector<std::string> texts;
  texts.reserve(value.size());
  for (const Located<std::string>& item : value) texts.push_back(item.value);
  return JoinList(texts);
}

bool TextMapOption::Read(const Node& node, std::map<std::string, std::string>* value,
                         Diagnostics* diagnostics) const {
  if (!ExpectMap(node, absl::StrCat("a ", type_text), diagnostics)) return false;
  std::map<std::string, std::string> read;
  bool is_good = true;
  for (const MapEntry& entry : node.entries()) {
    is_good = ExpectScalar(*entry.value, "a text", diagnostics) && is_good;
    read[entry.key->text()] = entry.value->text();
  }
  if (is_good) *value = std::move(read);
  return is_good;
}

std::string TextMapOption::Format(const std::map<std::string, std::string>& value) const {
  std::vector<std::string> texts;
  texts.reserve(value.size());
  for (const auto& [key, text] : value) texts.push_back(absl::StrCat(key, ": ", text));
  return texts.empty() ? "" : absl::StrCat("{", JoinNames(texts, texts.size()), "}");
}

}  // namespace weir::config

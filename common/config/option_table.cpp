#include "common/config/option_table.h"

#include <algorithm>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/config/names.h"

namespace weir::config {

namespace {

constexpr size_t kListedKeysMax = 30;

bool IsSameKey(StringView a, StringView b) {
  const auto same = [](char x, char y) {
    return x == y || (x == '-' && y == '_') || (x == '_' && y == '-');
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

void ReportDuplicate(const Node& first, const Node& second, Diagnostics* diagnostics) {
  diagnostics->Add(
      ErrorAt(second, codes::kDuplicateKey, absl::StrCat("duplicate key '", second.text(), "'"))
          .Label("`-` and `_` count as the same")
          .Because(
              absl::StrCat("'", first.text(), "' is set first at ", first.range().ToString())));
}

}  // namespace

Option& Option::Required() {
  is_required = true;
  default_text.clear();
  return *this;
}

Option& Option::Default(std::string text) {
  default_text = std::move(text);
  return *this;
}

const Option* OptionBlock::Find(StringView key) const {
  const auto found = std::find_if(options_.begin(), options_.end(), [key](const Option& option) {
    return IsSameKey(key, option.key);
  });
  return found == options_.end() ? nullptr : &*found;
}

Option& OptionBlock::Append(Option option) {
  WEIR_CHECK(Find(option.key) == nullptr);
  options_.push_back(std::move(option));
  return options_.back();
}

const Option* OptionBlock::ReportUnknown(const MapEntry& unknown, const Node& map,
                                         Diagnostics* diagnostics) const {
  const Node& key = *unknown.key;
  const Node& value = *unknown.value;
  Diagnostic diagnostic =
      ErrorAt(key, codes::kUnknownKey, absl::StrCat("unknown key '", key.text(), "' in ", name_));
  std::vector<std::string> keys;
  std::vector<std::string> free_keys;
  for (const Option& option : options_) {
    keys.push_back(option.key);
    const auto is_it = [&option](const MapEntry& entry) {
      return IsSameKey(entry.key->text(), option.key);
    };
    if (std::none_of(map.entries().begin(), map.entries().end(), is_it)) {
      free_keys.push_back(option.key);
    }
  }
  std::string suggestion = DidYouMean(key.text(), free_keys);
  // `{where: f(a, b)}` is a map with the keys `where` and `b)`.
  const bool is_cut_value = key.InFlow() && value.IsNull() && value.text().empty();
  if (!suggestion.empty() && !is_cut_value) {
    const Option* const meant = Find(NearestName(key.text(), free_keys));
    // The block lacks what it cannot be used without, which is more than a key too many.
    if (meant->is_required) diagnostic.code = codes::kMissingKey;
    diagnostics->Add(diagnostic.Suggest(std::move(suggestion)));
    return meant;
  }
  if (is_cut_value) diagnostic.Help("inside {...} a value that has a comma must be quoted");
  diagnostic.Help(keys.empty() ? "the block has no keys"
                               : absl::StrCat("known keys: ", JoinNames(keys, kListedKeysMax)));
  diagnostics->Add(std::move(diagnostic));
  return nullptr;
}

bool OptionBlock::ReadInto(const Node& node, void* object, Diagnostics* diagnostics) const {
  if (!ExpectMap(node, absl::StrCat("a map of ", name_, " options"), diagnostics)) return false;
  bool is_good = true;
  std::vector<const Node*> set_by(options_.size(), nullptr);
  for (const MapEntry& entry : node.entries()) {
    const StringView key = entry.key->text();
    if (!ignored_prefix_.empty() && absl::StartsWith(key, ignored_prefix_)) continue;
    const Option* const option = Find(key);
    if (option == nullptr) {
      const Option* const meant = ReportUnknown(entry, node, diagnostics);
      // A key that is only misspelt is not missing as well.
      if (meant != nullptr) set_by[static_cast<size_t>(meant - options_.data())] = entry.key;
      is_good = false;
      continue;
    }
    const Node*& first = set_by[static_cast<size_t>(option - options_.data())];
    if (first != nullptr) {
      ReportDuplicate(*first, *entry.key, diagnostics);
      is_good = false;
      continue;
    }
    first = entry.key;
    is_good = option->read(*entry.value, object, diagnostics) && is_good;
  }
  for (size_t i = 0; i < options_.size(); ++i) {
    if (!options_[i].is_required || set_by[i] != nullptr) continue;
    diagnostics->Add(ErrorAtKey(node, codes::kMissingKey,
                                absl::StrCat("missing key '", options_[i].key, "' in ", name_))
                         .Help(absl::StrCat(options_[i].key, ": ", options_[i].type_text, ". ",
                                            options_[i].description)));
    is_good = false;
  }
  return is_good;
}

}  // namespace weir::config

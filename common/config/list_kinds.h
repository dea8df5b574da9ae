// Option kinds of values with parts: lists and maps of texts. What a kind is: option_kinds.h.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/config/diagnostic.h"
#include "common/config/located.h"
#include "common/config/node.h"

namespace weir::config {

// A list of texts. Located items keep the place of each.
struct TextListOption {
  // One text may stand for a list of one.
  bool may_be_single = false;
  size_t min_count = 0;
  std::string type_text = "list of texts";

  bool Read(const Node& node, std::vector<std::string>* value, Diagnostics* diagnostics) const;
  bool Read(const Node& node, std::vector<Located<std::string>>* value,
            Diagnostics* diagnostics) const;
  std::string TypeText() const { return type_text; }
  std::string Format(const std::vector<std::string>& value) const;
  std::string Format(const std::vector<Located<std::string>>& value) const;
};

// Keys of the user's choice (never folded) with texts.
struct TextMapOption {
  std::string type_text = "map of texts";

  bool Read(const Node& node, std::map<std::string, std::string>* value,
            Diagnostics* diagnostics) const;
  std::string TypeText() const { return type_text; }
  std::string Format(const std::map<std::string, std::string>& value) const;
};

}  // namespace weir::config

// Options as a YAML file: what a block holds, each key under what it means.
#pragma once

#include <functional>
#include <string>

#include "common/config/option_table.h"

namespace weir::config {

struct OptionYamlStyle {
  // Whether each key is described in a comment above it.
  bool has_descriptions = true;
  // Begins every line with "#", so that a reader of the file takes the defaults.
  bool is_commented_out = false;
  // A comment behind the value of a key such as "rest.port"; null or "": none.
  std::function<std::string(const std::string& path)> remark = {};
};

// `object` is the options struct of `block`'s table. A value that is not set shows as null.
std::string RenderYaml(const OptionBlock& block, const void* object, const OptionYamlStyle& style);

}  // namespace weir::config

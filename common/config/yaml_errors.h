// What yaml-cpp's error messages mean for someone who wrote a descriptor.
#pragma once

#include <cstddef>
#include <string>

#include "common/config/diagnostic.h"
#include "common/config/node.h"

namespace weir::config {

// The diagnostic for yaml-cpp's `message` at byte `at`. `open_flow` is the `{` or `[` that was
// open, or null.
Diagnostic ExplainYamlError(const std::string& message, const SourcePtr& source, size_t at,
                            const Node* open_flow);

}  // namespace weir::config

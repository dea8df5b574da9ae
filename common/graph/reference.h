// The reference page of the descriptor language, made from the option tables that read it.
#pragma once

#include <string>

namespace weir::graph {

// The whole of docs/descriptor.md. A unit test holds the committed page against it.
std::string RenderReference();

}  // namespace weir::graph

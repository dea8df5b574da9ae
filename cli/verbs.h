// Every verb of `weir`: one line here, and the file of its name that defines the function.
#pragma once

namespace weir::cli {

class CommandTree;

#define WEIR_VERBS(X) \
  X(AddExplain)       \
  X(AddJobVerbs)      \
  X(AddLocalRun)      \
  X(AddRun)           \
  X(AddValidate)      \
  X(AddVersion)

#define WEIR_DECLARE_VERB(function) void function(CommandTree& tree);
WEIR_VERBS(WEIR_DECLARE_VERB)
#undef WEIR_DECLARE_VERB

}  // namespace weir::cli

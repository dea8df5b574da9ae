// The `weir` command.
#include <cstdio>

#include "cli/command_tree.h"
#include "common/base/standard_descriptors.h"

int main(int argc, char** argv) {
  weir::base::FillStandardDescriptors();
  weir::cli::CommandTree tree;
  return static_cast<int>(tree.Run(argc, argv, stdout, stderr));
}

// The `weir` command.
#include <cstdio>

#include "cli/command_tree.h"

int main(int argc, char** argv) {
  weir::cli::CommandTree tree;
  return static_cast<int>(tree.Run(argc, argv, stdout, stderr));
}

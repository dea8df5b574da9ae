// RetiredTree: a dropped table whose blocks are freed bit by bit. Internal to the table.
#pragma once

#include <memory>
#include <utility>

#include "common/state/table_nodes.h"
#include "common/state/versioned_memory.h"

namespace weir::state {

// Life: handed to VersionedMemory when nothing current refers to `root` any more.
class RetiredTree final : public RetiredStructure {
 public:
  RetiredTree(std::shared_ptr<const TableLayout> layout, RootNode* root)
      : layout_(std::move(layout)), root_(root) {}

  bool FreeSome(BlockPool& pool, size_t* budget) override;

 private:
  // Returns whether the whole group is freed.
  bool FreeGroup(BlockPool& pool, GroupNode* group, size_t* budget);
  void FreeChunk(BlockPool& pool, Chunk* chunk, size_t* budget);

  const std::shared_ptr<const TableLayout> layout_;
  RootNode* const root_;
  uint32_t group_ = 0;  // the next to free, and its next directory entry
  size_t entry_ = 0;
};

}  // namespace weir::state

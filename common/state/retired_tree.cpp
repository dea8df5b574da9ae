#include "common/state/retired_tree.h"

#include "common/state/out_of_line.h"

namespace weir::state {
namespace {

void Spend(size_t* budget) {
  if (*budget > 0) --*budget;
}

}  // namespace

bool RetiredTree::FreeSome(BlockPool& pool, size_t* budget) {
  for (; group_ < root_->group_count; ++group_, entry_ = 0) {
    if (*budget == 0) return false;
    GroupNode* group = root_->groups()[group_];
    if (group != nullptr && !FreeGroup(pool, group, budget)) return false;
  }
  Spend(budget);
  pool.Free(root_, root_->bytes());
  return true;
}

bool RetiredTree::FreeGroup(BlockPool& pool, GroupNode* group, size_t* budget) {
  while (entry_ < group->entry_count()) {
    if (*budget == 0) return false;
    Chunk* chunk = group->entry(entry_).chunk();
    entry_ += size_t{1} << (group->depth - chunk->depth);
    FreeChunk(pool, chunk, budget);
  }
  if (!group->is_flat()) {
    for (size_t i = 0; i < group->child_count(); ++i) {
      pool.Free(group->nodes()[i], sizeof(DirectoryNode));
    }
  }
  Spend(budget);
  pool.Free(group, group->bytes());
  return true;
}

void RetiredTree::FreeChunk(BlockPool& pool, Chunk* chunk, size_t* budget) {
  if (MayBeOutOfLine(*layout_)) {
    ForEachSlot(*layout_, chunk, [&](std::byte* slot) {
      ForEachOutOfLine(*layout_, slot, [&](void* block, size_t bytes, uint64_t) {
        Spend(budget);
        pool.Free(block, bytes);
      });
    });
  }
  Spend(budget);
  pool.Free(chunk, layout_->chunk_class(chunk->chunk_class).bytes);
}

}  // namespace weir::state

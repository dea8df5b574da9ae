#include "common/testing/memory_tree.h"

#include <algorithm>
#include <set>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/fs/path.h"

namespace weir::testing {
namespace {

absl::Status NoSuchPath(const std::string& path) {
  return absl::NotFoundError(absl::StrCat(path, ": No such file or directory"));
}

void Edit(std::map<std::string, std::shared_ptr<Inode>>& entries, const std::string& name,
          const std::shared_ptr<Inode>& inode) {
  if (inode == nullptr) {
    entries.erase(name);
  } else {
    entries[name] = inode;
  }
}

}  // namespace

MemoryTree::MemoryTree() : root_(std::make_shared<Inode>()) {
  root_->is_directory = true;
}

absl::StatusOr<std::shared_ptr<Inode>> MemoryTree::Find(const std::string& path) const {
  WEIR_CHECK(fs::IsAbsolutePath(path));
  InodePtr inode = root_;
  for (const StringView name : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (!inode->is_directory) {
      return absl::FailedPreconditionError(absl::StrCat(path, ": Not a directory"));
    }
    const auto found = inode->entries.find(std::string(name));
    if (found == inode->entries.end()) return NoSuchPath(path);
    inode = found->second;
  }
  return inode;
}

absl::StatusOr<std::shared_ptr<Inode>> MemoryTree::FindParent(const std::string& path) const {
  WEIR_ASSIGN_OR_RETURN(InodePtr parent, Find(fs::DirectoryOf(path)));
  if (parent->is_directory) return parent;
  return absl::FailedPreconditionError(absl::StrCat(path, ": Not a directory"));
}

void MemoryTree::Apply(std::vector<NameEdit> edits) {
  for (const NameEdit& edit : edits) Edit(edit.directory->entries, edit.name, edit.inode);
  std::vector<bool> synced(edits.size(), false);
  changes_.push_back({std::move(edits), std::move(synced)});
}

absl::Status MemoryTree::Add(const std::string& path, InodePtr inode) {
  WEIR_ASSIGN_OR_RETURN(InodePtr parent, FindParent(path));
  const std::string name = fs::NameOf(path);
  if (parent->entries.contains(name)) {
    return absl::AlreadyExistsError(absl::StrCat(path, ": File exists"));
  }
  Apply({{std::move(parent), name, std::move(inode)}});
  return absl::OkStatus();
}

absl::Status MemoryTree::Rename(const std::string& from, const std::string& to) {
  WEIR_ASSIGN_OR_RETURN(const InodePtr moved, Find(from));
  WEIR_ASSIGN_OR_RETURN(InodePtr from_parent, FindParent(from));
  WEIR_ASSIGN_OR_RETURN(InodePtr to_parent, FindParent(to));
  const auto replaced = to_parent->entries.find(fs::NameOf(to));
  if (replaced != to_parent->entries.end() &&
      replaced->second->is_directory != moved->is_directory) {
    return absl::FailedPreconditionError(absl::StrCat(to, ": a file and a directory"));
  }
  // A second name of the same file: rename(2) does nothing.
  if (replaced != to_parent->entries.end() && replaced->second == moved) return absl::OkStatus();
  Apply({{std::move(from_parent), fs::NameOf(from), nullptr},
         {std::move(to_parent), fs::NameOf(to), moved}});
  return absl::OkStatus();
}

absl::Status MemoryTree::Remove(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const InodePtr inode, Find(path));
  if (inode->is_directory && !inode->entries.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Directory not empty"));
  }
  WEIR_ASSIGN_OR_RETURN(InodePtr parent, FindParent(path));
  Apply({{std::move(parent), fs::NameOf(path), nullptr}});
  return absl::OkStatus();
}

void MemoryTree::MakeDurable(const Change& change) {
  for (const NameEdit& edit : change.edits) {
    Edit(edit.directory->durable_entries, edit.name, edit.inode);
  }
}

absl::Status MemoryTree::SyncDir(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const InodePtr directory, Find(path));
  if (!directory->is_directory) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Not a directory"));
  }
  for (Change& change : changes_) {
    bool all = true;
    for (size_t i = 0; i < change.edits.size(); ++i) {
      if (change.edits[i].directory == directory) change.synced[i] = true;
      all = all && change.synced[i];
    }
    if (all) MakeDurable(change);
  }
  changes_.erase(std::remove_if(changes_.begin(), changes_.end(),
                                [](const Change& change) {
                                  return std::find(change.synced.begin(), change.synced.end(),
                                                   false) == change.synced.end();
                                }),
                 changes_.end());
  return absl::OkStatus();
}

void MemoryTree::Crash(uint64_t changes_kept) {
  for (uint64_t i = 0; i < changes_.size() && i < changes_kept; ++i) MakeDurable(changes_[i]);
  changes_.clear();
  std::set<Inode*> seen;
  std::vector<InodePtr> open{root_};
  while (!open.empty()) {
    const InodePtr inode = std::move(open.back());
    open.pop_back();
    if (!seen.insert(inode.get()).second) continue;
    inode->bytes = inode->durable_bytes;
    inode->entries = inode->durable_entries;
    for (const auto& [name, child] : inode->entries) open.push_back(child);
  }
}

}  // namespace weir::testing

// What must hold: copies are equal and aligned, memory is used again whichever thread lets it go,
// and what waits for that is bounded.
#include "taskmanager/network/block_memory.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/thread.h"

namespace weir::network {
namespace {

std::string Text(size_t size, char fill) {
  return std::string(size, fill);
}

bool Holds(const types::Buffer& block, const std::string& text) {
  return StringView(static_cast<const char*>(block.data()), block.size()) == StringView(text);
}

TEST_CASE("BlockMemory copies blocks of any size to a 16-byte boundary", "[network][unit]") {
  const auto memory = std::make_shared<BlockMemory>();
  for (const size_t size : {size_t{1}, kMemoryStepBytes - 1, kMemoryStepBytes, kMemoryStepBytes + 1,
                            kKeptBlockBytesMax, kKeptBlockBytesMax + 1}) {
    const std::string text = Text(size, 'a');
    const types::Buffer block = memory->Copy(text);
    CHECK(Holds(block, text));
    CHECK(reinterpret_cast<uintptr_t>(block.data()) % 16 == 0);
  }
}

TEST_CASE("BlockMemory is used again once its last reader is gone", "[network][unit]") {
  const auto memory = std::make_shared<BlockMemory>();
  types::Buffer first = memory->Copy(Text(100'000, 'a'));
  const void* place = first.data();
  types::Buffer reader = first;
  first = types::Buffer();
  CHECK(memory->free_bytes() == 0);
  CHECK(Holds(reader, Text(100'000, 'a')));
  reader = types::Buffer();
  CHECK(memory->free_bytes() == 7 * kMemoryStepBytes);
  const types::Buffer second = memory->Copy(Text(110'000, 'b'));
  CHECK(second.data() == place);
  CHECK(Holds(second, Text(110'000, 'b')));
  CHECK(memory->free_bytes() == 0);
}

TEST_CASE("BlockMemory keeps a bounded amount", "[network][unit]") {
  const auto memory = std::make_shared<BlockMemory>();
  std::vector<types::Buffer> blocks;
  for (int i = 0; i < 40; ++i) blocks.push_back(memory->Copy(Text(kKeptBlockBytesMax, 'a')));
  blocks.clear();
  CHECK(memory->free_bytes() == kFreeMemoryBytesMax);
}

TEST_CASE("Blocks outlive the other owners of their memory and go on any thread",
          "[network][unit][threads]") {
  auto memory = std::make_shared<BlockMemory>();
  std::vector<std::unique_ptr<base::Thread>> threads;
  for (int i = 0; i < 3; ++i) {
    std::vector<types::Buffer> blocks;
    for (int n = 0; n < 50; ++n) blocks.push_back(memory->Copy(Text(20'000, 'a')));
    threads.push_back(std::make_unique<base::Thread>(
        "reader", [blocks = std::move(blocks)]() mutable { blocks.clear(); }));
  }
  for (int n = 0; n < 50; ++n) CHECK(Holds(memory->Copy(Text(20'000, 'b')), Text(20'000, 'b')));
  memory = nullptr;
}

}  // namespace
}  // namespace weir::network

// What must hold: whatever is done to a state table, it and each of its live snapshots equal a
// plain map that had the same done to it, in whatever order the snapshots are released.
#include <optional>

#include <catch2/catch.hpp>

#include "tests/unit/common/state/table_samples.h"

namespace weir::state {
namespace {

struct Variant {
  const char* name;
  KeyFormat key;
  uint32_t value_bytes;
  uint32_t blob_fields;
  uint32_t max_parallelism;
  uint64_t key_count;
  size_t key_bytes_max;
  uint64_t share;  // of the operations
  // Small chunks, so that directories grow deep with few keys.
  uint32_t chunk_bytes = kChunkBytes;
};

const Variant kVariants[] = {
    {"few hot int64 keys", KeyFormat::Fixed8(), 8, 0, 10, 80, 8, 1},
    {"many int64 keys", KeyFormat::Fixed8(), 8, 0, 4, 6000, 8, 1},
    {"int64 keys with blobs", KeyFormat::Fixed8(), 24, 2, 3, 400, 8, 1},
    {"short byte keys", KeyFormat::Bytes(16), 8, 0, 4, 3000, 12, 1},
    {"byte keys inline and out of line with a blob", KeyFormat::Bytes(), 16, 1, 7, 600, 60, 1},
    {"one group with a deep directory", KeyFormat::Fixed8(), 8, 0, 1, 150'000, 8, 4, 1024},
    {"widest key slots, values empty", KeyFormat::Bytes(32), 0, 0, 5, 2000, 40, 1},
};

struct Model {
  uint64_t number = 0;
  std::vector<std::optional<std::string>> blobs;
};
using ModelTable = std::map<std::string, Model>;

// Fails the test with the operation at hand; CHECK would be too slow here.
void Expect(bool holds, const char* what) {
  if (!holds) FAIL(what);
}

ValueLayout LayoutOf(const Variant& variant) {
  ValueLayout layout{variant.value_bytes, {}};
  for (uint32_t i = 0; i < variant.blob_fields; ++i) layout.blob_offsets.push_back(8 + 8 * i);
  return layout;
}

class Fuzz {
 public:
  Fuzz(const Variant& variant, uint64_t seed)
      : variant_(variant),
        random_(seed),
        shape_(
            {{0, variant.max_parallelism - 1},
             variant.max_parallelism,
             std::make_shared<TableLayout>(variant.key, LayoutOf(variant), variant.chunk_bytes)}),
        table_(memory_, shape_) {}

  void Run(uint64_t operation_count) {
    uint64_t next_snapshot = 500;
    while (operations_ < operation_count) {
      Step();
      if (operations_ < next_snapshot) continue;
      next_snapshot = operations_ + 500 + model_.size() / 2;
      StepSnapshots();
    }
    CompareTable();
    while (!live_.empty()) ReleaseOne();
    table_.Clear();
    for (int i = 0; i < 100'000 && memory_->waiting_block_count() > 0; ++i) memory_->Reclaim(100);
    Expect(memory_->waiting_block_count() == 0, "blocks wait though no snapshot lives");
  }

 private:
  struct Live {
    TableSnapshot snapshot;
    ModelTable model;
  };

  std::string RandomKey() {
    const uint64_t n = random_.Below(variant_.key_count);
    if (variant_.key.kind == KeyFormat::Kind::kFixed8) {
      // The key that looks like an unused slot is among them.
      return FixedKey(n == 7 ? static_cast<int64_t>(0xfefefefefefefefeULL)
                             : static_cast<int64_t>(n % 3 == 0 ? n : base::MixBits(n)));
    }
    const uint64_t mixed = base::MixBits(n);
    std::string key = std::to_string(n);
    key.resize(mixed % (variant_.key_bytes_max + 1), static_cast<char>(mixed >> 32));
    return key;
  }
  std::string RandomBytes() {
    return std::string(random_.OneIn(20) ? random_.Below(5000) : random_.Below(40),
                       static_cast<char>(random_.Next()));
  }
  Model& ModelOf(const std::string& key) {
    Model& model = model_[key];
    model.blobs.resize(variant_.blob_fields);
    return model;
  }

  void Step() {
    const uint64_t kind = random_.Below(100);
    if (kind < 45) {
      UpdateBatch();
    } else if (kind < 60) {
      Erase();
    } else if (kind < 80) {
      ChangeBlob();
    } else if (kind < 90) {
      FindOne();
    } else if (kind < 99) {
      ProbeBatch();
    } else if (random_.OneIn(300)) {
      ++operations_;
      table_.Clear();
      model_.clear();
    } else if (random_.OneIn(20)) {
      EraseMost();
    }
  }

  void UpdateBatch() {
    std::vector<std::string> keys;
    for (uint64_t i = random_.Below(variant_.key_count / 200 + 80) + 1; i > 0; --i)
      keys.push_back(RandomKey());
    const types::KeyBatch batch = BatchOf(variant_.key, keys);
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < keys.size(); ++row) {
      if (!random_.OneIn(3)) rows.push_back(row);
    }
    types::PodVector<std::byte*> values;
    types::PodVector<uint8_t> inserted;
    Expect(table_.ProbeOrInsert(batch, rows, &values, &inserted).ok(), "ProbeOrInsert fails");
    operations_ += rows.size();
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string& key = keys[rows[i]];
      const bool is_new = model_.find(key) == model_.end();
      Expect((inserted[i] != 0) == is_new, "inserted is wrong");
      Model& model = ModelOf(key);
      if (variant_.value_bytes == 0) continue;
      Expect(NumberAt(values[i]) == model.number, "a value differs");
      model.number += random_.Below(100) + 1;
      SetNumber(values[i], model.number);
    }
  }

  void Erase() {
    ++operations_;
    const std::string key = RandomKey();
    const absl::StatusOr<bool> erased = table_.Erase(KeyOf(shape_, key));
    Expect(erased.ok(), "Erase fails");
    Expect(*erased == (model_.erase(key) == 1), "Erase is wrong about what was there");
  }

  void EraseMost() {
    while (model_.size() > 3) {
      const auto victim = random_.OneIn(2) ? model_.begin() : std::prev(model_.end());
      Expect(*table_.Erase(KeyOf(shape_, victim->first)), "a key is missing");
      model_.erase(victim);
      ++operations_;
    }
  }

  void ChangeBlob() {
    if (variant_.blob_fields == 0) return;
    ++operations_;
    const std::string key = RandomKey();
    std::byte* value = *table_.FindOrInsert(KeyOf(shape_, key));
    Model& model = ModelOf(key);
    const size_t field = random_.Below(variant_.blob_fields);
    std::optional<std::string>& blob = model.blobs[field];
    switch (random_.Below(4)) {
      case 0:
        table_.ClearBlob(value, field);
        blob.reset();
        return;
      case 1: {
        const size_t size = blob.value_or("").size() + random_.Below(9);
        const std::span<std::byte> bytes = table_.MutableBlob(value, field, size);
        if (!blob.has_value()) blob.emplace();
        blob->resize(size, '\0');
        Expect(std::memcmp(bytes.data(), blob->data(), size) == 0, "a mutable blob differs");
        if (size == 0) return;
        (*blob)[size / 2] = 'm';
        bytes[size / 2] = std::byte{'m'};
        return;
      }
      default:
        blob = RandomBytes();
        table_.SetBlob(value, field, *blob);
    }
  }

  void FindOne() {
    ++operations_;
    const std::string key = RandomKey();
    const std::byte* value = *table_.Find(KeyOf(shape_, key));
    const auto model = model_.find(key);
    Expect((value != nullptr) == (model != model_.end()), "Find is wrong about what is there");
    if (value != nullptr) CompareEntry(model->second, value);
  }

  void ProbeBatch() {
    std::vector<std::string> keys;
    for (uint64_t i = random_.Below(50); i > 0; --i) keys.push_back(RandomKey());
    types::PodVector<const std::byte*> values;
    Expect(table_.Probe(BatchOf(variant_.key, keys), &values).ok(), "Probe fails");
    operations_ += keys.size();
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto model = model_.find(keys[i]);
      Expect((values[i] != nullptr) == (model != model_.end()), "Probe is wrong");
      if (values[i] != nullptr) CompareEntry(model->second, values[i]);
    }
  }

  void StepSnapshots() {
    if (live_.size() < 4 && !random_.OneIn(4)) live_.push_back({table_.Snapshot(), model_});
    if (!live_.empty()) CompareSnapshot(live_[random_.Below(live_.size())]);
    if (random_.OneIn(5)) CompareTable();
    while (!live_.empty() && random_.OneIn(2)) ReleaseOne();
  }

  void ReleaseOne() {
    const size_t index = random_.Below(live_.size());
    CompareSnapshot(live_[index]);
    live_[index].snapshot.Release();
    live_[index].snapshot.Release();
    live_.erase(live_.begin() + static_cast<ptrdiff_t>(index));
  }

  void CompareEntry(const Model& model, const std::byte* value) const {
    if (variant_.value_bytes > 0) Expect(NumberAt(value) == model.number, "a value differs");
    for (size_t field = 0; field < variant_.blob_fields; ++field) {
      const std::optional<std::string>& blob = model.blobs[field];
      Expect(table_.HasBlob(value, field) == blob.has_value(), "a blob is missing or too much");
      if (blob.has_value()) Expect(table_.GetBlob(value, field) == *blob, "a blob differs");
    }
  }

  void CompareContents(TableCursor cursor, const ModelTable& model) const {
    size_t count = 0;
    uint32_t last_group = 0;
    for (; cursor.Next(); ++count) {
      const std::string key(cursor.key().data(), cursor.key().size());
      const auto entry = model.find(key);
      Expect(entry != model.end(), "a key is there that should not");
      CompareEntry(entry->second, cursor.value());
      Expect(cursor.group() == KeyOf(shape_, key).group, "a key lies in another group");
      Expect(cursor.group() >= last_group, "groups are not in order");
      last_group = cursor.group();
    }
    Expect(count == model.size(), "the number of keys differs");
  }
  void CompareTable() const {
    Expect(table_.size() == model_.size(), "size() differs");
    CompareContents(table_.Read().cursor, model_);
  }
  void CompareSnapshot(const Live& live) const {
    Expect(live.snapshot.size() == live.model.size(), "a snapshot's size() differs");
    CompareContents(live.snapshot.Read(shape_.range), live.model);
  }

  const Variant& variant_;
  base::Random random_;
  const std::shared_ptr<VersionedMemory> memory_ = std::make_shared<VersionedMemory>();
  const TableShape shape_;
  StateTable table_;
  ModelTable model_;
  std::vector<Live> live_;
  uint64_t operations_ = 0;
};

void RunAll(uint64_t operation_count) {
  for (const Variant& variant : kVariants) {
    const uint64_t seed = TestSeed(42);
    INFO("WEIR_TEST_SEED=" << seed << " variant: " << variant.name);
    Fuzz(variant, seed).Run(operation_count * variant.share / 10);
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("a state table and its snapshots equal a plain map", "[state][unit]") {
  RunAll(500'000);
}

TEST_CASE("a state table and its snapshots equal a plain map for long", "[state][unit][.slow]") {
  RunAll(10'000'000);
}

}  // namespace weir::state

// Backends with every kind of state in them, and what they hold as plain data.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/state/keyed_backend.h"
#include "common/state/timers.h"
#include "tests/unit/common/state/string_streams.h"
#include "tests/unit/common/state/table_samples.h"

namespace weir::state {

inline StateSpec CountSpec() {
  return {.name = "count",
          .kind = StateKind::kAggregating,
          .key = KeyFormat::Fixed8(),
          .value = {16, {}},
          .signature = "count:int64,sum:int64"};
}
inline StateSpec WordsSpec() {
  return {.name = "words",
          .kind = StateKind::kList,
          .key = KeyFormat::Bytes(),
          .value = {24, {8, 16}},
          .signature = "seen:int64,first:string,last:string"};
}

// (state, namespace, key) -> value and blobs, as text.
using KeyedContents = std::map<std::tuple<std::string, int64_t, std::string>, std::string>;

// One subtask's backend: "count" by namespace, "words" plain with blobs, and timers.
struct SampleBackend {
  KeyedBackend backend;
  NamespacedTable* counts;
  StateTable* words;
  std::unique_ptr<TimerQueue> timers;

  SampleBackend(KeyGroupRange range, uint32_t max_parallelism,
                std::shared_ptr<MemoryBudget> budget = nullptr)
      : backend(range, max_parallelism, std::move(budget)),
        counts(*backend.RegisterNamespaced(CountSpec())),
        words(*backend.Register(WordsSpec())),
        timers(*TimerQueue::Create(backend, "due")) {}

  // What `key` and `number` leave in each state. Keys outside the range are left to others.
  void Add(int64_t key, uint64_t number) {
    const std::string number_key = FixedKey(key);
    const TableKey fixed = KeyOf(counts->shape(), number_key);
    if (backend.range().Contains(fixed.group)) {
      StateTable& table = counts->Namespace(static_cast<int64_t>(number % 3) - 1);
      SetNumber(*table.FindOrInsert(fixed), number);
    }
    const std::string word(static_cast<size_t>(number % 50), static_cast<char>('a' + key % 26));
    const TableKey bytes = KeyOf(words->shape(), word);
    if (!backend.range().Contains(bytes.group)) return;
    std::byte* value = *words->FindOrInsert(bytes);
    SetNumber(value, number);
    words->SetBlob(value, 0, word + "!");
    if (number % 2 == 0) words->SetBlob(value, 1, "");
    const absl::Status registered =
        timers->Register(bytes, 5, static_cast<EventTimeUs>(number % 1000));
    WEIR_CHECK(registered.ok());
  }

  KeyedContents Contents() const {
    KeyedContents all;
    for (const auto& [name, table] : counts->tables()) {
      for (TableCursor at = table->Read().cursor; at.Next();) {
        all[{"count", name, std::string(at.key())}] = std::to_string(NumberAt(at.value()));
      }
    }
    for (TableCursor at = words->Read().cursor; at.Next();) {
      std::string& text = all[{"words", 0, std::string(at.key())}];
      text = std::to_string(NumberAt(at.value()));
      for (size_t field = 0; field < 2; ++field) {
        text += words->HasBlob(at.value(), field) ? " blob " : " none ";
        text += std::string(words->GetBlob(at.value(), field));
      }
    }
    StateTable* due = *const_cast<KeyedBackend&>(backend).Register(TimerSpec("due"));
    for (TableCursor at = due->Read().cursor; at.Next();) {
      all[{"due", 0, std::string(at.key())}] = "";
    }
    return all;
  }
};

inline absl::StatusOr<KeyedStateHandle> WriteToString(KeyedBackend& backend) {
  StringOutput output;
  return backend.Snapshot()->Write(output);
}

}  // namespace weir::state

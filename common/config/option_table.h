// OptionTable: the one description of a block of options. It parses the block, knows its defaults
// and writes its help and its reference page, so these cannot disagree.
//
//   struct CheckpointingOptions {
//     absl::Duration interval = absl::Seconds(30);
//     CheckpointMode mode = CheckpointMode::kExactlyOnce;
//     UnalignedOptions unaligned;
//   };
//   const OptionTable<CheckpointingOptions>& CheckpointingTable() {
//     static const auto table = [] {
//       OptionTable<CheckpointingOptions> t("checkpointing", "When and how snapshots are taken.");
//       t.Add("interval", &CheckpointingOptions::interval,
//             DurationOption{.min = absl::Milliseconds(10)}, "Time between checkpoints.");
//       t.Add("mode", &CheckpointingOptions::mode, EnumOption<CheckpointMode>({...}), "...");
//       t.AddBlock("unaligned", &CheckpointingOptions::unaligned, UnalignedTable(), "...");
//       return t;
//     }();
//     return table;
//   }
//
// A member is a plain value (its default is what the default-constructed struct holds), a
// std::optional (unset when the key is missing or null) or a Located. A default-constructed struct
// is always a valid set of options, but for required ones.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/string_view.h"
#include "common/config/located.h"
#include "common/config/option_kinds.h"

namespace weir::config {

class OptionBlock;

// One row of a table.
struct Option {
  std::string key;
  std::string type_text;
  // "" if there is nothing to show.
  std::string default_text;
  std::string description;
  bool is_required = false;
  // The table of a nested block, else null.
  const OptionBlock* block = nullptr;
  std::function<bool(const Node& node, void* object, Diagnostics* diagnostics)> read;
  std::function<std::string(const void* object)> format_default;
  // The options object of a nested block; null if this is no block.
  std::function<const void*(const void* object)> nested;

  Option& Required();
  // For defaults that no value expresses, such as "one per CPU".
  Option& Default(std::string text);
};

// An OptionTable without the type of its struct.
class OptionBlock {
 public:
  // `name` is how messages call the block: "unknown key 'x' in <name>".
  OptionBlock(std::string name, std::string description)
      : name_(std::move(name)), description_(std::move(description)) {}

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::vector<Option>& options() const { return options_; }

  // Keys that start with `prefix` are none of the table's business.
  void IgnorePrefix(std::string prefix) { ignored_prefix_ = std::move(prefix); }

  // Null: no such option. `-` and `_` count as the same.
  const Option* Find(StringView key) const;

 protected:
  bool ReadInto(const Node& node, void* object, Diagnostics* diagnostics) const;
  Option& Append(Option option);

 private:
  template <class T>
  friend class OptionTable;

  // Returns the option that the unknown key of `map` is taken for; null: none that it does not
  // have.
  const Option* ReportUnknown(const MapEntry& unknown, const Node& map,
                              Diagnostics* diagnostics) const;

  std::string name_;
  std::string description_;
  std::string ignored_prefix_;
  std::vector<Option> options_;
};

// How a kind reads into, and shows, the member types described above.
template <class Kind, class T>
bool ReadMember(const Kind& kind, const Node& node, T* member, Diagnostics* diagnostics) {
  return kind.Read(node, member, diagnostics);
}
template <class Kind, class T>
bool ReadMember(const Kind& kind, const Node& node, std::optional<T>* member,
                Diagnostics* diagnostics) {
  if (node.IsNull()) {
    member->reset();
    return true;
  }
  T value{};
  if (!ReadMember(kind, node, &value, diagnostics)) return false;
  *member = std::move(value);
  return true;
}
template <class Kind, class T>
bool ReadMember(const Kind& kind, const Node& node, Located<T>* member, Diagnostics* diagnostics) {
  member->node = &node;
  return ReadMember(kind, node, &member->value, diagnostics);
}

template <class Kind, class T>
std::string FormatMember(const Kind& kind, const T& member) {
  return kind.Format(member);
}
template <class Kind, class T>
std::string FormatMember(const Kind& kind, const std::optional<T>& member) {
  return member.has_value() ? FormatMember(kind, *member) : std::string();
}
template <class Kind, class T>
std::string FormatMember(const Kind& kind, const Located<T>& member) {
  return FormatMember(kind, member.value);
}

// Life:      usually a function-local constant; tables added with AddBlock must outlive it.
// Thread:    immutable after it is built.
// Invariant: no two options have the same key after folding.
template <class T>
class OptionTable : public OptionBlock {
 public:
  using OptionBlock::OptionBlock;

  // Sets what the map `node` says; other members keep what *options holds. Reports everything that
  // is wrong and still sets what is right. False: something was wrong.
  bool Read(const Node& node, T* options, Diagnostics* diagnostics) const {
    return ReadInto(node, options, diagnostics);
  }

  template <class Member, class Kind>
  Option& Add(std::string key, Member T::*member, Kind kind, std::string description) {
    Option option;
    option.key = std::move(key);
    option.type_text = kind.TypeText();
    option.description = std::move(description);
    option.format_default = [kind, member](const void* object) {
      return FormatMember(kind, static_cast<const T*>(object)->*member);
    };
    const T defaults{};
    option.default_text = option.format_default(&defaults);
    option.read = [kind = std::move(kind), member](const Node& node, void* object,
                                                   Diagnostics* diagnostics) {
      return ReadMember(kind, node, &(static_cast<T*>(object)->*member), diagnostics);
    };
    return Append(std::move(option));
  }

  // A nested map with a table of its own.
  template <class Member, class U>
  Option& AddBlock(std::string key, Member T::*member, const OptionTable<U>& table,
                   std::string description) {
    const BlockKind<U> kind{&table};
    Option& option = Add(std::move(key), member, kind, std::move(description));
    option.block = &table;
    option.nested = [member](const void* object) -> const void* {
      return &(static_cast<const T*>(object)->*member);
    };
    return option;
  }

  // The options of `table` as if they were declared here: what all steps have in common.
  template <class U>
  void Include(U T::*member, const OptionTable<U>& table) {
    const U own{};
    const T defaults{};
    for (Option option : table.options()) {
      const bool is_plain_default = option.default_text == option.format_default(&own);
      option.read = [read = option.read, member](const Node& node, void* object,
                                                 Diagnostics* diagnostics) {
        return read(node, &(static_cast<T*>(object)->*member), diagnostics);
      };
      option.format_default = [format = option.format_default, member](const void* object) {
        return format(&(static_cast<const T*>(object)->*member));
      };
      if (option.nested) {
        option.nested = [nested = option.nested, member](const void* object) {
          return nested(&(static_cast<const T*>(object)->*member));
        };
      }
      if (is_plain_default) option.default_text = option.format_default(&defaults);
      Append(std::move(option));
    }
  }

 private:
  template <class U>
  struct BlockKind {
    const OptionTable<U>* table;

    bool Read(const Node& node, U* value, Diagnostics* diagnostics) const {
      return table->Read(node, value, diagnostics);
    }
    std::string TypeText() const { return "block"; }
    std::string Format(const U&) const { return ""; }
  };
};

}  // namespace weir::config

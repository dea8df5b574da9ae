// JsonBlockReader: rows of a block of JSON lines, read token by token: the fast way.
// It takes what it can be sure of: a line that is one well-formed object whose wanted values have
// their types. Of anything else it says no, and JsonDecoder reads that line by itself, which
// decides. So whatever this accepts, the other must accept with the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/string_view.h"
#include "common/types/json/json_fields.h"
#include "common/types/json/json_token_index.h"
#include "common/types/row_slots.h"

namespace weir::types {

// Thread: confined to one thread.
class JsonBlockReader {
 public:
  // Both outlive this.
  JsonBlockReader(JsonFields& fields, RowSlots& slots, bool unknown_fields_fail)
      : fields_(fields), slots_(slots), unknown_fields_fail_(unknown_fields_fail) {}

  // Looks at bytes [begin, end) of `bytes`. False: nothing can be said of its lines.
  // REQUIRES: no line begins before `begin` and ends behind it, or the same with `end`.
  bool Start(StringView bytes, size_t begin, size_t end);

  // Fills the slots with the object that begins at `begin` and is all there is up to `next`, where
  // the next line's object begins, or which is the block's end. False: not surely a good row.
  // Lines must come in order, but may be left out.
  bool ReadRow(uint64_t row_number, size_t begin, size_t next);
  // Whether the row that was read last has a value in every slot.
  bool HasAllValues() const { return filled_ == slots_.schema().size(); }

 private:
  // Empties the slots that the row has not filled.
  void MarkMissing();
  bool ReadObject(size_t object_index);
  bool ReadField(JsonField& field);
  bool ReadValue(const DataType& type, Slot* slot);
  bool ReadInteger(int64_t min, int64_t max, Slot* slot);
  // The same for negative and long numbers and such with blanks behind; the token stays.
  bool ReadAnyInteger(int64_t* value);
  bool ReadDouble(Slot* slot);
  bool ReadDecimal(const DataType& type, Slot* slot);
  bool ReadString(StringView* text);
  // Makes `text` what it stands for, if it has escapes.
  bool ReplaceEscapes(StringView* text);
  // Takes the key at the cursor and its colon, if it is the one the rows before had there.
  bool ReadExpectedKey(const JsonObject& object, size_t place, size_t* field);
  // The same for any key.
  bool ReadKey(JsonObject& object, size_t place, size_t* field);
  bool SkipValue();

  const char* Token() const { return block_.data() + offsets_[at_]; }
  // The bytes from the token to the next one, without blanks at the end.
  StringView TokenText() const;
  bool Take(char token) {
    if (*Token() != token) return false;
    ++at_;
    return true;
  }

  JsonFields& fields_;
  RowSlots& slots_;
  const bool unknown_fields_fail_;
  JsonTokenIndex index_;

  StringView block_;
  size_t base_ = 0;           // offset of block_ in the bytes given to Start()
  bool has_escapes_ = false;  // whether any backslash is in it
  const uint32_t* offsets_ = nullptr;
  size_t at_ = 0;  // the next token; at most index_.size()
  uint64_t row_number_ = 0;
  size_t filled_ = 0;      // slots the row has given a value
  std::string unescaped_;  // of the row's strings; has room for all of them
};

}  // namespace weir::types

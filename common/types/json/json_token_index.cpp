#include "common/types/json/json_token_index.h"

#include <simdjson.h>

#include "common/types/row_decoder.h"

namespace weir::types {
namespace {

// The parser allocates anew whenever it is given another capacity, so capacities come in steps.
constexpr size_t kCapacityMin = 64u << 10;

}  // namespace

// simdjson marks this interface as internal; it is what its own parsers are built on, and Debian 12
// keeps the version.
struct JsonTokenIndex::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
  size_t capacity = kCapacityMin;
};

static_assert(kDecodePadding >= simdjson::SIMDJSON_PADDING);

JsonTokenIndex::JsonTokenIndex() : parser_(std::make_unique<Parser>()) {
}

JsonTokenIndex::~JsonTokenIndex() = default;

bool JsonTokenIndex::Build(StringView block) {
  size_ = 0;
  Parser& parser = *parser_;
  if (parser.stage == nullptr || parser.capacity < block.size()) {
    while (parser.capacity < block.size()) parser.capacity *= 2;
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(
            parser.capacity, simdjson::DEFAULT_MAX_DEPTH, parser.stage)) {
      parser.stage.reset();
      return false;
    }
  }
  if (parser.stage->stage1(reinterpret_cast<const uint8_t*>(block.data()), block.size(),
                           simdjson::stage1_mode::regular)) {
    return false;
  }
  offsets_ = parser.stage->structural_indexes.get();
  size_ = parser.stage->n_structural_indexes;
  return true;
}

}  // namespace weir::types

#include "common/expr/vector_moves.h"

#include <cstring>

namespace weir::expr {
namespace {

using Positions = absl::Span<const uint32_t>;

// Copies values by their width alone, so that no type is read as another.
template <size_t width>
void ScatterValues(const Vector& from, Positions positions, void* to) {
  const char* source = static_cast<const char*>(from.values);
  char* target = static_cast<char*>(to);
  const size_t step = from.is_constant ? 0 : width;
  for (size_t k = 0; k < positions.size(); ++k) {
    std::memcpy(target + positions[k] * width, source + k * step, width);
  }
}

template <size_t width>
void GatherValues(const Vector& from, Positions positions, void* to) {
  const char* source = static_cast<const char*>(from.values);
  char* target = static_cast<char*>(to);
  for (size_t k = 0; k < positions.size(); ++k) {
    std::memcpy(target + k * width, source + positions[k] * width, width);
  }
}

}  // namespace

Vector NewNulls(const types::DataType& type, size_t size, Arena* arena) {
  Vector vector{.type = type};
  const size_t bytes = size * VectorWidth(type.kind);
  void* values = arena->Allocate(bytes);
  std::memset(values, 0, bytes);
  vector.values = values;
  vector.own_validity = arena->NewArray<uint8_t>(size);
  std::memset(vector.own_validity, 0, size);
  vector.validity = vector.own_validity;
  return vector;
}

void ScatterVector(const Vector& from, Positions positions, Vector* to) {
  // NewNulls() made this memory to be written.
  void* values = const_cast<void*>(to->values);
  switch (VectorWidth(to->type.kind)) {
    case 1:
      ScatterValues<1>(from, positions, values);
      break;
    case 4:
      ScatterValues<4>(from, positions, values);
      break;
    case 8:
      ScatterValues<8>(from, positions, values);
      break;
    default:
      ScatterValues<16>(from, positions, values);
  }
  for (size_t k = 0; k < positions.size(); ++k) {
    to->own_validity[positions[k]] = from.IsNull(k) ? 0 : 1;
  }
}

Vector GatherVector(const Vector& from, Positions positions, Arena* arena) {
  if (from.is_constant) return from;
  Vector vector{.type = from.type};
  void* values = arena->Allocate(positions.size() * VectorWidth(from.type.kind));
  vector.values = values;
  switch (VectorWidth(from.type.kind)) {
    case 1:
      GatherValues<1>(from, positions, values);
      break;
    case 4:
      GatherValues<4>(from, positions, values);
      break;
    case 8:
      GatherValues<8>(from, positions, values);
      break;
    default:
      GatherValues<16>(from, positions, values);
  }
  if (from.validity == nullptr) return vector;
  uint8_t* validity = arena->NewArray<uint8_t>(positions.size());
  GatherValues<1>({.type = from.type, .values = from.validity}, positions, validity);
  vector.validity = validity;
  return vector;
}

}  // namespace weir::expr

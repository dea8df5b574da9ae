// The order that min and max go by: the values' own; NaN is above every other double, as in sorts.
#pragma once

#include <cmath>

namespace weir::operators {

template <class T>
bool IsBelow(const T& a, const T& b) {
  return a < b;
}
template <>
inline bool IsBelow(const double& a, const double& b) {
  return a < b || (!std::isnan(a) && std::isnan(b));
}

}  // namespace weir::operators

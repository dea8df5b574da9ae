// WEIR_RETURN_IF_ERROR and WEIR_ASSIGN_OR_RETURN: early return of a failed Status.
// They have no braces, which would count as nesting where they are used.
#pragma once

#include <utility>

#include <absl/base/optimization.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#define WEIR_RETURN_IF_ERROR(expression)                                           \
  do                                                                               \
    if (::absl::Status weir_status = (expression); !weir_status.ok()) [[unlikely]] \
      return weir_status;                                                          \
  while (false)

#define WEIR_STATUS_CONCAT_INNER(a, b) a##b
#define WEIR_STATUS_CONCAT(a, b) WEIR_STATUS_CONCAT_INNER(a, b)

// WEIR_ASSIGN_OR_RETURN(const T value, FunctionReturningStatusOr());
#define WEIR_ASSIGN_OR_RETURN(target, expression) \
  WEIR_ASSIGN_OR_RETURN_INNER(WEIR_STATUS_CONCAT(weir_or_, __LINE__), target, expression)

#define WEIR_ASSIGN_OR_RETURN_INNER(temporary, target, expression) \
  auto temporary = (expression);                                   \
  if (!temporary.ok()) [[unlikely]]                                \
    return std::move(temporary).status();                          \
  target = *std::move(temporary)

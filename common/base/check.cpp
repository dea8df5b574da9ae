#include "common/base/check.h"

#include <glog/logging.h>

namespace weir::base {

void CheckFailed(const char* condition, const char* file, int line) {
  google::LogMessageFatal(file, line).stream() << "check failed: " << condition;
  __builtin_unreachable();
}

}  // namespace weir::base

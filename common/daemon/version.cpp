#include "common/daemon/version.h"

namespace weir::daemon {

StringView Version() {
  return WEIR_VERSION;
}

StringView BuildType() {
  return WEIR_BUILD_TYPE;
}

}  // namespace weir::daemon

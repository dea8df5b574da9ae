#include "common/base/standard_descriptors.h"

#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include "common/base/check.h"

namespace weir::base {

void FillStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The wrong way round, so that using it is the error that it would have been.
    const int filled = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    WEIR_CHECK(filled < 0 || filled == descriptor);
  }
}

}  // namespace weir::base

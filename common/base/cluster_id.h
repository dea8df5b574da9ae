// ClusterId: names what epochs are counted in.
#pragma once

#include "common/base/ids.h"

namespace weir {

// Of the storage directory of a cluster, or of one jobmanager process that has none: two epochs can
// only be compared within one of these. Nil: not told.
using ClusterId = base::Id128<struct ClusterTag>;

}  // namespace weir

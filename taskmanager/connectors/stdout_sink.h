// StdoutSink: one line a row on an output descriptor, as rows arrive. Not transactional: after a
// restore rows since the checkpoint appear again.
#pragma once

#include <memory>

#include "common/graph/steps/specs.h"
#include "common/types/row_encoder.h"
#include "taskmanager/operators/operator.h"

namespace weir::connectors {

// `descriptor`: 1, or another one that outlives the sink. Lines of several subtasks never mix.
std::unique_ptr<operators::Operator> MakeStdoutSink(graph::SinkChangelog changelog,
                                                    std::unique_ptr<types::RowEncoder> encoder,
                                                    int descriptor);

}  // namespace weir::connectors

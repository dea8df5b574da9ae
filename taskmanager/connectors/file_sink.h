// FileSink: rows as part files in a directory, each visible exactly once, by two-phase commit.
// A part is written under a temporary name and ended by the next barrier (pre-commit): its rows
// belong to that checkpoint. It is synced before the checkpoint is acknowledged, and renamed once
// the checkpoint is known to be complete (commit). Every snapshot holds all parts that are ended
// and not committed, so one that a lost notification left behind commits with the next, and a
// restore commits all of them again. Nothing that was not ended by a restored checkpoint survives:
// file_sink_cleanup.h removes it before the first subtask starts.
#pragma once

#include <memory>

#include "common/graph/connectors/file_options.h"
#include "common/graph/steps/specs.h"
#include "common/types/row_encoder.h"
#include "taskmanager/operators/operator.h"

namespace weir::connectors {

// Bytes gathered before they are written to a part.
inline constexpr size_t kPartBufferBytes = 256u << 10;

std::unique_ptr<operators::Operator> MakeFileSink(graph::FileSinkOptions options,
                                                  graph::SinkChangelog changelog,
                                                  std::unique_ptr<types::RowEncoder> encoder);

}  // namespace weir::connectors

// The codes of everything that can be wrong with user input, each with one line of explanation.
// A code keeps its meaning for ever. E01 structure, E02 expressions, E03 types and schemas,
// E04 graph and changelog, E05 connectors and formats; W0xyy warns and N0xyy notes about E0x
// things.
#pragma once

#include <absl/types/span.h>

#include "common/base/string_view.h"

namespace weir::config {

// Compared by address of `id`'s text, that is by value.
struct DiagnosticCode {
  const char* id;
  const char* explanation;
};

// One line adds a code: constant, id, explanation.
#define WEIR_DIAGNOSTIC_CODES(X)                                                                   \
  X(kYamlSyntax, "E0100", "The file is not valid YAML.")                                           \
  X(kUnknownKey, "E0101", "The block has no option of this name.")                                 \
  X(kDuplicateKey, "E0102", "A key appears twice in one map; `-` and `_` count as the same.")      \
  X(kMissingKey, "E0103", "A required option is not set.")                                         \
  X(kWrongStructure, "E0104", "A single value, a list or a map stands where another is expected.") \
  X(kBadValue, "E0105", "The value is not of the option's type.")                                  \
  X(kOutOfRange, "E0106", "The value is smaller or larger than the option allows.")                \
  X(kBadId, "E0107", "An id must match [a-z][a-z0-9_-]{0,62}.")                                    \
  X(kDuplicateId, "E0108", "Two steps, or two columns of one list, share a name.")                 \
  X(kLimitExceeded, "E0109", "The file is larger or deeper than a fixed limit allows.")            \
  X(kMergeKey, "E0110", "The YAML merge key `<<` is not supported.")                               \
  X(kSeveralDocuments, "E0111", "A file holds exactly one YAML document.")                         \
  X(kBadAlias, "E0112", "An alias names no anchor, or contains itself.")                           \
  X(kNotText, "E0113", "The file is not UTF-8 text.")                                              \
  X(kMissingVariable, "E0114", "An interpolated variable has no value and no default.")            \
  X(kBadInterpolation, "E0115", "The text after `${` is not an interpolation that Weir knows.")    \
  X(kTagNotSupported, "E0116", "YAML tags such as `!!str` are not supported.")                     \
  X(kUnsupportedVersion, "E0117", "This Weir does not read the descriptor version.")               \
  X(kUnreadableFile, "E0118", "The file cannot be read.")                                          \
  X(kNotAvailable, "E0119", "The option exists, but not with this value or in this place.")        \
  X(kConflictingOptions, "E0120", "Two options exclude each other, or one needs another.")         \
  X(kExpressionSyntax, "E0201", "The expression does not parse.")                                  \
  X(kUnknownFunction, "E0202", "No function has this name and these argument types.")              \
  X(kUnknownColumn, "E0203", "The input has no column of this name.")                              \
  X(kExpressionType, "E0204", "An operand or result of the expression has the wrong type.")        \
  X(kUnsupportedExpression, "E0205", "PostgreSQL knows this form of expression, Weir does not.")   \
  X(kAmbiguousColumn, "E0206", "A column name fits more than one column.")                         \
  X(kExpressionTooLarge, "E0207", "The expression is longer or deeper than a fixed limit.")        \
  X(kBadConstant, "E0208", "A constant of the expression is out of range or malformed.")           \
  X(kNotAnAggregate, "E0209", "An aggregate call is expected here, such as count(*).")             \
  X(kMisplacedAggregate, "E0210", "An aggregate call is not allowed here.")                        \
  X(kNotBoolean, "E0211", "A condition must be boolean.")                                          \
  X(kUnknownType, "E0301", "No type has this name.")                                               \
  X(kBadTypeText, "E0302", "The type text does not parse.")                                        \
  X(kUnknownSchema, "E0303", "`types` has no schema of this name.")                                \
  X(kDuplicateColumn, "E0304", "A schema names a column twice.")                                   \
  X(kSchemaMismatch, "E0305", "Two schemas that must agree differ.")                               \
  X(kBadPrecision, "E0306",                                                                        \
    "A decimal has more digits than 38, or more after the point than all.")                        \
  X(kBadDefault, "E0307", "A default value does not fit its column.")                              \
  X(kUnsupportedColumnType, "E0308", "The column's type cannot be used here.")                     \
  X(kMissingSchema, "E0309", "A schema is needed here.")                                           \
  X(kUnknownInput, "E0401", "No step or port has this id.")                                        \
  X(kCycle, "E0402", "Steps feed each other in a circle.")                                         \
  X(kNothingToRun, "E0403", "A job needs at least one source and one sink.")                       \
  X(kPortNotConsumed, "E0404", "Nobody reads an output port.")                                     \
  X(kMissingEventTime, "E0405", "The step needs event time, and its input has none.")              \
  X(kParallelismTooHigh, "E0406", "A parallelism exceeds max_parallelism.")                        \
  X(kDuplicateUid, "E0407", "Two steps share a uid and so would share state.")                     \
  X(kUpdatingInput, "E0411", "The step cannot take an updating stream.")                           \
  X(kSinkChangelog, "E0412", "The sink cannot write the changes that its input makes.")            \
  X(kSinkKey, "E0413", "The sink's key does not identify the rows of its input.")                  \
  X(kUnknownStepType, "E0414", "No transform has this type.")                                      \
  X(kBadWindow, "E0415", "The window is not possible.")                                            \
  X(kUnknownConnector, "E0501", "No connector has this name for this use.")                        \
  X(kUnknownFormat, "E0502", "No format has this name, or the connector does not take it.")        \
  X(kConnectorOption, "E0503", "A connector option is wrong or missing.")                          \
  X(kPathNotUsable, "E0504", "A path of a connector does not exist or cannot be used.")            \
  X(kUnusedVariableText, "W0101", "A value looks like an interpolation, but is not one.")          \
  X(kUnusedStep, "W0401", "Nobody reads the output of a step.")                                    \
  X(kUnboundedState, "W0301", "State grows without bound.")                                        \
  X(kGlobalGroup, "N0401", "An empty key_by makes one global group, at parallelism 1.")            \
  X(kDroppedChanges, "N0402", "The sink drops changes on purpose.")

#define WEIR_DECLARE_CODE(constant, id, explanation) \
  inline constexpr DiagnosticCode constant{id, explanation};

namespace codes {
WEIR_DIAGNOSTIC_CODES(WEIR_DECLARE_CODE)
}  // namespace codes

#undef WEIR_DECLARE_CODE

// All codes in the order above, for `explain-error` and the reference page.
absl::Span<const DiagnosticCode> AllDiagnosticCodes();

// Null: no such code.
const DiagnosticCode* FindDiagnosticCode(StringView id);

}  // namespace weir::config

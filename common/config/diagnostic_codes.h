// The codes of everything that can be wrong with user input, each with one line of explanation
// and one of advice.
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
  // What to do about it. A diagnostic that says nothing more fitting gets it as its help.
  const char* help;
};

// One entry adds a code: constant, id, explanation, help.
#define WEIR_DIAGNOSTIC_CODES(X)                                                                   \
  X(kYamlSyntax, "E0100", "The file is not valid YAML.",                                           \
    "correct the YAML here; a value that has `: ` or ` #`, or begins with a sign of YAML, "        \
    "must be quoted")                                                                              \
  X(kUnknownKey, "E0101", "The block has no option of this name.",                                 \
    "remove the key, or correct its name")                                                         \
  X(kDuplicateKey, "E0102", "A key appears twice in one map; `-` and `_` count as the same.",      \
    "remove one of the two")                                                                       \
  X(kMissingKey, "E0103", "A required option is not set.", "set the option")                       \
  X(kWrongStructure, "E0104", "A single value, a list or a map stands where another is expected.", \
    "write what is asked for in place of what was found")                                          \
  X(kBadValue, "E0105", "The value is not of the option's type.",                                  \
    "write a value of the type that is asked for")                                                 \
  X(kOutOfRange, "E0106", "The value is smaller or larger than the option allows.",                \
    "choose a value within these bounds")                                                          \
  X(kBadId, "E0107", "An id must match [a-z][a-z0-9_-]{0,62}.",                                    \
    "begin with a letter a-z; then a-z, 0-9, _ and -, 63 characters in all")                       \
  X(kDuplicateId, "E0108", "Two steps, or two columns of one list, share a name.",                 \
    "rename or remove one of the two")                                                             \
  X(kLimitExceeded, "E0109", "The file is larger or deeper than a fixed limit allows.",            \
    "make it smaller, or divide the work over several jobs")                                       \
  X(kMergeKey, "E0110", "The YAML merge key `<<` is not supported.",                               \
    "write the keys out in each map")                                                              \
  X(kSeveralDocuments, "E0111", "A file holds exactly one YAML document.",                         \
    "keep what stands behind `---` in a file of its own")                                          \
  X(kBadAlias, "E0112", "An alias names no anchor, or contains itself.",                           \
    "put an anchor `&name` in front of the value that `*name` stands for, outside of it")          \
  X(kNotText, "E0113", "The file is not UTF-8 text.", "save the file as UTF-8 text")               \
  X(kMissingVariable, "E0114", "An interpolated variable has no value and no default.",            \
    "set the variable, or give it a default: ${NAME:-value}")                                      \
  X(kBadInterpolation, "E0115", "The text after `${` is not an interpolation that Weir knows.",    \
    "write ${NAME} or ${NAME:-default}; `$${` stands for a plain `${`")                            \
  X(kTagNotSupported, "E0116", "YAML tags such as `!!str` are not supported.",                     \
    "remove the tag; the option itself has a type")                                                \
  X(kUnsupportedVersion, "E0117", "This Weir does not read the descriptor version.",               \
    "write `weir: 1`")                                                                             \
  X(kUnreadableFile, "E0118", "The file cannot be read.",                                          \
    "check the path and that you may read the file")                                               \
  X(kNotAvailable, "E0119", "The option exists, but not with this value or in this place.",        \
    "choose something else that this version has")                                                 \
  X(kConflictingOptions, "E0120", "Two options exclude each other, or one needs another.",         \
    "remove the option, or change what it does not go with")                                       \
  X(kExpressionSyntax, "E0201", "The expression does not parse.",                                  \
    "write one PostgreSQL expression, such as `price * 2 > 100`")                                  \
  X(kUnknownFunction, "E0202", "No function has this name and these argument types.",              \
    "check the name and the number of its arguments; CAST(x AS type) changes an argument's type")  \
  X(kUnknownColumn, "E0203", "The input has no column of this name.",                              \
    "name a column of the input")                                                                  \
  X(kExpressionType, "E0204", "An operand or result of the expression has the wrong type.",        \
    "make the types fit with CAST(x AS type)")                                                     \
  X(kUnsupportedExpression, "E0205", "PostgreSQL knows this form of expression, Weir does not.",   \
    "write it with operators, functions, CASE, CAST, IN, BETWEEN, LIKE and IS")                    \
  X(kAmbiguousColumn, "E0206", "A column name fits more than one column.",                         \
    "write the step in front of the column: step.column")                                          \
  X(kExpressionTooLarge, "E0207", "The expression is longer or deeper than a fixed limit.",        \
    "compute a part of it in a `select` step before, and use that step's column here")             \
  X(kBadConstant, "E0208", "A constant of the expression is out of range or malformed.",           \
    "write a constant that the type can hold")                                                     \
  X(kNotAnAggregate, "E0209", "An aggregate call is expected here, such as count(*).",             \
    "count(*), count(x), count(distinct x), sum(x), avg(x), min(x) or max(x)")                     \
  X(kMisplacedAggregate, "E0210", "An aggregate call is not allowed here.",                        \
    "compute it in an `aggregate` step before, and use that step's column here")                   \
  X(kNotBoolean, "E0211", "A condition must be boolean.",                                          \
    "compare it with something, such as `x > 0` or `x IS NOT NULL`")                               \
  X(kUnknownType, "E0301", "No type has this name.",                                               \
    "use bool, int32, int64, double, string, timestamp, date or decimal(p,s)")                     \
  X(kBadTypeText, "E0302", "The type text does not parse.",                                        \
    "write a type such as `int64`, `decimal(12,2)` or `string not null`")                          \
  X(kUnknownSchema, "E0303", "`types` has no schema of this name.",                                \
    "add the schema under `types`, or correct the name")                                           \
  X(kDuplicateColumn, "E0304", "A schema names a column twice.", "rename one of the two")          \
  X(kSchemaMismatch, "E0305", "Two schemas that must agree differ.",                               \
    "give both the same columns, for example with a `select` step")                                \
  X(kBadPrecision, "E0306",                                                                        \
    "A decimal has more digits than 38, or more after the point than all.",                        \
    "decimal(p,s) with 1 <= p <= 38 digits, of which 0 <= s <= p are behind the point")            \
  X(kBadDefault, "E0307", "A default value does not fit its column.",                              \
    "write a value of the column's type, or remove the default")                                   \
  X(kUnsupportedColumnType, "E0308", "The column's type cannot be used here.",                     \
    "change the column to a type that is allowed here")                                            \
  X(kMissingSchema, "E0309", "A schema is needed here.",                                           \
    "schema: NAME, with the columns under `types: {NAME: {...}}`")                                 \
  X(kUnknownInput, "E0401", "No step or port has this id.", "name a source or a transform")        \
  X(kCycle, "E0402", "Steps feed each other in a circle.",                                         \
    "let one of these steps read another input, so that rows flow from sources to sinks")          \
  X(kNothingToRun, "E0403", "A job needs at least one source and one sink.",                       \
    "add a source under `sources` and a sink under `sinks`")                                       \
  X(kPortNotConsumed, "E0404", "Nobody reads an output port.", "read the port in another step")    \
  X(kMissingEventTime, "E0405", "The step needs event time, and its input has none.",              \
    "say at the source where event time comes from: event_time: {column: ts, watermark: 5s}")      \
  X(kParallelismTooHigh, "E0406", "A parallelism exceeds max_parallelism.",                        \
    "lower the parallelism, or raise `settings.max_parallelism`")                                  \
  X(kDuplicateUid, "E0407", "Two steps share a uid and so would share state.",                     \
    "give one of them another `uid`")                                                              \
  X(kUpdatingInput, "E0411", "The step cannot take an updating stream.",                           \
    "use rows that stay as they are: read them before they are aggregated")                        \
  X(kSinkChangelog, "E0412", "The sink cannot write the changes that its input makes.",            \
    "write the changes with `changelog: log`, or make the rows final with a `window`")             \
  X(kSinkKey, "E0413", "The sink's key does not identify the rows of its input.",                  \
    "make the sink's key the key of its input")                                                    \
  X(kUnknownStepType, "E0414", "No transform has this type.",                                      \
    "use filter, select, unnest, union or aggregate")                                              \
  X(kBadWindow, "E0415", "The window is not possible.", "choose other lengths for the window")     \
  X(kUnknownConnector, "E0501", "No connector has this name for this use.",                        \
    "correct the connector's name")                                                                \
  X(kUnknownFormat, "E0502", "No format has this name, or the connector does not take it.",        \
    "choose a format that the connector takes")                                                    \
  X(kConnectorOption, "E0503", "A connector option is wrong or missing.",                          \
    "correct the option, or remove it for its default")                                            \
  X(kPathNotUsable, "E0504", "A path of a connector does not exist or cannot be used.",            \
    "use another path")                                                                            \
  X(kUnusedVariableText, "W0101", "A value looks like an interpolation, but is not one.",          \
    "write `$${` for a plain `${`")                                                                \
  X(kMissingPath, "W0501", "A file that a source reads does not exist here.",                      \
    "create it before the job runs, or correct the path")                                          \
  X(kUnusedStep, "W0401", "Nobody reads the output of a step.",                                    \
    "read it in another step or a sink, or remove it")                                             \
  X(kUnboundedState, "W0301", "State grows without bound.",                                        \
    "a `window` lets go of groups as it closes; or count on memory for all keys")                  \
  X(kGlobalGroup, "N0401", "An empty key_by makes one global group, at parallelism 1.",            \
    "a key in `key_by` lets several subtasks share the work")                                      \
  X(kDroppedChanges, "N0402", "The sink drops changes on purpose.", "`changelog: log` writes them")

#define WEIR_DECLARE_CODE(constant, id, explanation, help) \
  inline constexpr DiagnosticCode constant{id, explanation, help};

namespace codes {
WEIR_DIAGNOSTIC_CODES(WEIR_DECLARE_CODE)
}  // namespace codes

#undef WEIR_DECLARE_CODE

// All codes in the order above, for `explain-error` and the reference page.
absl::Span<const DiagnosticCode> AllDiagnosticCodes();

// Null: no such code.
const DiagnosticCode* FindDiagnosticCode(StringView id);

}  // namespace weir::config

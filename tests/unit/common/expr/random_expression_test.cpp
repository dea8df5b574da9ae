// What must hold: evaluating many rows at once, under any selection, gives each row exactly what
// evaluating it alone gives, values and errors.
#include <cstdlib>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

uint64_t Seed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  return text == nullptr ? base::EntropySeed() : std::strtoull(text, nullptr, 10);
}

// Writes well-typed random expressions over TestSchema().
class Writer {
 public:
  explicit Writer(base::Random* random) : random_(*random) {}

  std::string Bool(int depth) {
    switch (depth <= 0 ? random_.Below(2) : random_.Below(14)) {
      case 0:
        return "b";
      case 1:
        return Pick({"true", "false", "null::bool", "(i > 0)"});
      case 2:
        return Join(Bool(depth - 1), "and", Bool(depth - 1));
      case 3:
        return Join(Bool(depth - 1), "or", Bool(depth - 1));
      case 4:
        return absl::StrCat("(not ", Bool(depth - 1), ")");
      case 5:
        return absl::StrCat("(", Bool(depth - 1), " is ", Pick({"", "not "}),
                            Pick({"null", "true", "false"}), ")");
      case 6:
        return Join(Number(depth - 1), Comparison(), Number(depth - 1));
      case 7:
        return Join(Text(depth - 1), Comparison(), Text(depth - 1));
      case 8:
        return Join(Time(depth - 1), Comparison(), Time(depth - 1));
      case 9:
        return absl::StrCat("(", Number(depth - 1), Pick({" in (", " not in ("}), Number(0), ", ",
                            Number(depth - 1), "))");
      case 10:
        return absl::StrCat("(", Text(depth - 1), " like ", Pick({"'%a%'", "'_b%'", "s"}), ")");
      case 11:
        return absl::StrCat("(", Number(depth - 1), " between ", Number(0), " and ",
                            Number(depth - 1), ")");
      case 12:
        return absl::StrCat("(i in (1, 2, null, ", random_.Below(5), "))");
      default:
        return Branch("bool", depth);
    }
  }

  std::string Number(int depth) {
    switch (depth <= 0 ? random_.Below(2) : random_.Below(9)) {
      case 0:
        return Pick({"i", "l", "d", "m", "n", "ni"});
      case 1:
        return Pick({"0", "1", "-3", "2147483647", "1.5", "0.25e0", "null::int", "3000000000"});
      case 2:
      case 3:
        return Join(Number(depth - 1), Pick({"+", "-", "*", "/"}), Number(depth - 1));
      case 4:
        return absl::StrCat(Pick({"abs(", "round(", "floor(", "-("}), Number(depth - 1), ")");
      case 5:
        return absl::StrCat("length(", Text(depth - 1), ")");
      case 6:
        return absl::StrCat("(", Number(depth - 1), ")::", Pick({"int", "bigint", "double"}));
      case 7:
        return absl::StrCat("extract(", Pick({"year", "second", "week"}), " from ", Time(depth - 1),
                            ")");
      default:
        return Branch("number", depth);
    }
  }

  std::string Text(int depth) {
    switch (depth <= 0 ? random_.Below(2) : random_.Below(9)) {
      case 0:
        return "s";
      case 1:
        return Pick({"'abc'", "''", "'Äx'", "null::string", "'12'"});
      case 2:
        return Join(Text(depth - 1), "||", Text(depth - 1));
      case 3:
        return absl::StrCat(Pick({"lower(", "upper(", "trim("}), Text(depth - 1), ")");
      case 4:
        return absl::StrCat("substr(", Text(depth - 1), ", ", Pick({"i", "2", "-1"}), ")");
      case 5:
        return absl::StrCat("split_part(", Text(depth - 1), ", 'b', ", Pick({"i", "1", "-1"}), ")");
      case 6:
        return absl::StrCat("replace(", Text(depth - 1), ", 'a', s)");
      case 7:
        return absl::StrCat("(", Number(depth - 1), ")::string");
      default:
        return Branch("text", depth);
    }
  }

  std::string Time(int depth) {
    switch (depth <= 0 ? random_.Below(2) : random_.Below(5)) {
      case 0:
        return "ts";
      case 1:
        return Pick({"timestamptz '2024-02-29 12:00:00Z'", "null::timestamptz"});
      case 2:
        return absl::StrCat("date_trunc('", Pick({"day", "week", "hour"}), "', ", Time(depth - 1),
                            ")");
      case 3:
        return absl::StrCat("(", Time(depth - 1), ")::date::timestamptz");
      default:
        return Branch("time", depth);
    }
  }

 private:
  std::string Pick(const std::vector<std::string>& choices) {
    return choices[random_.Below(choices.size())];
  }

  static std::string Join(const std::string& left, const std::string& op,
                          const std::string& right) {
    return absl::StrCat("(", left, " ", op, " ", right, ")");
  }

  std::string Comparison() {
    return Pick({"=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from"});
  }

  std::string OfKind(const std::string& kind, int depth) {
    if (kind == "bool") return Bool(depth);
    if (kind == "number") return Number(depth);
    return kind == "text" ? Text(depth) : Time(depth);
  }

  // CASE, COALESCE or NULLIF.
  std::string Branch(const std::string& kind, int depth) {
    const std::string first = OfKind(kind, depth - 1);
    const std::string second = OfKind(kind, depth - 1);
    switch (random_.Below(4)) {
      case 0:
        return absl::StrCat("coalesce(", first, ", ", second, ")");
      case 1:
        return absl::StrCat("nullif(", first, ", ", second, ")");
      case 2:
        return absl::StrCat("case when ", Bool(depth - 1), " then ", first, " when ",
                            Bool(depth - 1), " then ", second, " end");
      default:
        return absl::StrCat("case when ", Bool(depth - 1), " then ", first, " else ", second,
                            " end");
    }
  }

  base::Random& random_;
};

std::string RandomField(base::Random* random, const std::vector<std::string>& choices) {
  return random->OneIn(5) ? "" : choices[random->Below(choices.size())];
}

types::BatchPtr RandomBatch(base::Random* random, size_t rows) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < rows; ++i) {
    lines.push_back(
        absl::StrCat(RandomField(random, {"true", "false"}), "|",
                     RandomField(random, {"0", "1", "2", "-2147483648", "2147483647"}), "|",
                     RandomField(random, {"0", "5", "9223372036854775807", "-1"}), "|",
                     RandomField(random, {"0", "1.5", "-2.5", "1e300", "nan", "inf"}), "|",
                     RandomField(random, {"''", "abc", "äb", "12", "aXb"}), "|",
                     RandomField(random, {"2024-02-29T12:30:00Z", "1969-12-31T23:59:59.5Z"}), "|",
                     RandomField(random, {"2024-02-29", "1969-12-31"}), "|",
                     RandomField(random, {"0", "12.34", "-9999999999.99"}), "|",
                     RandomField(random, {"0.0000000001", "1234567890123456789012345678", "-1"}),
                     "|", random->Below(3), "|7"));
  }
  return MakeBatch(lines);
}

types::PodVector<uint32_t> RandomSelection(base::Random* random, size_t rows) {
  types::PodVector<uint32_t> selection;
  const uint64_t keep = 1 + random->Below(4);
  for (uint32_t row = 0; row < rows; ++row) {
    if (random->Below(4) < keep) selection.push_back(row);
  }
  return selection;
}

// "error", or the value.
std::string Outcome(const types::Column& column, size_t i, uint32_t row, const EvalErrors& errors) {
  return errors.Failed(row) ? "error" : PrintValue(column, i);
}

void CompareWithRowAtATime(const BoundExpr& expr, const types::RecordBatch& batch,
                           absl::Span<const uint32_t> rows) {
  EvalErrors errors;
  const auto column = Evaluate(expr, batch, rows, &errors);
  REQUIRE(column.ok());
  for (size_t i = 0; i < rows.size(); ++i) {
    EvalErrors own_errors;
    const auto own = Evaluate(expr, batch, rows.subspan(i, 1), &own_errors);
    REQUIRE(own.ok());
    const std::string alone = Outcome(**own, 0, rows[i], own_errors);
    const std::string together = Outcome(**column, i, rows[i], errors);
    if (alone == together) continue;
    INFO("row " << rows[i] << ": alone " << alone << ", together " << together);
    FAIL();
  }
}

void ComparePredicate(const BoundExpr& expr, const types::RecordBatch& batch,
                      absl::Span<const uint32_t> rows) {
  EvalErrors errors;
  const types::PodVector<uint32_t> kept = EvaluatePredicate(expr, batch, rows, &errors);
  types::PodVector<uint32_t> expected;
  for (const uint32_t& row : rows) {
    EvalErrors own_errors;
    const auto alone = EvaluatePredicate(expr, batch, absl::MakeConstSpan(&row, 1), &own_errors);
    CHECK(errors.Failed(row) == own_errors.any());
    expected.insert(expected.end(), alone.begin(), alone.end());
  }
  CHECK(kept == expected);
}

}  // namespace

TEST_CASE("Rows evaluated together come out as rows evaluated alone", "[expr][unit]") {
  const uint64_t seed = Seed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  Writer writer(&random);
  size_t bound = 0;
  for (int round = 0; round < 400; ++round) {
    const int depth = static_cast<int>(random.Below(5));
    const uint64_t kind = random.Below(4);
    const std::string text = kind == 0   ? writer.Number(depth)
                             : kind == 1 ? writer.Text(depth)
                             : kind == 2 ? writer.Time(depth)
                                         : writer.Bool(depth);
    INFO(text);
    BindErrors errors;
    const BoundExprPtr expr = BindExpression(text, {*TestSchema(), ""}, &errors);
    // Products of many decimals have too many digits behind the point.
    if (expr == nullptr) {
      CHECK(StringView(errors.front().code.id) == "E0204");
      continue;
    }
    ++bound;
    const types::BatchPtr batch = RandomBatch(&random, 1 + random.Below(40));
    const types::PodVector<uint32_t> rows = RandomSelection(&random, batch->physical_rows());
    CompareWithRowAtATime(*expr, *batch, rows);
    if (expr->type() == types::kBoolType) ComparePredicate(*expr, *batch, rows);
  }
  CHECK(bound > 200);
}

}  // namespace weir::expr

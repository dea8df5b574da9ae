// WindowOracle: windowed aggregation in plain code, and random event-time input for it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/random.h"
#include "common/graph/steps/specs.h"
#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {

struct WindowRow {
  EventTimeUs time = 0;
  int64_t key = 0;
  int64_t number = 0;
  std::string word;
};

inline types::SchemaPtr WindowInput() {
  return SchemaOf({{"k", types::kInt64Type, false},
                   {"n", types::kInt64Type, true},
                   {"s", types::kStringType, true}});
}

// kSums: what can be taken out of a window again.
enum class WindowResults { kAll, kSums };

inline std::vector<Call> WindowCalls(WindowResults results) {
  std::vector<Call> calls = {{AggregateFunction::kCountAll, ""},
                             {AggregateFunction::kSum, "n"},
                             {AggregateFunction::kAvg, "n"}};
  if (results == WindowResults::kSums) return calls;
  calls.push_back({AggregateFunction::kMin, "n"});
  calls.push_back({AggregateFunction::kMax, "s"});
  calls.push_back({AggregateFunction::kMin, "s"});
  calls.push_back({AggregateFunction::kCountDistinct, "n"});
  calls.push_back({AggregateFunction::kCountDistinct, "s"});
  return calls;
}

inline Cells WindowCells(const WindowRow& row) {
  return {row.key, row.number, row.word};
}

// Takes rows and watermarks in the order in which the operator does.
class WindowOracle {
 public:
  WindowOracle(const graph::WindowSpec& spec, WindowResults results)
      : spec_(spec), results_(results) {}

  void Add(const WindowRow& row) {
    int64_t start = spec_.offset_us;
    while (start > row.time) start -= spec_.slide_us;
    while (start + spec_.slide_us <= row.time) start += spec_.slide_us;
    size_t windows = 0;
    size_t missed = 0;
    for (; start + spec_.size_us > row.time; start -= spec_.slide_us) {
      ++windows;
      if (start + spec_.size_us - 1 <= watermark_) {
        ++missed;
      } else {
        open_[{start + spec_.size_us, row.key}].push_back(row);
      }
    }
    if (missed == windows) ++late_;
    if (missed > 0 && missed < windows) ++partially_late_;
  }

  // The rows of the windows that close, sorted as text.
  std::vector<std::string> Advance(EventTimeUs watermark) {
    if (watermark <= watermark_) return {};
    watermark_ = watermark;
    std::vector<std::string> closed;
    while (!open_.empty() && open_.begin()->first.first - 1 <= watermark) {
      const auto& [end_and_key, rows] = *open_.begin();
      closed.push_back(Text(end_and_key.first, end_and_key.second, rows));
      open_.erase(open_.begin());
    }
    std::sort(closed.begin(), closed.end());
    return closed;
  }

  int64_t late() const { return late_; }
  int64_t partially_late() const { return partially_late_; }

 private:
  std::string Text(int64_t end, int64_t key, const std::vector<WindowRow>& rows) const {
    int64_t sum = 0;
    std::set<int64_t> numbers;
    std::set<std::string> words;
    for (const WindowRow& row : rows) {
      sum += row.number;
      numbers.insert(row.number);
      words.insert(row.word);
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(rows.size());
    const std::string sums = absl::StrCat("+I ", key, ",", end - spec_.size_us, ",", end, ",",
                                          rows.size(), ",", sum, ",", mean);
    if (results_ == WindowResults::kSums) return sums;
    return absl::StrCat(sums, ",", *numbers.begin(), ",'", *words.rbegin(), "','", *words.begin(),
                        "',", numbers.size(), ",", words.size());
  }

  const graph::WindowSpec spec_;
  const WindowResults results_;
  EventTimeUs watermark_ = kEventTimeMin;
  std::map<std::pair<int64_t, int64_t>, std::vector<WindowRow>> open_;  // by window end and key
  int64_t late_ = 0;
  int64_t partially_late_ = 0;
};

// Rows around a time that moves on, some far behind it.
class WindowRowSource {
 public:
  WindowRowSource(uint64_t seed, int64_t start, int64_t spread)
      : random_(seed), now_(start), spread_(spread) {}

  std::vector<WindowRow> Next() {
    std::vector<WindowRow> rows(1 + random_.Below(40));
    for (WindowRow& row : rows) {
      now_ += random_.Between(0, 2);
      row.time = now_ + random_.Between(-spread_, spread_ / 4);
      row.key = random_.Between(0, 7);
      row.number = random_.Between(-20, 20);
      row.word = std::string(random_.Below(20), static_cast<char>('a' + random_.Below(5)));
    }
    return rows;
  }
  int64_t NextWatermark() { return now_ - random_.Between(0, spread_); }

 private:
  base::Random random_;
  int64_t now_;
  const int64_t spread_;
};

inline types::BatchPtr BatchOf(const std::vector<WindowRow>& rows) {
  RowMaker maker(WindowInput());
  for (const WindowRow& row : rows) maker.RowAt(row.time, WindowCells(row));
  return maker.Finish();
}

}  // namespace weir::operators

// JSON ingest: lines decoded into batches, beside simdjson alone reading the same fields.
// Prints rows and bytes a second of both; the ratio of rows is what performance target 6 is about.
#include <algorithm>
#include <cstdint>
#include <malloc.h>
#include <memory>
#include <simdjson.h>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>

#include "common/base/random.h"
#include "common/types/json/json_decoder.h"

namespace weir::types {
namespace {

constexpr size_t kRowCount = 200'000;
constexpr size_t kChunkBytes = 256u << 10;

// Lines like Nexmark's bids: four numbers, two texts, an ISO time; the same ones in every run.
std::string MakeBids() {
  base::Random random(42);
  std::string text;
  for (size_t i = 0; i < kRowCount; ++i) {
    absl::StrAppend(&text, "{\"auction\":", 1000 + random.Below(100'000),
                    ",\"bidder\":", 1000 + random.Below(10'000),
                    ",\"price\":", random.Below(10'000'000), ",\"channel\":\"channel-",
                    random.Below(50),
                    "\",\"url\":\"https://www.nexmark.com/item.htm?query=", random.Below(1000),
                    "\",\"ts\":\"2026-01-01T00:00:", 10 + random.Below(50), "Z\"}\n");
  }
  return text;
}

const std::string& Bids() {
  static const std::string text = MakeBids();
  return text;
}

SchemaPtr BidSchema(bool is_typed_time) {
  return std::make_shared<const Schema>(
      std::vector<Field>{{.name = "auction", .type = kInt64Type, .nullable = false},
                         {.name = "bidder", .type = kInt64Type, .nullable = false},
                         {.name = "price", .type = kInt64Type, .nullable = false},
                         {"channel", kStringType},
                         {"url", kStringType},
                         {"ts", is_typed_time ? kTimestampType : kStringType}});
}

// Whole lines of about kChunkBytes with the padding that decoders need.
std::vector<std::string> Chunks() {
  std::vector<std::string> chunks;
  const std::string& text = Bids();
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.size(), at + kChunkBytes);
    end = text.rfind('\n', end - 1) + 1;
    chunks.push_back(text.substr(at, end - at) + std::string(kDecodePadding, '\0'));
    at = end;
  }
  return chunks;
}

void CountRows(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(kRowCount));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(Bids().size()));
}

void Decode(benchmark::State& state, const SchemaPtr& schema) {
  const std::vector<std::string> chunks = Chunks();
  JsonDecodeOptions options;
  options.sources.resize(schema->size());
  const std::unique_ptr<RowDecoder> decoder = *MakeJsonDecoder(schema, options);
  BatchBuilder builder(schema);
  DecodeOutput output;
  for (auto _ : state) {
    size_t rows = 0;
    for (const std::string& chunk : chunks) {
      StringView left(chunk.data(), chunk.size() - kDecodePadding);
      while (!left.empty()) {
        decoder->Decode({.bytes = left, .is_end = IsEnd::kYes}, &builder, &output);
        left.remove_prefix(output.consumed);
        const BatchPtr batch = builder.Finish();
        rows += batch->size();
        benchmark::DoNotOptimize(batch->column(0).Values<int64_t>());
      }
    }
    if (rows != kRowCount) state.SkipWithError("rows are missing");
  }
  CountRows(state);
}

void DecodeBids(benchmark::State& state) {
  Decode(state, BidSchema(/*is_typed_time=*/false));
}
BENCHMARK(DecodeBids)->Unit(benchmark::kMillisecond);

void DecodeBidsWithTimestamps(benchmark::State& state) {
  Decode(state, BidSchema(/*is_typed_time=*/true));
}
BENCHMARK(DecodeBidsWithTimestamps)->Unit(benchmark::kMillisecond);

// The same fields in the same order by simdjson's on-demand interface, whole chunks at a time; the
// values are added up so that reading them is not left out.
void SimdjsonAlone(benchmark::State& state) {
  const std::vector<std::string> chunks = Chunks();
  simdjson::ondemand::parser parser;
  parser.threaded = false;
  uint64_t sum = 0;
  for (auto _ : state) {
    size_t rows = 0;
    for (const std::string& chunk : chunks) {
      simdjson::ondemand::document_stream stream;
      if (parser.iterate_many(chunk.data(), chunk.size() - kDecodePadding, kChunkBytes)
              .get(stream)) {
        state.SkipWithError("not JSON");
        return;
      }
      for (auto document : stream) {
        int64_t number = 0;
        simdjson::ondemand::object object;
        if (document.get_object().get(object)) break;
        for (const char* name : {"auction", "bidder", "price"}) {
          if (object.find_field(name).get_int64().get(number)) break;
          sum += static_cast<uint64_t>(number);
        }
        for (const char* name : {"channel", "url", "ts"}) {
          auto text = object.find_field(name).get_string();
          if (text.error()) break;
          sum += text.value_unsafe().size();
        }
        ++rows;
      }
    }
    if (rows != kRowCount) state.SkipWithError("rows are missing");
  }
  benchmark::DoNotOptimize(sum);
  CountRows(state);
}
BENCHMARK(SimdjsonAlone)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::types

int main(int argc, char** argv) {
  // Memory that was used once stays in the process: handing it back and forth between batches would
  // measure the kernel, not the decoder.
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

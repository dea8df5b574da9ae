// Any bytes whatever as frames of one channel, cut where the input says: what is decoded is written
// and decoded again the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "taskmanager/network/frame_codec.h"

namespace weir::network {
namespace {

std::string BlockOf(const StreamElement& element) {
  const auto* encoded = std::get_if<EncodedBatch>(&element);
  if (encoded == nullptr) return "";
  return std::string(static_cast<const char*>(encoded->block.data()), encoded->block.size());
}

std::vector<StreamElement> Decode(StringView frame) {
  FrameDecoder decoder(std::make_shared<BlockMemory>());
  std::vector<StreamElement> elements;
  WEIR_CHECK(decoder.Decode(frame, &elements).ok());
  return elements;
}

void CheckRoundTrip(const StreamElement& element) {
  std::string frame;
  AppendElement(element, &frame);
  const std::vector<StreamElement> again = Decode(frame);
  WEIR_CHECK(again.size() == 1);
  WEIR_CHECK(again[0].index() == element.index());
  WEIR_CHECK(BlockOf(again[0]) == BlockOf(element));
  if (const auto* barrier = std::get_if<checkpoint::Barrier>(&element)) {
    WEIR_CHECK(std::get<checkpoint::Barrier>(again[0]) == *barrier);
  }
}

void DecodeAnything(StringView input) {
  FrameDecoder decoder(std::make_shared<BlockMemory>());
  while (!input.empty()) {
    // Two bytes say how long the next frame is; the rest is the last one.
    uint16_t size = 0;
    std::memcpy(&size, input.data(), std::min(input.size(), sizeof(size)));
    input.remove_prefix(std::min(input.size(), sizeof(size)));
    const StringView bytes = input.substr(0, size);
    input.remove_prefix(bytes.size());
    // In an allocation of its own, so that a sanitizer sees what is read behind it.
    const std::vector<char> frame(bytes.begin(), bytes.end());
    std::vector<StreamElement> elements;
    const bool is_good = decoder.Decode(StringView(frame.data(), frame.size()), &elements).ok();
    WEIR_CHECK(is_good || elements.empty());
    for (const StreamElement& element : elements) CheckRoundTrip(element);
    if (!is_good) return;
  }
}

}  // namespace
}  // namespace weir::network

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::network::DecodeAnything(weir::StringView(reinterpret_cast<const char*>(data), size));
  return 0;
}

#include "media/image_tokens.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/models/model_names.hpp"

namespace ctxmgr {
namespace {

using Kind = ImageRule::Kind;

constexpr double patch_pixels = 32;
constexpr double block_pixels = 28;
constexpr double tile_pixels = 512;
constexpr std::int64_t crop_tokens = 258;
constexpr std::int64_t most_crops = 6;  // Of an image of 16:9 that is large enough.

constexpr ImageRule tiles(std::int64_t base, std::int64_t per_tile) { return {Kind::tiles, base, per_tile, 1, 0, 0}; }
constexpr ImageRule patches(double factor) { return {Kind::patches, 0, 0, factor, 1'536, 0}; }
constexpr ImageRule blocks(std::int64_t longest, std::int64_t most) { return {Kind::blocks, 0, 0, 1, most, longest}; }

// The longer of two prefixes stands before the shorter. Sources: docs/token-counting.md.
constexpr std::array<std::pair<std::string_view, ImageRule>, 30> rules{{
    {"gpt-4o-mini", tiles(2'833, 5'667)},
    {"gpt-4.1-mini", patches(1.62)},
    {"gpt-4.1-nano", patches(2.46)},
    {"gpt-4o", tiles(85, 170)},
    {"chatgpt-4o", tiles(85, 170)},
    {"gpt-4.1", tiles(85, 170)},
    {"gpt-4.5", tiles(85, 170)},
    {"gpt-4-turbo", tiles(85, 170)},
    {"gpt-5-mini", patches(1.62)},
    {"gpt-5-nano", patches(2.46)},
    {"gpt-5.1", tiles(70, 140)},
    {"gpt-5.", patches(1.2)},
    {"gpt-5", tiles(70, 140)},
    {"o4-mini", patches(1.72)},
    {"o1", tiles(75, 150)},
    {"o3", tiles(75, 150)},
    {"claude-3", blocks(1'568, 1'568)},
    {"claude-opus-4-7", blocks(2'576, 4'784)},
    {"claude-opus-4-8", blocks(2'576, 4'784)},
    {"claude-opus-4", blocks(1'568, 1'568)},
    {"claude-sonnet-4-7", blocks(2'576, 4'784)},
    {"claude-sonnet-4-8", blocks(2'576, 4'784)},
    {"claude-sonnet-4", blocks(1'568, 1'568)},
    {"claude-haiku-4", blocks(1'568, 1'568)},
    {"claude", blocks(2'576, 4'784)},
    {"gemini-1.5", {Kind::crops, 0, 0, 1, 0, 0}},
    {"gemini-2", {Kind::crops, 0, 0, 1, 0, 0}},
    {"gemini-3", {Kind::fixed, 1'120, 0, 1, 0, 0}},
    {"gemini", {Kind::fixed, 1'120, 0, 1, 0, 0}},
    {"computer-use", tiles(65, 129)},
}};

std::int64_t covering(double width, double height, double side) {
  constexpr double slack = 1e-9;  // A scaled side may miss its multiple by a rounding error.
  return static_cast<std::int64_t>(std::ceil(width / side - slack) * std::ceil(height / side - slack));
}

std::int64_t tile_tokens(const ImageRule& rule, double width, double height) {
  const double into_square = std::min(1.0, 2'048 / std::max(width, height));
  const double shorter = std::min(width, height) * into_square;
  const double scale = into_square * std::min(1.0, 768 / shorter);
  return rule.base + rule.per_tile * covering(width * scale, height * scale, tile_pixels);
}

/// As OpenAI's guide has it: scaled so that whole patches fit along one side.
std::int64_t patch_tokens(const ImageRule& rule, double width, double height) {
  auto count = covering(width, height, patch_pixels);
  if (count > rule.most) {
    double scale = std::sqrt(patch_pixels * patch_pixels * static_cast<double>(rule.most) / (width * height));
    const double across = width * scale / patch_pixels;
    const double down = height * scale / patch_pixels;
    scale *= std::min(std::max(1.0, std::floor(across)) / across, std::max(1.0, std::floor(down)) / down);
    count = std::min(rule.most, covering(width * scale, height * scale, patch_pixels));
  }
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * rule.factor));
}

std::int64_t block_tokens(const ImageRule& rule, double width, double height) {
  const double scale = std::min(1.0, static_cast<double>(rule.longest) / std::max(width, height));
  return std::min(rule.most, covering(width * scale, height * scale, block_pixels));
}

std::int64_t crop_tokens_of(double width, double height) {
  constexpr double small = 384;
  if (width <= small && height <= small) return crop_tokens;
  const double side = std::clamp(std::floor(std::min(width, height) / 1.5), 256.0, 768.0);
  return crop_tokens * covering(width, height, side);
}

/// Of an image whose size is not known.
std::int64_t most_image_tokens(const ImageRule& rule) {
  switch (rule.kind) {
    case Kind::tiles: return rule.base + 8 * rule.per_tile;
    case Kind::patches: return static_cast<std::int64_t>(std::ceil(static_cast<double>(rule.most) * rule.factor));
    case Kind::blocks: return rule.most;
    case Kind::crops: return crop_tokens * most_crops;
    case Kind::fixed:
    case Kind::unknown: break;
  }
  return rule.base;
}

}  // namespace

ImageRule image_rule(std::string_view model) {
  for (const std::string& name : candidate_model_names(model)) {
    for (const auto& [prefix, rule] : rules) {
      if (std::string_view(name).substr(0, prefix.size()) == prefix) return rule;
    }
  }
  return {};
}

MediaRule media_rule(std::string_view model) {
  MediaRule rule;
  rule.image = image_rule(model);
  for (const std::string& name : candidate_model_names(model)) {
    const auto begins_with = [&](std::string_view prefix) {
      return std::string_view(name).substr(0, prefix.size()) == prefix;
    };
    if (begins_with("claude")) return {rule.image, 3'000, true, 32};
    if (begins_with("gemini-3")) return {rule.image, 560, false, 32};
    if (begins_with("gemini")) return {rule.image, 258, false, 32};
    if (begins_with("gpt-")) return {rule.image, 1'000, true, 10};
  }
  return rule;
}

std::int64_t image_tokens(const ImageRule& rule, std::int64_t width, std::int64_t height, bool low) {
  if (low && rule.kind == Kind::tiles) return rule.base;
  if (width < 1 || height < 1) return most_image_tokens(rule);
  const auto across = static_cast<double>(width);
  const auto down = static_cast<double>(height);
  switch (rule.kind) {
    case Kind::tiles: return tile_tokens(rule, across, down);
    case Kind::patches: return patch_tokens(rule, across, down);
    case Kind::blocks: return block_tokens(rule, across, down);
    case Kind::crops: return crop_tokens_of(across, down);
    case Kind::fixed:
    case Kind::unknown: break;
  }
  return rule.base;
}

}  // namespace ctxmgr

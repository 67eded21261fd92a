#pragma once
#include <cstdint>
#include <string_view>

namespace ctxmgr {

/// How a model's service counts images. `docs/token-counting.md` has each provider's rules, their source and date.
struct ImageRule {
  enum class Kind {
    unknown,  ///< No rule: an estimate will have to do.
    tiles,    ///< OpenAI: scaled into 2048 x 2048, the shorter side to 768; `base` and `per_tile` for each 512 x 512.
    patches,  ///< 32 x 32 pixels each, scaled to at most `most`; times `factor`. OpenAI's smaller models.
    blocks,  ///< Anthropic: 28 x 28 pixels each, scaled until the longer side is at most `longest` and there are `most`.
    crops,  ///< Gemini 2: 258, or 258 for each crop of about two thirds of the shorter side, at least 256, at most 768.
    fixed,  ///< `base`, whatever the size.
  };
  Kind kind = Kind::unknown;
  std::int64_t base = 0;
  std::int64_t per_tile = 0;
  double factor = 1;
  std::int64_t most = 0;
  std::int64_t longest = 0;
};

/// The rule for a model, by its name; versions and providers in it do not matter.
[[nodiscard]] ImageRule image_rule(std::string_view model);

/// Tokens of an image of this size, in pixels. `low`: OpenAI's `detail` of "low". Sizes below 1, where they are not
/// known: as for a large image. 0 for a rule that is unknown.
[[nodiscard]] std::int64_t image_tokens(const ImageRule& rule, std::int64_t width, std::int64_t height,
                                        bool low = false);

/// How a model's service counts images, files and recordings. Only the images' rules are documented to the token.
struct MediaRule {
  ImageRule image{};
  std::int64_t page_text_tokens = 1'000;  ///< What the text of a PDF's page counts.
  bool page_is_picture = true;            ///< Each page counts as an image, too.
  double audio_tokens_per_second = 32;
};

[[nodiscard]] MediaRule media_rule(std::string_view model);

}  // namespace ctxmgr

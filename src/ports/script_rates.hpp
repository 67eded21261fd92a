#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ctxmgr {

/// Tokens of a code point by its script, in hundredths. They were measured on declarations of human rights in 530 languages, and
/// code point by code point where no language uses a block: `scripts/measure-estimates.py` says how. What a vocabulary
/// does not know counts its bytes of UTF-8.
struct ScriptRates {
  static constexpr std::size_t vocabularies = 5;

  char32_t end = 0;                                      ///< The script's code points are below it.
  std::array<std::uint16_t, vocabularies> hundredths{};  ///< o200k_base, Qwen, Gemini, DeepSeek, Llama.
  bool repeats = false;                                  ///< Runs of one sign have tokens of their own.

  /// Of a vocabulary; of one that is not here: the most.
  [[nodiscard]] double rate(std::size_t vocabulary) const {
    const auto most =
        vocabulary < vocabularies ? hundredths[vocabulary] : *std::max_element(hundredths.begin(), hundredths.end());
    return most / 100.0;
  }
};

inline constexpr std::array<ScriptRates, 86> script_rates{{
    {0xA0, {200, 200, 200, 200, 200}},           // controls
    {0xC0, {110, 115, 100, 110, 110}, true},     // signs of Latin-1
    {0x250, {120, 120, 105, 165, 165}},          // Latin letters, where they stand alone
    {0x300, {190, 130, 115, 195, 195}},          // phonetic signs
    {0x370, {190, 197, 110, 193, 193}},          // stacked accents
    {0x400, {44, 105, 50, 56, 46}},              // Greek
    {0x490, {34, 46, 36, 46, 52}},               // Cyrillic
    {0x530, {110, 290, 270, 255, 330}},          // Cyrillic letters of languages of Asia
    {0x590, {34, 120, 66, 64, 195}},             // Armenian
    {0x5D0, {100, 230, 150, 210, 180}},          // points of Hebrew, in Yiddish
    {0x5F0, {46, 48, 52, 54, 122}},              // Hebrew
    {0x600, {100, 230, 150, 230, 240}},          // Yiddish
    {0x6AD, {37, 60, 42, 45, 50}},               // Arabic
    {0x6AE, {110, 230, 210, 230, 290}},          // Uyghur
    {0x6C6, {37, 60, 42, 45, 50}},               // Arabic
    {0x6CC, {110, 220, 220, 240, 310}},          // Uyghur and Kurdish
    {0x6D0, {37, 60, 42, 45, 50}},               // Arabic
    {0x6D6, {110, 220, 220, 240, 310}},          // Uyghur and Urdu
    {0x700, {37, 60, 42, 45, 50}},               // Arabic
    {0x900, {220, 205, 125, 220, 220}},          // Syriac, Thaana, N'Ko
    {0x980, {37, 118, 52, 70, 66}},              // Devanagari
    {0xA00, {42, 130, 68, 52, 150}},             // Bengali
    {0xB00, {60, 195, 80, 105, 205}},            // Gurmukhi, Gujarati
    {0xB80, {160, 235, 150, 200, 295}},          // Oriya
    {0xC00, {39, 128, 54, 60, 162}},             // Tamil
    {0xD00, {52, 172, 75, 85, 205}},             // Telugu, Kannada
    {0xD80, {40, 154, 66, 88, 185}},             // Malayalam
    {0xE00, {66, 180, 103, 115, 220}},           // Sinhala
    {0xE80, {47, 60, 43, 41, 49}},               // Thai
    {0xF00, {200, 142, 112, 195, 210}},          // Lao
    {0x1000, {165, 150, 75, 122, 220}},          // Tibetan
    {0x10A0, {62, 170, 92, 102, 220}},           // Myanmar
    {0x1100, {33, 120, 82, 85, 225}},            // Georgian
    {0x1200, {300, 180, 265, 298, 298}},         // Hangul by its letters
    {0x13A0, {220, 160, 130, 240, 300}},         // Ethiopic
    {0x1680, {300, 205, 260, 300, 300}},         // Cherokee, Canadian syllabics
    {0x1780, {300, 235, 275, 300, 300}},         // Runic and others
    {0x1800, {68, 132, 108, 130, 175}},          // Khmer
    {0x1D00, {305, 225, 280, 300, 300}},         // Mongolian and others
    {0x1E00, {275, 195, 245, 295, 295}},         // phonetic extensions
    {0x1EA0, {195, 150, 200, 240, 240}},         // further Latin letters, where they stand alone
    {0x1F00, {130, 110, 115, 165, 165}},         // Vietnamese
    {0x2000, {225, 150, 200, 200, 200}},         // Greek of old
    {0x2010, {110, 110, 100, 120, 120}, true},   // spaces
    {0x2028, {105, 105, 100, 110, 110}, true},   // dashes, quotes, bullets
    {0x2070, {185, 165, 140, 190, 190}},         // other punctuation
    {0x20A0, {210, 160, 120, 195, 195}},         // raised and lowered figures
    {0x20AD, {120, 120, 110, 150, 150}},         // the frequent currencies
    {0x2100, {250, 225, 190, 250, 250}},         // others
    {0x2190, {207, 160, 180, 200, 200}},         // letters as signs
    {0x2194, {105, 105, 105, 110, 110}, true},   // the frequent arrows
    {0x2200, {198, 122, 145, 200, 200}},         // others
    {0x2300, {207, 158, 192, 225, 225}},         // mathematical signs
    {0x2400, {280, 170, 215, 300, 300}},         // technical signs
    {0x2500, {220, 180, 200, 285, 285}},         // pictures of controls, enclosed letters
    {0x2504, {105, 105, 105, 128, 128}, true},   // the frequent lines
    {0x2580, {198, 120, 142, 200, 200}, true},   // other lines
    {0x25A0, {197, 165, 132, 205, 205}, true},   // blocks
    {0x2600, {188, 125, 118, 198, 198}, true},   // geometric signs
    {0x2700, {225, 138, 165, 255, 255}},         // miscellaneous signs
    {0x27C0, {200, 125, 112, 200, 200}},         // dingbats
    {0x2800, {295, 178, 230, 200, 200}},         // further mathematics
    {0x2900, {300, 252, 197, 300, 300}},         // Braille
    {0x2E80, {300, 225, 282, 300, 300}},         // further arrows, Glagolitic, Tifinagh
    {0x3000, {300, 185, 265, 300, 300}},         // radicals
    {0x3040, {90, 100, 80, 95, 95}},             // punctuation of East Asia
    {0x3100, {88, 75, 62, 70, 80}},              // Kana
    {0x3400, {270, 180, 265, 275, 275}},         // Bopomofo, enclosed signs
    {0x4E00, {300, 225, 300, 300, 300}},         // rare ideographs
    {0xA000, {86, 72, 80, 70, 92}},              // ideographs
    {0xAC00, {300, 255, 300, 300, 300}},         // Yi and others
    {0xD7B0, {76, 82, 90, 85, 76}},              // Hangul
    {0xF900, {300, 300, 300, 330, 300}},         // private use
    {0xFE00, {300, 240, 295, 300, 300}},         // compatibility
    {0xFE10, {200, 200, 200, 200, 200}},         // variants of signs
    {0xFF00, {200, 130, 170, 225, 225}},         // vertical forms
    {0x10000, {150, 110, 110, 165, 165}, true},  // wide signs
    {0x1D000, {410, 300, 410, 400, 400}},        // scripts of old
    {0x1D400, {400, 300, 400, 400, 400}},        // scripts of old and music
    {0x1D800, {290, 180, 222, 300, 300}},        // mathematical letters
    {0x1F1E6, {300, 205, 335, 300, 300}},        // tiles, enclosed signs
    {0x1F200, {205, 105, 105, 300, 300}},        // flags
    {0x1F300, {300, 205, 335, 300, 300}},        // enclosed ideographs
    {0x1F650, {222, 122, 155, 285, 285}},        // emoji
    {0x1FB00, {275, 225, 270, 300, 300}},        // further emoji
    {0x110000, {400, 300, 400, 400, 400}},       // rare ideographs, private use
}};

/// \pre The code point is one.
[[nodiscard]] inline const ScriptRates& rates_of(char32_t code_point) {
  return *std::upper_bound(script_rates.begin(), script_rates.end() - 1, code_point,
                           [](char32_t value, const ScriptRates& rates) { return value < rates.end; });
}

}  // namespace ctxmgr

#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// How programs are told to use a proxy.
namespace ctxpack {

/// The base URLs that a program is told. One of them may be that of the service itself, where the program does not use that form.
struct BaseUrls {
  std::string anthropic{};  ///< Without "/v1".
  std::string openai{};     ///< With "/v1".
};

using Variables = std::vector<std::pair<std::string, std::string>>;
/// What stands in the environment under a name; null: nothing.
using Environment = std::function<const char*(const char* name)>;

/// What a program needs.
struct Preset {
  bool is_known = false;  ///< Else it gets what most programs read.
  bool uses_anthropic = true;
  bool uses_openai = true;
  Variables variables{};
  std::vector<std::string> arguments{};  ///< Before those of the user.
};

/// By the name of the program's file. Of the environment stays what the user has set, but for base URLs.
[[nodiscard]] Preset preset_of(std::string_view program, const BaseUrls& urls, const Environment& environment);

/// Where requests of each form go without a proxy: as the environment says, else to the services' own addresses.
[[nodiscard]] BaseUrls upstreams_in(const Environment& environment);

}  // namespace ctxpack

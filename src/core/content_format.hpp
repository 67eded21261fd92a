#pragma once
#include <string_view>

#include "core/enum_names.hpp"
#include "ctxmgr/core/content_format.hpp"

namespace ctxmgr {

/// Frozen, as all names that are stored: names are added, never changed.
template <>
struct EnumNames<ContentFormat> {
  static constexpr EnumName<ContentFormat> values[] = {
      {ContentFormat::automatic, "automatic"}, {ContentFormat::text, "text"},  {ContentFormat::markdown, "markdown"},
      {ContentFormat::json, "json"},           {ContentFormat::code, "code"},  {ContentFormat::log, "log"},
      {ContentFormat::diff, "diff"},           {ContentFormat::table, "table"}};
};

/// The format that a file name's extension stands for; `automatic` where it stands for none.
[[nodiscard]] ContentFormat format_of_name(std::string_view name);

}  // namespace ctxmgr

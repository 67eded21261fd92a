#pragma once
#include "core/enum_names.hpp"
#include "ctxmgr/wire.hpp"

namespace ctxmgr {

template <>
struct EnumNames<WireForm> {
  static constexpr EnumName<WireForm> values[] = {
      {WireForm::openai, "openai"}, {WireForm::anthropic, "anthropic"}, {WireForm::responses, "responses"}};
};

}  // namespace ctxmgr

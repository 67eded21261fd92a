#pragma once
#include <string_view>

namespace ctxmgr {

/// Of which messages a service says that they are empty.
enum class EmptyMessages {
  allowed,
  refused,         ///< A user's or an assistant's without any content: null, "", no parts.
  blanks_refused,  ///< Blank text counts as none, in instructions and as a part beside others, too.
};

/// What the id of a call has to look like.
enum class CallIdForm {
  any,
  words,            ///< Letters, digits, `_` and `-`: Claude.
  nine_characters,  ///< Nine letters or digits: Mistral.
};

/// What a service demands beyond that each call has its result. By default, what any of them does.
struct HistoryDemands {
  bool unique_ids = true;        ///< No id twice. Else one may come again once every call before it has its result.
  bool object_arguments = true;  ///< Arguments are a JSON object. Else any text will do.
  EmptyMessages empty_messages = EmptyMessages::blanks_refused;
  CallIdForm id_form = CallIdForm::any;

  friend bool operator==(const HistoryDemands&, const HistoryDemands&) = default;
};

inline constexpr HistoryDemands no_demands{false, false, EmptyMessages::allowed, CallIdForm::any};

/// The demands of the service that a model's provider runs ("openai", "" where it is not known), or of the servers that run a model
/// of that name. OpenAI's takes any arguments, and ids that come again. Of the unknown nobody knows: they get what the strictest
/// demand, but for the form of ids.
[[nodiscard]] HistoryDemands demands_of_service(std::string_view provider, std::string_view model);

/// Whether the model is refused, or works worse, without the reasoning of calls that are over: DeepSeek's and Kimi's.
[[nodiscard]] bool needs_past_reasoning(std::string_view provider, std::string_view model);

}  // namespace ctxmgr

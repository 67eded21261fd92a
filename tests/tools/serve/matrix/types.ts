// The services' published types of a request, from which the test makes schemas.
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import type { ResponseCreateParams } from "openai/resources/responses/responses";

export type Chat = ChatCompletionCreateParams;
export type Messages = MessageCreateParams;
export type Responses = ResponseCreateParams;

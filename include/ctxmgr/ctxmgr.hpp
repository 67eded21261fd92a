#pragma once
/// \file
/// Includes all of the library `ctxmgr::ctxmgr`: core, ports, engine and session. Include the other components (adapters,
/// `prompts/`, `testing/`) and `json.hpp` by name.
/// Start at `ContextManager` in `engine/context_manager.hpp`.
#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/history.hpp"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/core/message_shape.hpp"
#include "ctxmgr/core/receipt_words.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/engine/artifact_processor.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/engine/planning_gate.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/engine/tool_search.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/ports/cached_embedder.hpp"
#include "ctxmgr/ports/gen_ai_observer.hpp"
#include "ctxmgr/responses.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/context_tools.hpp"
#include "ctxmgr/session/conversation.hpp"
#include "ctxmgr/session/memory_tool.hpp"
#include "ctxmgr/session/tool_set.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "ctxmgr/wire.hpp"

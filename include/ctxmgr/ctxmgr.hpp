#pragma once
/// \file
/// Core, ports, engine and session; adapters, `json.hpp` and `testing` are included by name.
/// Start at `engine/context_manager.hpp`.
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/session/conversation.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "ctxmgr/session/workflow_cost.hpp"

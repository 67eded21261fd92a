/* ctxmgr for C, and for every language that can call C.

   Text in, text out: requests and results are JSON in UTF-8, errors have a code and a message. One manager serves all
   threads of a process. docs/c-interface.md has the fields of the JSON.

       ctxmgr_manager *manager;
       ctxmgr_text *result;
       if (ctxmgr_manager_create("{}", 2, NULL, &manager, NULL) == CTXMGR_OK &&
           ctxmgr_build(manager, request, strlen(request), &result, NULL) == CTXMGR_OK)
         send(ctxmgr_text_data(result), ctxmgr_text_size(result));

   What stays the same from version to version (SONAME libctxmgr_c.so.1): every function and every code here, with its
   meaning. Structs that a host fills in begin with their own size, so that fields can be added at their ends; fields of
   the JSON are only added. */
#ifndef CTXMGR_C_CTXMGR_H
#define CTXMGR_C_CTXMGR_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CTXMGR_C_API
#else
#define CTXMGR_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C's names and C's ways. NOLINTBEGIN */

/* Why a call failed; docs/errors.md says what to do next. */
typedef int32_t ctxmgr_code;
enum {
  CTXMGR_OK = 0,
  CTXMGR_CANCELLED = 1,
  CTXMGR_DEADLINE_EXCEEDED = 2,
  CTXMGR_INVALID_ARGUMENT = 3,
  CTXMGR_NOT_FOUND = 4,
  CTXMGR_CONFLICT = 5,
  CTXMGR_DENIED = 6,
  CTXMGR_UNAVAILABLE = 7,
  CTXMGR_BAD_DATA = 8,
  CTXMGR_BUDGET_EXCEEDED = 9,
  CTXMGR_CONTEXT_LENGTH_EXCEEDED = 10,
  CTXMGR_LIMIT_EXCEEDED = 11,
  CTXMGR_INTERNAL = 12
};

/* The code's name in logs and JSON ("budget_exceeded"); "unknown" for a number that is none. Lives for ever. */
CTXMGR_C_API const char *ctxmgr_code_name(ctxmgr_code code);

/* The library's version, "0.9.0". Lives for ever. */
CTXMGR_C_API const char *ctxmgr_version(void);

/* A text that the library hands out; the caller frees it. Ends with a zero byte that does not count. */
typedef struct ctxmgr_text ctxmgr_text;
CTXMGR_C_API const char *ctxmgr_text_data(const ctxmgr_text *text);
CTXMGR_C_API size_t ctxmgr_text_size(const ctxmgr_text *text);
CTXMGR_C_API void ctxmgr_text_free(ctxmgr_text *text); /* NULL: nothing happens. */

/* Where a callback puts what it returns. Valid during the callback; the bytes are copied. */
typedef struct ctxmgr_reply ctxmgr_reply;
CTXMGR_C_API void ctxmgr_reply_set(ctxmgr_reply *reply, const char *data, size_t size);

/* A language model, for plans and summaries. `request` is a chat request in OpenAI's form; the reply is a chat completion
   in the same form, or, with a code other than CTXMGR_OK, the message of the error. Called from several threads at once.
   `timeout_ms`: how long the call may take; below 0: no limit. */
typedef ctxmgr_code (*ctxmgr_complete_fn)(void *user, const char *request, size_t size, int64_t timeout_ms,
                                          ctxmgr_reply *reply);

/* Tokens of a text. Pure; called from several threads at once. */
typedef int64_t (*ctxmgr_count_fn)(void *user, const char *text, size_t size);

/* One change of a store: sets a key, or erases it where `value` is NULL. */
typedef struct ctxmgr_change {
  const char *key;
  size_t key_size;
  const char *value;
  size_t value_size;
  int64_t ttl_ms;              /* Below 0: stays until erased. */
  int32_t expects_version;     /* Not 0: only where the key has `expected_version`; version 0 means that it is absent. */
  uint64_t expected_version;
} ctxmgr_change;

/* Where a store's callbacks put what they found. Valid during the callback; the bytes are copied. */
typedef struct ctxmgr_values ctxmgr_values;
typedef struct ctxmgr_keys ctxmgr_keys;
CTXMGR_C_API void ctxmgr_values_set(ctxmgr_values *values, size_t index, const char *data, size_t size,
                                    uint64_t version);
CTXMGR_C_API void ctxmgr_keys_add(ctxmgr_keys *keys, const char *key, size_t size, size_t value_bytes);

/* A store of namespaced keys, as ctxmgr/ports/key_value_store.hpp describes it. Called from several threads at once. */
typedef struct ctxmgr_store {
  size_t struct_size; /* sizeof(ctxmgr_store) */
  void *user;
  /* The values of `count` keys in one snapshot: ctxmgr_values_set() for each one that is there. */
  ctxmgr_code (*read)(void *user, const char *name_space, size_t name_space_size, const char *const *keys,
                      const size_t *key_sizes, size_t count, ctxmgr_values *values);
  /* All changes or none; CTXMGR_CONFLICT where an expected version does not match. `version`: what set keys have now. */
  ctxmgr_code (*write)(void *user, const char *name_space, size_t name_space_size, const ctxmgr_change *changes,
                       size_t count, uint64_t *version);
  /* Up to `limit` keys that begin with `prefix` and come after `after`, in byte order. */
  ctxmgr_code (*list)(void *user, const char *name_space, size_t name_space_size, const char *prefix,
                      size_t prefix_size, const char *after, size_t after_size, size_t limit, ctxmgr_keys *keys);
  ctxmgr_code (*erase_namespace)(void *user, const char *name_space, size_t name_space_size);
} ctxmgr_store;

/* Asked around each compaction of a thread: {"phase": "before", "scope": …, "compaction": {"reason", "messages": [{"first",
   "last"}], "tokens_before", "tokens_after", "prefix_tokens_kept"}} in, messages counted from 1. The reply, which may be
   left out: before it {"keep": [3, 4]}, numbers of messages that shall stay whole; after it {"text": "…"}, what the model
   should know then. A code other than CTXMGR_OK counts as no reply. Called from several threads at once. */
typedef ctxmgr_code (*ctxmgr_compaction_fn)(void *user, const char *event, size_t size, ctxmgr_reply *reply);

/* The ports of a manager. Every callback may be NULL. They must not be called after ctxmgr_manager_destroy(). */
typedef struct ctxmgr_callbacks {
  size_t struct_size; /* sizeof(ctxmgr_callbacks) */
  void *user;         /* Handed to `complete`, `count` and `compaction`. */
  ctxmgr_complete_fn complete;
  ctxmgr_count_fn count; /* NULL: the library's own exact counters, and estimates for other models. */
  const char *tokenizer; /* Which vocabulary `count` is of, "" or NULL: it serves any model. */
  int32_t count_is_exact;
  const ctxmgr_store *store; /* Keeps sessions and summaries. NULL: as the options say, else memory. */
  ctxmgr_compaction_fn compaction; /* NULL: nobody is asked. */
} ctxmgr_callbacks;

/* Decides what a model sees. Thread-safety: all functions that take one may be called from several threads at once, but
   for ctxmgr_manager_destroy(). */
typedef struct ctxmgr_manager ctxmgr_manager;

/* `error`, here and below: NULL, or where the message of a failure goes (to be freed); it is set to NULL otherwise. */
CTXMGR_C_API ctxmgr_code ctxmgr_manager_create(const char *options, size_t size, const ctxmgr_callbacks *callbacks,
                                               ctxmgr_manager **manager, ctxmgr_text **error);
CTXMGR_C_API void ctxmgr_manager_destroy(ctxmgr_manager *manager); /* NULL: nothing happens. */

/* Fits a request into its budget: {"body": …, "max_input_tokens": …} in, {"body": …, "metadata": …, "thread_state": …}
   out. Blocks. */
CTXMGR_C_API ctxmgr_code ctxmgr_build(const ctxmgr_manager *manager, const char *request, size_t size,
                                      ctxmgr_text **result, ctxmgr_text **error);

/* A conversation that grows, so that a step costs reading what is new and not the whole. It holds a chat request's
   messages and the thread state. Thread-safety: calls with one thread wait for each other. The manager must outlive it. */
typedef struct ctxmgr_thread ctxmgr_thread;
CTXMGR_C_API ctxmgr_code ctxmgr_thread_create(const ctxmgr_manager *manager, ctxmgr_thread **thread,
                                              ctxmgr_text **error);
CTXMGR_C_API void ctxmgr_thread_destroy(ctxmgr_thread *thread); /* NULL: nothing happens. */

/* As ctxmgr_build(), with two differences: the body's messages are those that are new, and "keep": N says that of the
   messages so far the first N stay and the others go. A call that fails leaves the thread as it was. */
CTXMGR_C_API ctxmgr_code ctxmgr_thread_build(ctxmgr_thread *thread, const char *request, size_t size,
                                             ctxmgr_text **result, ctxmgr_text **error);

/* ctxmgr_build() as a dry run: the plan and the receipt. */
CTXMGR_C_API ctxmgr_code ctxmgr_plan(const ctxmgr_manager *manager, const char *request, size_t size,
                                     ctxmgr_text **result, ctxmgr_text **error);

/* A receipt as a table for people: the `metadata` of a result in; what was sent and what was left out, and why, out. */
CTXMGR_C_API ctxmgr_code ctxmgr_explain(const char *metadata, size_t size, ctxmgr_text **result, ctxmgr_text **error);

/* Summaries of messages that the next compaction of a thread hides, made before it, so that no build waits for a model. Takes what
   ctxmgr_build() took last, with its result's `thread_state` and a `scope` or `session`; does nothing before the room is 0.8
   full. Blocks while `complete` is called: for a thread of your own. {"calls": …, "prompt_tokens": …, "completion_tokens": …,
   "total_tokens": …} out. CTXMGR_INVALID_ARGUMENT without `complete`. */
CTXMGR_C_API ctxmgr_code ctxmgr_prepare_compaction(const ctxmgr_manager *manager, const char *request, size_t size,
                                                   ctxmgr_text **result, ctxmgr_text **error);

/* The same of the thread's messages and state: the body has no messages. Builds of the thread do not wait for it. */
CTXMGR_C_API ctxmgr_code ctxmgr_thread_prepare_compaction(ctxmgr_thread *thread, const char *request, size_t size,
                                                          ctxmgr_text **result, ctxmgr_text **error);

/* The same where the host makes the calls itself, with or without `complete`. Thread-safety: calls with one preparation wait
   for each other. The manager must outlive it; a thread need not. */
typedef struct ctxmgr_preparation ctxmgr_preparation;
CTXMGR_C_API ctxmgr_code ctxmgr_start_compaction(const ctxmgr_manager *manager, const char *request, size_t size,
                                                 ctxmgr_preparation **preparation, ctxmgr_text **error);
CTXMGR_C_API ctxmgr_code ctxmgr_thread_start_compaction(ctxmgr_thread *thread, const char *request, size_t size,
                                                        ctxmgr_preparation **preparation, ctxmgr_text **error);
CTXMGR_C_API void ctxmgr_preparation_destroy(ctxmgr_preparation *preparation); /* NULL: nothing happens. */

/* What to ask now: {"calls": [{"id": 1, "request": …}], "done": false} out, a chat request in OpenAI's form each, given out
   once. Replies may bring further calls; "done" says that there will be none. */
CTXMGR_C_API ctxmgr_code ctxmgr_preparation_next(ctxmgr_preparation *preparation, ctxmgr_text **result,
                                                 ctxmgr_text **error);

/* The outcome of one: a chat completion with CTXMGR_OK, else a code and a message. An id that is not waited for is ignored. */
CTXMGR_C_API ctxmgr_code ctxmgr_preparation_reply(ctxmgr_preparation *preparation, uint64_t id, ctxmgr_code code,
                                                  const char *reply, size_t size, ctxmgr_text **error);

/* Tokens of a text for a model. Never below 0. */
CTXMGR_C_API ctxmgr_code ctxmgr_count(const ctxmgr_manager *manager, const char *model, size_t model_size,
                                      const char *text, size_t text_size, int64_t *tokens, ctxmgr_text **error);

/* The tools by which a model reads back texts that builds of a session left out: {"session": …, "form": "openai"} in, an array
   of definitions out. */
CTXMGR_C_API ctxmgr_code ctxmgr_tools(const ctxmgr_manager *manager, const char *request, size_t size,
                                      ctxmgr_text **result, ctxmgr_text **error);

/* For the system prompt: when and how to use them. Lives for ever. */
CTXMGR_C_API const char *ctxmgr_tool_instructions(void);

/* Runs one of them: {"session": …, "id": …, "name": …, "arguments": …} in, the tool's message out. A model's mistake is
   a message, too. CTXMGR_NOT_FOUND where it is no tool of ours. */
CTXMGR_C_API ctxmgr_code ctxmgr_call_tool(const ctxmgr_manager *manager, const char *request, size_t size,
                                          ctxmgr_text **result, ctxmgr_text **error);

/* NOLINTEND */

#ifdef __cplusplus
}
#endif

#endif

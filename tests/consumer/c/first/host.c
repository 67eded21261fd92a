/* A host that was compiled long ago: everything that the first header had, with its structs and its codes. Its store
   keeps eight values at most, which is enough for one text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctxmgr/c/ctxmgr.h"

#define EXPECT(holds) \
  if (!(holds)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds), exit(1)

static int64_t counted, written;

/* A word is a token. */
static int64_t count_words(void *user, const char *text, size_t size) {
  int64_t words = 1;
  size_t i;
  for (i = 0; i < size; ++i) words += text[i] == ' ';
  ++*(int64_t *)user;
  return words;
}

static ctxmgr_code complete(void *user, const char *request, size_t size, int64_t timeout_ms, ctxmgr_reply *reply) {
  (void)user, (void)request, (void)size, (void)timeout_ms;
  ctxmgr_reply_set(reply, "down", 4);
  return CTXMGR_UNAVAILABLE;
}

static struct {
  char key[256], *value;
  size_t size;
} kept[8];

static ctxmgr_code read_values(void *user, const char *space, size_t space_size, const char *const *keys, const size_t *sizes,
                               size_t count, ctxmgr_values *values) {
  size_t i, j;
  (void)user, (void)space, (void)space_size;
  for (i = 0; i < count; ++i)
    for (j = 0; j < 8; ++j)
      if (kept[j].value && strlen(kept[j].key) == sizes[i] && memcmp(kept[j].key, keys[i], sizes[i]) == 0)
        ctxmgr_values_set(values, i, kept[j].value, kept[j].size, 1);
  return CTXMGR_OK;
}

static ctxmgr_code write_values(void *user, const char *space, size_t space_size, const ctxmgr_change *changes, size_t count,
                                uint64_t *version) {
  size_t i, j;
  (void)user, (void)space, (void)space_size;
  for (i = 0; i < count; ++i) {
    if (changes[i].value == NULL) continue;
    for (j = 0; j < 8 && kept[j].value; ++j) {
    }
    if (j == 8 || changes[i].key_size >= sizeof kept[j].key) return CTXMGR_LIMIT_EXCEEDED;
    memcpy(kept[j].key, changes[i].key, changes[i].key_size);
    kept[j].value = malloc(changes[i].value_size + 1);
    memcpy(kept[j].value, changes[i].value, changes[i].value_size);
    kept[j].size = changes[i].value_size;
    ++written;
  }
  *version = 1;
  return CTXMGR_OK;
}

static ctxmgr_code list_keys(void *user, const char *space, size_t space_size, const char *prefix, size_t prefix_size,
                             const char *after, size_t after_size, size_t limit, ctxmgr_keys *keys) {
  (void)user, (void)space, (void)space_size, (void)prefix, (void)prefix_size, (void)after, (void)after_size, (void)limit;
  (void)keys;
  return CTXMGR_OK;
}

static ctxmgr_code erase(void *user, const char *space, size_t space_size) {
  (void)user, (void)space, (void)space_size;
  return CTXMGR_OK;
}

static ctxmgr_text *result, *error;

/* What the last call gave. */
static const char *done(ctxmgr_code code) {
  if (code != CTXMGR_OK) fprintf(stderr, "%s: %s\n", ctxmgr_code_name(code), ctxmgr_text_data(error)), exit(1);
  EXPECT(result != NULL && ctxmgr_text_size(result) == strlen(ctxmgr_text_data(result)));
  return ctxmgr_text_data(result);
}

static void forget(ctxmgr_text **text) {
  ctxmgr_text_free(*text);
  *text = NULL;
}

int main(void) {
  static char request[20000];
  ctxmgr_store store = {sizeof(ctxmgr_store), NULL, read_values, write_values, list_keys, erase};
  ctxmgr_callbacks callbacks = {sizeof(ctxmgr_callbacks), &counted, complete, count_words, NULL, 0, &store};
  ctxmgr_manager *manager = NULL;
  int64_t tokens = 0;
  int i;

  EXPECT(ctxmgr_manager_create("{}", 2, &callbacks, &manager, &error) == CTXMGR_OK);
  EXPECT(ctxmgr_count(manager, "words", 5, "three short words", 17, &tokens, &error) == CTXMGR_OK);
  EXPECT(tokens == 3 && counted > 0);

  strcpy(request, "{\"max_input_tokens\":400,\"session\":\"s\",\"body\":{\"model\":\"words\",\"messages\":["
                  "{\"role\":\"user\",\"content\":\"Which line is late?\"}],"
                  "\"attachments\":[{\"id\":\"log\",\"content\":\"");
  for (i = 0; i < 200; ++i) sprintf(request + strlen(request), "Line %d was on time today. ", i);
  strcat(request, "Line 7 was late.\"}]}}");
  EXPECT(strstr(done(ctxmgr_build(manager, request, strlen(request), &result, &error)), "Line 7 was late") != NULL);
  EXPECT(written > 0); /* What was left out of the log. */
  forget(&result);
  EXPECT(strstr(done(ctxmgr_plan(manager, request, strlen(request), &result, &error)), "\"plan\"") != NULL);
  forget(&result);

  strcpy(request, "{\"session\":\"s\",\"form\":\"openai\"}");
  EXPECT(strstr(done(ctxmgr_tools(manager, request, strlen(request), &result, &error)), "get_context") != NULL);
  forget(&result);
  strcpy(request, "{\"session\":\"s\",\"id\":\"1\",\"name\":\"none_of_ours\",\"arguments\":\"{}\"}");
  EXPECT(ctxmgr_call_tool(manager, request, strlen(request), &result, &error) == CTXMGR_NOT_FOUND);
  forget(&error);

  EXPECT(ctxmgr_build(manager, "{", 1, &result, &error) == CTXMGR_INVALID_ARGUMENT && result == NULL && error != NULL);
  forget(&error);
  EXPECT(strcmp(ctxmgr_code_name(CTXMGR_BUDGET_EXCEEDED), "budget_exceeded") == 0);
  ctxmgr_manager_destroy(manager);
  printf("a host of the first header runs with %s\n", ctxmgr_version());
  return 0;
}

/* A host in plain C. */
#include <stdio.h>
#include <string.h>

#include "ctxmgr/c/ctxmgr.h"

#ifdef __LP64__
/* What hosts that are compiled already hand over; fields are added at the ends only. */
typedef char change_size[sizeof(ctxmgr_change) == 56 ? 1 : -1];
typedef char store_size[sizeof(ctxmgr_store) == 48 ? 1 : -1];
typedef char callbacks_size[sizeof(ctxmgr_callbacks) == 64 ? 1 : -1];
#endif

int main(void) {
  const char *request =
      "{\"max_input_tokens\": 100, \"body\": {\"model\": \"gpt-4o\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}}";
  ctxmgr_manager *manager = NULL;
  ctxmgr_text *result = NULL, *error = NULL;
  if (ctxmgr_manager_create(NULL, 0, NULL, &manager, &error) != CTXMGR_OK) return 1;
  if (ctxmgr_build(manager, request, strlen(request), &result, &error) != CTXMGR_OK) {
    fprintf(stderr, "%s\n", ctxmgr_text_data(error));
    return 1;
  }
  if (strstr(ctxmgr_text_data(result), "\"hi\"") == NULL) return 1;
  ctxmgr_text_free(result);
  ctxmgr_manager_destroy(manager);
  printf("%s\n", ctxmgr_version());
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of text read no further than they must: main uses what is behind at the same time.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static char text[32] = "a=b;c";
static wchar_t wide[8] = L"ab";

static void *look(void *unused)
{
  char own[16] = "k,l", *rest = own;
  assert(strchr(text, '=') == text + 1 && memchr(text, '=', 32) == text + 1 && strcspn(text, "=") == 1);
  assert(strncasecmp(text, "A=", 2) == 0 && strcasecmp(text, "B") < 0 && strcmp(text, "b") < 0);
  assert(strpbrk(text, "=;") == text + 1 && strstr(text, "a=") == text && strnlen(text, 3) == 3);
  assert(wcscmp(wide, L"b") < 0 && wcschr(wide, L'a') == wide);
  assert(strcmp(strsep(&rest, ","), "k") == 0 && strcmp(rest, "l") == 0);
  assert(strcmp(strncat(own, "mnop", 2), "kmn") == 0 && mempcpy(own, "q", 1) == own + 1);
  char *copy = strndup(text, 2);
  assert(strcmp(copy, "a=") == 0);
  free(copy);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  text[8] = 'x';
  wide[4] = L'x';
  pthread_join(thread, NULL);
  return 0;
}

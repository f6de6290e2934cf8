/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of stress tests in the environment and in schedule files; see subset_text.h.
 */
#include "schedule/subset_text.h"
#include <ctype.h>
#include <stdlib.h>

static void print_calls(FILE *out, const struct subset *s, uint32_t thread)
{
  const char *comma = "";
  for (uint32_t first = 0; first < s->calls; first++) {
    if (!subset_has(s, thread, first))
      continue;
    uint32_t last = first;
    while (subset_has(s, thread, last + 1))
      last++;
    fprintf(out, last > first ? "%s%u-%u" : "%s%u", comma, first, last);
    comma = ",";
    first = last;
  }
}

void subset_print(FILE *out, const struct subset *s)
{
  const char *between = "";
  for (uint32_t t = 0; t < s->threads; t++) {
    if (!subset_has_thread(s, t))
      continue;
    fprintf(out, "%s%u:", between, t);
    print_calls(out, s, t);
    between = ";";
  }
}

static bool read_number(const char **at, uint32_t below, uint32_t *number)
{
  char *end;
  if (!isdigit((unsigned char)**at))
    return false;
  unsigned long value = strtoul(*at, &end, 10);
  *at = end;
  *number = (uint32_t)value;
  return value < below;
}

static bool read_calls(struct subset *s, uint32_t thread, const char **at)
{
  for (;;) {
    uint32_t first, last;
    if (!read_number(at, s->calls, &first))
      return false;
    last = first;
    if (**at == '-') {
      ++*at;
      if (!read_number(at, s->calls, &last))
        return false;
    }
    for (uint32_t call = first; call <= last; call++)
      subset_add(s, thread, call);
    if (**at != ',')
      return true;
    ++*at;
  }
}

bool subset_read(struct subset *s, const char *text)
{
  uint32_t thread;
  while (read_number(&text, s->threads, &thread) && *text++ == ':' && read_calls(s, thread, &text)) {
    if (!*text)
      return true;
    if (*text++ != ';')
      return false;
  }
  return false;
}

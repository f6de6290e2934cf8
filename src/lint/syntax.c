/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of a unit from bytes; see the header. Bytes come from a cache that anything may have happened to: what does not
 * fit together is refused.
 */
#include "lint/syntax.h"
#include "lint/syntax_draft.h"
#include <stdlib.h>
#include <string.h>

uint32_t syntax_child(const struct syntax *s, uint32_t node, unsigned which)
{
  uint32_t end = node + s->node[node].size, at = node + 1;
  for (; at < end && which; which--)
    at += s->node[at].size;
  return at < end ? at : SYNTAX_NONE;
}

void syntax_close(struct syntax *s)
{
  free(s->bytes);
  *s = (struct syntax){0};
}

static bool is_text(const struct syntax *s, uint32_t text)
{
  return text < s->text_bytes;
}

static bool nodes_fit(const struct syntax *s)
{
  for (uint32_t i = 0; i < s->nodes; i++) {
    const struct syntax_node *n = &s->node[i];
    if (n->kind >= SYNTAX_KINDS || n->op >= OPERATORS || !n->size || n->size > s->nodes - i ||
        (n->symbol != SYNTAX_NONE && n->symbol >= s->symbols) || !is_text(s, n->text))
      return false;
    for (uint32_t child = i + 1; child < i + n->size; child += s->node[child].size)
      if (!s->node[child].size || s->node[child].size > i + n->size - child)
        return false;
  }
  return true;
}

static bool tables_fit(const struct syntax *s)
{
  bool good = s->text_bytes && !s->text[s->text_bytes - 1] && is_text(s, s->problem);
  for (uint32_t i = 0; good && i < s->symbols; i++)
    good = is_text(s, s->symbol[i].name) && is_text(s, s->symbol[i].type);
  for (uint32_t i = 0; good && i < s->functions; i++)
    good = s->function[i].symbol < s->symbols && s->function[i].node < s->nodes && is_text(s, s->function[i].file);
  for (uint32_t i = 0; good && i < s->overrides; i++)
    good = s->override[i].method < s->symbols && s->override[i].overridden < s->symbols;
  for (uint32_t i = 0; good && i < s->sources; i++)
    good = is_text(s, s->source[i].path);
  return good;
}

/* The next part of the bytes, `count` of a size; NULL: there are not so many. */
static const void *part(const char **at, const char *end, uint64_t count, size_t size)
{
  const char *begin = *at;
  const size_t bytes = (size_t)count * size;
  if (bytes > (size_t)(end - begin))
    return NULL;
  *at = begin + bytes;
  return begin;
}

static bool divide(struct syntax *s, const struct syntax_head *head)
{
  const char *at = (const char *)s->bytes + sizeof *head, *end = (const char *)s->bytes + s->byte_count;
  s->nodes = head->nodes;
  s->symbols = head->symbols;
  s->functions = head->functions;
  s->overrides = head->overrides;
  s->sources = head->sources;
  s->text_bytes = head->text_bytes;
  s->problem = head->problem;
  return (s->symbol = part(&at, end, s->symbols, sizeof *s->symbol)) &&
         (s->source = part(&at, end, s->sources, sizeof *s->source)) &&
         (s->function = part(&at, end, s->functions, sizeof *s->function)) &&
         (s->override = part(&at, end, s->overrides, sizeof *s->override)) &&
         (s->node = part(&at, end, s->nodes, sizeof *s->node)) && (s->text = part(&at, end, s->text_bytes, 1)) &&
         at == end;
}

bool syntax_open(struct syntax *s, void *bytes, size_t count)
{
  struct syntax_head head;
  *s = (struct syntax){.bytes = bytes, .byte_count = count};
  bool good = count >= sizeof head;
  if (good) {
    memcpy(&head, bytes, sizeof head);
    good = !memcmp(head.title, SYNTAX_TITLE, sizeof head.title) &&
           head.hash == syntax_hash(head, (char *)bytes + sizeof head, count - sizeof head) && divide(s, &head) &&
           tables_fit(s) && nodes_fit(s);
  }
  if (!good)
    syntax_close(s);
  return good;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of facts that grow; see the header.
 */
#include "lint/syntax_draft.h"
#include <stdlib.h>
#include <string.h>

bool syntax_draft_open(struct syntax_draft *d)
{
  *d = (struct syntax_draft){.text_room = 4096, .text = calloc(1, 4096), .text_bytes = 1};
  d->failed = !d->text;
  return !d->failed;
}

void syntax_draft_close(struct syntax_draft *d)
{
  free(d->node);
  free(d->symbol);
  free(d->function);
  free(d->override);
  free(d->source);
  free(d->text);
  free(d->text_slot);
  free(d->declared);
  *d = (struct syntax_draft){0};
}

/* Room for `more` of them; false: no memory. */
static bool grow(struct syntax_draft *d, void *list, size_t count, size_t more, size_t *room, size_t size)
{
  if (count + more <= *room)
    return true;
  size_t wanted = *room ? *room : 256;
  while (wanted < count + more)
    wanted *= 2;
  void *grown = count + more < UINT32_MAX ? realloc(*(void **)list, wanted * size) : NULL;
  d->failed |= !grown;
  if (!grown)
    return false;
  *(void **)list = grown;
  *room = wanted;
  return true;
}

/* ---- texts ---- */

static uint32_t *text_slot(const struct syntax_draft *d, const char *text, size_t length)
{
  size_t at = hash_bytes(HASH_START, text, length) & (d->text_slots - 1);
  for (; d->text_slot[at]; at = (at + 1) & (d->text_slots - 1)) {
    const char *known = d->text + d->text_slot[at];
    if (!strncmp(known, text, length) && !known[length])
      break;
  }
  return &d->text_slot[at];
}

static bool grow_text_slots(struct syntax_draft *d)
{
  if (2 * d->texts < d->text_slots)
    return true;
  const size_t old_slots = d->text_slots, slots = old_slots ? 2 * old_slots : 1024;
  uint32_t *old = d->text_slot, *slot = calloc(slots, sizeof *slot);
  d->failed |= !slot;
  if (!slot)
    return false;
  d->text_slot = slot;
  d->text_slots = slots;
  for (size_t i = 0; i < old_slots; i++)
    if (old[i])
      *text_slot(d, d->text + old[i], strlen(d->text + old[i])) = old[i];
  free(old);
  return true;
}

uint32_t syntax_draft_text(struct syntax_draft *d, const char *text, size_t length)
{
  if (!length || !grow_text_slots(d))
    return 0;
  uint32_t *slot = text_slot(d, text, length);
  if (*slot)
    return *slot;
  if (!grow(d, &d->text, d->text_bytes, length + 1, &d->text_room, 1))
    return 0;
  memcpy(d->text + d->text_bytes, text, length);
  d->text[d->text_bytes + length] = '\0';
  *slot = d->text_bytes;
  d->text_bytes += (uint32_t)length + 1;
  d->texts++;
  return *slot;
}

/* ---- nodes ---- */

uint32_t syntax_draft_begin(struct syntax_draft *d, enum syntax_kind kind, uint32_t line)
{
  if (!grow(d, &d->node, d->nodes, 1, &d->node_room, sizeof *d->node))
    return 0; /* there is one, or nothing will be read of it */
  d->node[d->nodes] = (struct syntax_node){.kind = (uint8_t)kind, .line = line, .size = 1, .symbol = SYNTAX_NONE};
  return d->nodes++;
}

void syntax_draft_end(struct syntax_draft *d, uint32_t node)
{
  if (!d->failed)
    d->node[node].size = d->nodes - node;
}

void syntax_draft_cut(struct syntax_draft *d, uint32_t node)
{
  if (!d->failed)
    d->nodes = node;
}

void syntax_draft_unwrap(struct syntax_draft *d, uint32_t node, uint32_t count)
{
  if (d->failed)
    return;
  memmove(d->node + node, d->node + node + count, (d->nodes - node - count) * sizeof *d->node);
  d->nodes -= count;
}

/* ---- symbols ---- */

static struct syntax_declared *declared_slot(const struct syntax_draft *d, const void *declaration)
{
  size_t at = mix64((uint64_t)(uintptr_t)declaration) & (d->declared_slots - 1);
  while (d->declared[at].declaration && d->declared[at].declaration != declaration)
    at = (at + 1) & (d->declared_slots - 1);
  return &d->declared[at];
}

static bool grow_declared(struct syntax_draft *d)
{
  if (2 * d->declared_count < d->declared_slots)
    return true;
  const size_t old_slots = d->declared_slots, slots = old_slots ? 2 * old_slots : 1024;
  struct syntax_declared *old = d->declared, *fresh = calloc(slots, sizeof *fresh);
  d->failed |= !fresh;
  if (!fresh)
    return false;
  d->declared = fresh;
  d->declared_slots = slots;
  for (size_t i = 0; i < old_slots; i++)
    if (old[i].declaration)
      *declared_slot(d, old[i].declaration) = old[i];
  free(old);
  return true;
}

uint32_t syntax_draft_declared(const struct syntax_draft *d, const void *declaration)
{
  const struct syntax_declared *slot = d->declared_slots ? declared_slot(d, declaration) : NULL;
  return slot && slot->declaration ? slot->symbol : SYNTAX_NONE;
}

/* An id is known by a declaration of its own that nothing in memory has: an odd address. */
static const void *address_of_id(uint64_t id)
{
  return (const void *)(uintptr_t)(id | 1);
}

uint32_t syntax_draft_declare(struct syntax_draft *d, const void *declaration, struct syntax_symbol symbol)
{
  uint32_t number = syntax_draft_declared(d, address_of_id(symbol.id));
  if (number == SYNTAX_NONE || d->symbol[number].id != symbol.id) {
    if (!grow(d, &d->symbol, d->symbols, 1, &d->symbol_room, sizeof *d->symbol))
      return SYNTAX_NONE;
    number = d->symbols++;
    d->symbol[number] = symbol;
  }
  const void *const keys[] = {declaration, address_of_id(symbol.id)};
  for (size_t i = 0; i < 2 && grow_declared(d); i++) {
    struct syntax_declared *slot = declared_slot(d, keys[i]);
    d->declared_count += !slot->declaration;
    *slot = (struct syntax_declared){.declaration = keys[i], .symbol = number};
  }
  return number;
}

void syntax_draft_function(struct syntax_draft *d, struct syntax_function function)
{
  if (grow(d, &d->function, d->functions, 1, &d->function_room, sizeof *d->function))
    d->function[d->functions++] = function;
}

void syntax_draft_override(struct syntax_draft *d, struct syntax_override override)
{
  if (grow(d, &d->override, d->overrides, 1, &d->override_room, sizeof *d->override))
    d->override[d->overrides++] = override;
}

void syntax_draft_source(struct syntax_draft *d, const char *path, uint64_t hash)
{
  const uint32_t text = syntax_draft_text(d, path, strlen(path));
  if (grow(d, &d->source, d->sources, 1, &d->source_room, sizeof *d->source))
    d->source[d->sources++] = (struct syntax_source){.path = text, .hash = hash};
}

/* ---- bytes ---- */

void *syntax_draft_pack(const struct syntax_draft *d, size_t *count)
{
  struct syntax_head head = {.title = SYNTAX_TITLE,
                             .nodes = d->nodes,
                             .symbols = d->symbols,
                             .functions = d->functions,
                             .overrides = d->overrides,
                             .sources = d->sources,
                             .text_bytes = d->text_bytes,
                             .problem = d->problem};
  const struct {
    const void *from;
    size_t bytes;
  } parts[] = {{d->symbol, d->symbols * sizeof *d->symbol},
               {d->source, d->sources * sizeof *d->source},
               {d->function, d->functions * sizeof *d->function},
               {d->override, d->overrides * sizeof *d->override},
               {d->node, d->nodes * sizeof *d->node},
               {d->text, d->text_bytes}};
  *count = sizeof head;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *count += parts[i].bytes;
  char *bytes = d->failed ? NULL : malloc(*count), *at = bytes;
  if (!bytes)
    return NULL;
  at += sizeof head;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].bytes)
      memcpy(at, parts[i].from, parts[i].bytes);
    at += parts[i].bytes;
  }
  head.hash = syntax_hash(head, bytes + sizeof head, *count - sizeof head);
  memcpy(bytes, &head, sizeof head);
  return bytes;
}

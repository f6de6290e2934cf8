/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of a unit while they are read: lists that grow, and in the end bytes (syntax.h). Texts and symbols are kept
 * once each. For syntax_read.c; nothing here knows C.
 */
#ifndef HEDDLE_LINT_SYNTAX_DRAFT_H
#define HEDDLE_LINT_SYNTAX_DRAFT_H

#include "core/hash.h"
#include "lint/syntax.h"

/* How bytes begin. The hash is that of all the rest. */
#define SYNTAX_TITLE "heddle facts 4\n"
struct syntax_head {
  char title[16];
  uint64_t hash;
  uint32_t nodes, symbols, functions, overrides, sources, text_bytes, problem;
  uint32_t zero;
};

static inline uint64_t syntax_hash(struct syntax_head head, const void *rest, size_t count)
{
  head.hash = 0;
  return hash_bytes(hash_bytes(HASH_START, &head, sizeof head), rest, count);
}

struct syntax_draft {
  struct syntax_node *node;
  struct syntax_symbol *symbol;
  struct syntax_function *function;
  struct syntax_override *override;
  struct syntax_source *source;
  char *text;
  uint32_t nodes, symbols, functions, overrides, sources, text_bytes, problem;
  size_t node_room, symbol_room, function_room, override_room, source_room, text_room;
  uint32_t *text_slot; /* of texts by their hashes, 0 for a free one */
  size_t text_slots, texts;
  struct syntax_declared *declared; /* symbols of declarations by their addresses */
  size_t declared_slots, declared_count;
  bool failed; /* no memory left */
};

struct syntax_declared {
  const void *declaration; /* NULL: a free one */
  uint32_t symbol;
};

bool syntax_draft_open(struct syntax_draft *d);
void syntax_draft_close(struct syntax_draft *d);

/* The number of a text; 0 is the empty one. */
uint32_t syntax_draft_text(struct syntax_draft *d, const char *text, size_t length);

/* A node without what is below it; syntax_draft_end() when that has been put. */
uint32_t syntax_draft_begin(struct syntax_draft *d, enum syntax_kind kind, uint32_t line);
void syntax_draft_end(struct syntax_draft *d, uint32_t node);
/* Nodes from that one on are dropped. */
void syntax_draft_cut(struct syntax_draft *d, uint32_t node);
/* That many nodes, each the only child of the one before, are dropped from around the last node of all and what is
 * below it. */
void syntax_draft_unwrap(struct syntax_draft *d, uint32_t node, uint32_t count);

/* The symbol of a declaration that was seen; SYNTAX_NONE: it was not. */
uint32_t syntax_draft_declared(const struct syntax_draft *d, const void *declaration);
/* A symbol, the same for the same id, as that of a declaration. */
uint32_t syntax_draft_declare(struct syntax_draft *d, const void *declaration, struct syntax_symbol symbol);

void syntax_draft_function(struct syntax_draft *d, struct syntax_function function);
void syntax_draft_override(struct syntax_draft *d, struct syntax_override override);
void syntax_draft_source(struct syntax_draft *d, const char *path, uint64_t hash);

/* All of it as bytes, malloc'ed; NULL: no memory was left, now or before. */
void *syntax_draft_pack(const struct syntax_draft *d, size_t *count);

#endif

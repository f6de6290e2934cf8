/* SPDX-License-Identifier: Apache-2.0
 *
 * Cursors of libclang as texts, places and symbols of a draft. Of no concern outside of syntax_*.c.
 */
#ifndef HEDDLE_LINT_SYNTAX_CURSOR_H
#define HEDDLE_LINT_SYNTAX_CURSOR_H

#include "frontend/translation_unit.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include "lint/syntax_draft.h"

/* Where macros are expanded; arguments of macros where they are written. All offsets are in one file. */
struct extent {
  CXFile file;
  unsigned from, to, line;
  unsigned written_from, written_to;
  bool from_macro; /* its first word comes from a macro */
};

/* The text of a file. libclang looks for it through all expansions of macros, each time that it is asked: nine
 * tenths of the time that sources with many macros took. */
struct file_contents {
  CXFile file; /* NULL: a free one */
  const char *text;
  size_t length;
};
#define FILES_SEEN 64

struct syntax_reader {
  const struct libclang *clang;
  CXTranslationUnit unit;
  struct syntax_draft *draft;
  CXCursor *child; /* a stack of children of cursors */
  size_t children, child_room;
  unsigned macro; /* offset of the macro that is read, 0 for none */
  uint64_t (*hash_of)(const char *path);
  struct file_contents *seen;    /* FILES_SEEN of them, each where its file's address says */
  uint32_t inside;               /* symbol of the function, or the global variable, that is read */
  struct syntax_node *kept_node; /* of lambdas in it (syntax_read_lambda.c) */
  struct kept_lambda *kept_lambda;
  size_t kept_nodes, kept_lambdas;
};

struct extent extent_of(const struct syntax_reader *r, CXCursor cursor);

/* The file's text, NULL if it is not known. */
const char *file_text(const struct syntax_reader *r, CXFile file, size_t *length);

/* What the source has there, in one line; cut when it is long. */
uint32_t source_text_of(const struct syntax_reader *r, const struct extent *e);

/* The word that the cursor begins with, as it is spelled, in a macro, too. */
uint32_t first_word(const struct syntax_reader *r, CXCursor cursor);

/* Behind the string, character or comment that begins there; the same place if none does. */
unsigned skip_aside(const char *text, size_t length, unsigned at);

/* Where the use of a macro with arguments ends that begins there; 0: there is none. */
unsigned macro_end(const struct syntax_reader *r, const struct extent *e);

/* The arguments of that use, as they are written; how many, at most `most`. */
struct text_range {
  unsigned from, to;
};
unsigned macro_arguments(const struct syntax_reader *r, const struct extent *e, struct text_range *out, unsigned most);

/* Whether libclang's name begins with that of the type of a lambda. */
bool is_lambda_type(const char *name);
/* The id of a lambda, by the name that libclang has for how it is called. */
uint64_t lambda_id(const char *name);

/* The symbol of a declaration. */
uint32_t symbol_of(struct syntax_reader *r, CXCursor declaration);
/* One for a constructor of a class that only an instance of a template decides. */
uint32_t symbol_of_constructor(struct syntax_reader *r, CXType type);
/* One for the type of what a pointer to a function points to. */
uint32_t symbol_of_pointer(struct syntax_reader *r, CXCursor callee);

#endif
#endif

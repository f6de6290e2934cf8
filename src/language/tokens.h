/* SPDX-License-Identifier: Apache-2.0
 *
 * Words, numbers, strings and signs of a text, with the line and the column of each: what the parsers of schedules
 * (order_*) and of properties (property_*) read. The next token is there to be looked at before it is taken.
 *
 * The first error counts; after it only the end of the text is left, so that a parser comes to its own end without
 * asking after every step. Nothing is allocated: tokens point into the text, which must outlive them.
 */
#ifndef HEDDLE_LANGUAGE_TOKENS_H
#define HEDDLE_LANGUAGE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
  enum token_kind kind;
  const char *text; /* of a string: without the quotes */
  size_t length;
  unsigned line, column; /* from 1 */
};

struct language_error {
  unsigned line, column; /* 0: there is none */
  char text[240];        /* a sentence without the place */
};

enum comments { COMMENTS_LIKE_C, COMMENTS_AFTER_HASH };

struct tokens {
  const char *at, *line_begin;
  unsigned line;
  enum comments comments;
  struct token next;
  struct language_error error;
};

void tokens_begin(struct tokens *t, const char *text, enum comments comments);

/* The next token, which is gone then. */
struct token tokens_take(struct tokens *t);
/* Whether the next one is this sign or word; taken by the second if it is. */
bool tokens_next_is(const struct tokens *t, const char *text);
bool tokens_accept(struct tokens *t, const char *text);
/* Taken, or an error that says what was expected where. */
bool tokens_expect(struct tokens *t, const char *text);
/* A name, as which `what` ("the name of an event") is expected. */
struct token tokens_name(struct tokens *t, const char *what);
/* Everything from the next token up to the character, which is not part of it; the end of the line ends it, too. */
struct token tokens_raw(struct tokens *t, char until);

/* All that is between the next token, which is a "{", and its "}"; both are taken. */
struct token tokens_block(struct tokens *t);

bool tokens_failed(const struct tokens *t);
void tokens_fail(struct tokens *t, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." */
void tokens_unexpected(struct tokens *t, const char *what);

bool token_is(const struct token *token, const char *text);
/* The text of a token in memory of the caller, cut if need be. */
const char *token_copy(const struct token *token, char *text, size_t size);

#endif

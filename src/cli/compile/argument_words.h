/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of arguments for compilers, which grow, and end the program when there is no memory.
 */
#ifndef HEDDLE_CLI_ARGUMENT_WORDS_H
#define HEDDLE_CLI_ARGUMENT_WORDS_H

#include <stddef.h>

/* Owns its strings; NULL-terminated once it has a word. */
struct argument_words {
  char **item;
  size_t count;
};

/* The pointer, unless it is NULL. */
void *need_memory(void *p);

/* Takes a malloc'ed word. */
void words_take(struct argument_words *words, char *word);
void words_add(struct argument_words *words, const char *word);
void words_add_all(struct argument_words *words, const char *const *list);
void words_free(struct argument_words *words);

/* Splits text as the compilers split response files: at blanks, but for quotes and backslashes. */
void words_split(struct argument_words *words, const char *text);
/* Adds a word, or for @file the words in it. A file that cannot be read stands for itself, as with the compilers. */
void words_expand(struct argument_words *words, const char *word, unsigned depth);

#endif

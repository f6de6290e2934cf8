/* SPDX-License-Identifier: Apache-2.0
 *
 * The language of orderings: the text of HD_SCHEDULE (heddle.h).
 *
 *     schedule  = { ordering [","] }
 *     ordering  = condition "->" event
 *     condition = event | "[" event "]" | "(" condition ")" | condition "&&" condition | condition "||" condition
 *     event     = { name "." } name [ "@" thread ] | "start" "@" thread | "end" "@" thread
 *     thread    = name { "." number }
 *
 * "&&" binds tighter than "||"; space and lines are free, and "#" begins a comment to the end of its line. The thread
 * is left out of an event that only one thread can come to.
 *
 * HD_FORMULA has a richer one (core/formula.h says what it means):
 *
 *     formula   = arrow { "," arrow }
 *     arrow     = term [ "->" term ]
 *     term      = event | "[" thread "]" | "!" term | "(" arrow ")" | term "&&" term | term "||" term
 *
 * Neither allocates nor calls libc, as tests that run without heddle read their own orderings.
 */
#ifndef HEDDLE_LANGUAGE_ORDER_PARSE_H
#define HEDDLE_LANGUAGE_ORDER_PARSE_H

#include "core/ordering.h"

struct order_error {
  unsigned line, column; /* of the first character that is wrong, from 1; columns are bytes */
  char text[192];        /* "expected -> after the condition, found ," */
};

enum order_kind { ORDER_SCHEDULE, ORDER_PIN, ORDER_FORMULA }; /* as heddle_schedule.h numbers them */

/* What the text says, checked (order_check.h); false, with the first error, if it says nothing or cannot be kept. The
 * name of the ordering is left empty. */
bool order_parse(const char *text, struct ordering *out, struct order_error *error);
/* The same for a text of any kind. */
bool order_read(enum order_kind kind, const char *text, struct ordering *out, struct order_error *error);

#endif

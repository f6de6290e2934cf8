/* SPDX-License-Identifier: Apache-2.0
 *
 * A statement taken apart where threads can come between its accesses: what it reads first, then the events, then the
 * rest. Pure: text in, text out.
 *
 *     counter++;    →    {
 *                          __typeof__(counter) hd_old = counter;
 *                          HD_EVENT(add_has_read_counter);
 *                          counter = hd_old + 1;
 *                        }
 */
#ifndef HEDDLE_REPORT_PIN_SPLIT_H
#define HEDDLE_REPORT_PIN_SPLIT_H

#include "report/pin/pin_statement.h"

/* What stands in place of the statement with the events, each a line of its own as `indent` has it, between what it
 * reads and what it writes: an assignment, or ++ and -- of a variable. malloc'ed; NULL: it is no such statement, or no
 * memory. */
char *split_update(const char *text, const char *code, const struct source_statement *s, const char *indent,
                   const char *events);

/* Where the name of something that is read stands in the expression of a statement, as a whole: `top` in `top->next`.
 * False: it does not. */
bool find_operand_text(const char *code, const struct source_statement *s, const char *name, size_t *from, size_t *to);

/* The mutex of a pthread_cond_wait() in the statement, as the source has it. False: there is none. */
bool find_wait_mutex(const char *code, const struct source_statement *s, size_t *from, size_t *to);

#endif

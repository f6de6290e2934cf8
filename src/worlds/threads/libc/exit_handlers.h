/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs when the program ends; see exit_handlers.c.
 */
#ifndef HEDDLE_RUNTIME_EXIT_HANDLERS_H
#define HEDDLE_RUNTIME_EXIT_HANDLERS_H

/* main is about to begin for the first time: what is registered now is so in every execution. */
void exit_handlers_keep(void);
/* Another execution: what this one registered is forgotten. */
void exit_handlers_reset(void);

#endif

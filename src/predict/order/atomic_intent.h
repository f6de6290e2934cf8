/* SPDX-License-Identifier: Apache-2.0
 *
 * Which two accesses of a thread were meant to be one step. Nobody says so in a program; these are guesses from where
 * they stand, made so that programs that are right are left in peace. Pure.
 */
#ifndef HEDDLE_PREDICT_ATOMIC_INTENT_H
#define HEDDLE_PREDICT_ATOMIC_INTENT_H

#include "predict/order/run_order.h"

/* The code is written for the value to change between the two. */
bool expects_change(const struct run_order *o, const struct kept_access *first, const struct kept_access *second);

/* They lie in one call of a function, so many calls below it included, and not in two turns of its loop or in two
 * updates that are each whole. across: the locks held from the one to the other. */
bool in_one_call(const struct run_order *o, const struct trace *tables, const struct kept_access *first,
                 const struct kept_access *second, uint32_t across, uint32_t levels);

#endif

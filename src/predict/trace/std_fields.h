/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of an event that the STD form writes by name; its number and its operation are written in their own
 * way. */
#ifndef HEDDLE_PREDICT_STD_FIELDS_H
#define HEDDLE_PREDICT_STD_FIELDS_H

#define STD_FIELDS(X)                                                                                                  \
  X(thread)                                                                                                            \
  X(object)                                                                                                            \
  X(second)                                                                                                            \
  X(site)                                                                                                              \
  X(stack)                                                                                                             \
  X(other)                                                                                                             \
  X(order)                                                                                                             \
  X(flags)                                                                                                             \
  X(length)                                                                                                            \
  X(addr)                                                                                                              \
  X(value)                                                                                                             \
  X(cause)

#endif

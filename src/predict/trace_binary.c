/* SPDX-License-Identifier: Apache-2.0
 *
 * The binary form of a trace, as heddle record writes it.
 */
#include "predict/tables.h"

bool binary_begin(struct trace_reader *r, char *error, size_t error_size)
{
  (void)r;
  snprintf(error, error_size, "this is no trace that heddle knows");
  return false;
}

bool binary_next(struct trace_reader *r, struct event *event, char *error, size_t error_size)
{
  (void)r, (void)event, (void)error, (void)error_size;
  return false;
}

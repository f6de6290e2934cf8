/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of threads by creation path: `main`, `T1` is main's first child, `T2` its second, `T2.1` is T2's first child.
 * The first thread of another process has a P: `P3`, main's third child, and `P3.1`, a thread of that.
 *
 * The names hold across executions and runs of the tool, so schedule files and reports both use them. Nothing here
 * knows of files or of output.
 */
#ifndef HEDDLE_TRACE_THREAD_NAME_H
#define HEDDLE_TRACE_THREAD_NAME_H

#include "core/control.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_NAME_SIZE 48 /* enough for reports; longer paths lose their middle */

/* The whole name of threads[index], malloc'ed. NULL when there is no memory, index is not below count, or the table is
 * not a tree with main (nth 0) at its root. */
char *thread_name_new(const struct schedule_thread *threads, uint32_t count, uint32_t index);

/* The same into a buffer. A name that is too long is cut in its middle; where there is no name the result is
 * `thread 7`. Cannot fail; n must not be 0. */
void thread_name(const struct schedule_thread *threads, uint32_t count, uint32_t index, char *out, size_t n);
void thread_info_name(const struct thread_info *threads, uint32_t count, uint32_t index, char *out, size_t n);

/* Whether the text has the form of a thread's name. */
bool thread_name_valid(const char *text);

/* Of a valid name: whether it is that of the first thread of a process. */
bool thread_name_begins_process(const char *text);

/* Splits a valid name other than "main" into its parent's name (malloc'ed, *parent) and its number. False when there
 * is no memory or the number is 0 or does not fit; *parent is then NULL. */
bool thread_name_split(const char *text, char **parent, uint32_t *nth);

#endif

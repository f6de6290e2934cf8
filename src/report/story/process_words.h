/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of an execution in words: what each is called, where it came from, whose memory is meant, which signal
 * went where, which message was received. Of no concern outside the reports.
 *
 * A process is called by its first thread: main, P1, P1.P2. Private memory of another process than the first is told
 * with that name before it ("P1's count"), since both have a variable of that name; memory that processes share has
 * none.
 */
#ifndef HEDDLE_REPORT_PROCESS_WORDS_H
#define HEDDLE_REPORT_PROCESS_WORDS_H

#include "report/story/story_words.h"

#define NO_SENDER SIZE_MAX

/* How many processes there were. */
uint32_t process_count(const struct story *story);
/* The process of a thread, by number. */
uint32_t process_of(const struct story *story, uint32_t thread);
/* Its first thread. */
uint32_t first_thread_of(const struct story *story, uint32_t process);

void describe_process(const struct story *story, uint32_t process, char out[THREAD_NAME_SIZE]);

/* "P1 is a child of main, forked at jobs.c:14, and runs sort"; empty for the first one. */
void describe_process_origin(const struct story *story, uint32_t process, char out[SENTENCE_SIZE]);

/* "jobs.c:14"; empty when it was not forked, or by a library. */
void describe_fork_place(const struct story *story, uint32_t process, char out[PLACE_SIZE]);

/* "P1's ", if the address is of memory that only that process has; else empty. */
void describe_owner(const struct story *story, uintptr_t addr, char out[THREAD_NAME_SIZE + 4]);

/* The name of the process that has that id, as its parent is told; false: there is none. */
bool describe_child(const struct story *story, int32_t id, char out[THREAD_NAME_SIZE]);

/* "SIGUSR1". */
void describe_signal(int signal, char *out, size_t n);
/* "SIGUSR1 to P1", of an OP_SIGNAL_SEND. */
void describe_sent_signal(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE]);

/* The event that sent the last one of the signals that a thread waits for, or the end of a child of its process, if
 * that did; NULL: neither. */
const struct trace_event *last_signal_to(const struct story *story, const struct bug_party *party);
/* ", the last one was SIGUSR1, sent by P1 at x.c:12, before the wait began", of a thread that waits for a signal. */
void describe_last_signal(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE]);

/* Of an event that received bytes: the one that sent the first of them. NULL: it is none, or it is not known. */
const struct trace_event *message_source(const struct story *story, const struct trace_event *event);
/* "in the handler of SIGUSR1, from P1", of an event there. */
void describe_handler(const struct story *story, size_t event, char *out, size_t n);

/* Of an event that received something, or ran in a handler for the first time: the event that sent it. NO_SENDER: none,
 * or it is not known. */
size_t event_sender(const struct story *story, size_t event);

#endif

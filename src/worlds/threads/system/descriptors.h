/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors, for the other files of the runtime; see kernel/table.c and descriptor_waits.c.
 */
#ifndef HEDDLE_RUNTIME_DESCRIPTORS_H
#define HEDDLE_RUNTIME_DESCRIPTORS_H

#include "worlds/threads/system/call.h"
#include <fcntl.h>
#include <poll.h>

/* ---- which descriptors there are (kernel/table.c) ---- */

/* One of this execution's, not of the process that heddle started. */
bool descriptor_is_controlled(long fd);
/* The next after that number, -1 to begin with; -1: there is none. */
long descriptor_next(long fd);
/* One of ours, of which the kernel knows nothing. */
bool descriptor_is_modelled(long fd);
/* The same, and of none of the kernel's in a set of it either. */
bool descriptor_is_inside(long fd);
/* A number that means nothing. */
bool descriptor_is_free(long fd);
/* Takes note of a new one, which the kernel gave that number; returns the one it has to the program, or the error. */
long descriptor_opened(long fd);
/* It is gone. */
void descriptor_closed(long fd);
/* What the current thread did so far comes before what is read from it. */
void descriptor_released(long fd);
/* The current thread has read from it, or, without knowing which, from any of the kernel's. */
void descriptor_acquired(long fd);
void descriptors_acquired(void);
/* All calls on one open file description, by whatever descriptors. 0: not known. */
uint32_t descriptor_description(long fd);
/* How many the program may have is another number now. */
void descriptor_limit_changed(void);
/* An inherited one is closed. */
void descriptor_inherited_closed(long fd);

/* ---- waiting for them (descriptor_waits.c) ---- */

/* What a thread waits for. Where op->arg points to, all processes see it, but not the set. */
#define SEEN_BY_OTHERS 64
enum wait_kind { WAIT_SET, WAIT_LOCK, WAIT_WRITER, WAIT_READER };
struct fd_wait {
  enum wait_kind kind;
  struct pollfd *set; /* WAIT_SET */
  size_t count;
  bool later;       /* the client had not done its part in time: not before everybody waits (client.c) */
  uint64_t in_vain; /* tried already, in that kernel_state() */
  struct pollfd seen_by_others[SEEN_BY_OTHERS]; /* the set, for other processes */
  bool kernels;                                 /* some of them are the kernel's */
  bool outside;                                 /* or wait for somebody outside */
  bool by_flags;                                /* it is over if the descriptor is set not to block meanwhile */
  struct fifo *fifo;                            /* WAIT_WRITER, WAIT_READER: of a FIFO that is being opened */
  uint32_t seen;                                /* how many writers there had been */
  uint64_t device, file;                        /* WAIT_LOCK: of which file, by which description */
  uint32_t description;
  bool exclusive, record;
  int64_t from, to;
};

/* The turn to look whether a descriptor is ready, without waiting for it. */
void look_at_fd(long fd, short events, uintptr_t pc);
/* Wait until the descriptor is ready for that; at once if it is set not to block. 0, or -EINTR. in_vain: it was tried
 * in that kernel_state() (0: not tried), and nothing is different before the next. */
long wait_for_fd(long fd, short events, uint64_t in_vain, uintptr_t pc);
/* Wait for one of the set, for so long (ns, < 0 for ever). 0, or -EINTR. deadline: the virtual time when it is over. */
long wait_for_any(struct pollfd *set, size_t count, int64_t timeout, uintptr_t pc, int64_t *deadline);

/* A wait with an end is over; if it was for the outside, and in vain for long, so is the execution. */
void end_if_in_vain(struct fd_wait *w);
/* As poll() without waiting, whosoever the descriptors are. */
long look_at_set(struct pollfd *set, size_t count, unsigned thread);

/* Calls that wait for something else than data. UNKNOWN: not one of those. */
long open_fifo(const struct call *call, long flags);
long lock_file(const struct call *call);
long lock_records(const struct call *call);
void fifo_closed(long fd);
void records_unlocked(long fd);           /* one of the process' descriptors of the file is about to be closed */
void file_unlocked(uint32_t description); /* its last descriptor is closed, or the program says so */
void descriptor_waits_reset(void);

/* ---- several processes (kernel/table.c) ---- */

void descriptors_begin(void); /* once, before all others */
void descriptors_fork(unsigned process, unsigned copy);
void descriptors_process_ended(unsigned process);
void descriptors_exec(void);
/* Numbers are meant as another process has them, for a moment. */
void numbers_of(unsigned process);
void numbers_of_own(void);

#endif

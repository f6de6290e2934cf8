/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous requests to read, write and sync: their state, and the tasks that perform them; see the source.
 */
#ifndef HEDDLE_RUNTIME_AIO_REQUESTS_H
#define HEDDLE_RUNTIME_AIO_REQUESTS_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/notification.h"
#include <aio.h>

/* Several of one lio_listio(): who waits for all of them. */
struct aio_group {
  uint32_t left;
  struct notice notify;
};

/* Submits what the control block asks for: operation as LIO_READ and LIO_WRITE, or O_SYNC and O_DSYNC with sync. group:
 * NULL for none. Returns the request's number, + 1; 0, with errno and in the block, if it is refused. */
uint32_t aio_submit(struct aiocb *block, int operation, bool sync, struct aio_group *group, uintptr_t pc);
/* A group for so many; NULL: there are too many. */
struct aio_group *aio_new_group(uint32_t members, const struct notice *notify);

/* One that is not over has that block; its number + 1, 0: none. */
uint32_t aio_in_progress(const struct aiocb *block);
/* Waits until one of the blocks, or all of them, is not in progress. 0 or an errno. deadline: < 0 for none. */
int aio_wait(const struct aiocb *const *blocks, int count, bool all, int64_t deadline, uintptr_t pc);
/* Cancels those of the descriptor that nobody has begun with: of that block, or all (NULL). AIO_*, as the program wants
 * to know. */
int aio_cancel_requests(int fd, const struct aiocb *block, uintptr_t pc);
/* A step that looks at the block's result; what its task did comes before, if it is over. */
void aio_look(const struct aiocb *block, uintptr_t pc);

bool aio_ready(unsigned thread, const struct operation *op);
/* The tasks may wait for something outside the program. */
bool aio_is_outside(void);
void aio_reset(void);
extern const struct object_model aio_model;

#endif

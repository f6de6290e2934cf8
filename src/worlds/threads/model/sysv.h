/* SPDX-License-Identifier: Apache-2.0
 *
 * What System V semaphores, message queues and shared memory have in common: keys, ids, owners. The ids are virtual,
 * and none is there when an execution begins.
 */
#ifndef HEDDLE_RUNTIME_SYSV_H
#define HEDDLE_RUNTIME_SYSV_H

#include "worlds/threads/system/call.h"
#include "worlds/threads/system/permission.h"
#include <sys/ipc.h>

#define SYSV_IDS 128

struct sysv_table {
  bool any;
  struct sysv_id {
    bool used;
    int key;
    uint32_t sequence; /* how often the place was used */
    struct owner owner, creator;
  } id[SYSV_IDS];
};

/* The place of what has that key, or of a new one; or -errno. created: it is new, and is taken only by sysv_take(). */
long sysv_find(const struct sysv_table *table, int key, int flags, bool *created);
/* Returns the new id. */
int sysv_take(struct sysv_table *table, long place, int key, int flags);
int sysv_id_at(const struct sysv_table *table, long place);
/* The place of that id, or -EINVAL, or -EIDRM if it is gone. */
long sysv_place(const struct sysv_table *table, int id);
/* What the others ask to be told, and change, of an owner. */
struct ipc_perm sysv_permissions(const struct sysv_id *id);
long sysv_set_owner(struct sysv_id *id, const struct ipc_perm *to);
void sysv_reset(struct sysv_table *table);

/* System calls of theirs. */
long sysv_semaphore_call(const struct call *call);
long sysv_message_call(const struct call *call);
long sysv_segment_call(const struct call *call);

/* Not in a program that explores itself, whose calls go by unseen. */
#define SYSV_IS_MODELLED (hd_self && hd_own.filter)

#endif

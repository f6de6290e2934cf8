/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header. The files of a kind have a table each.
 */
#include "worlds/threads/model/sysv.h"
#include "core/without_libc.h"
#include <errno.h>

#define IDS_APART 32768 /* ids of one place, as the kernel has it */

void sysv_reset(struct sysv_table *table)
{
  if (table->any)
    fill_bytes(table, 0, sizeof *table);
}

static long new_place(const struct sysv_table *table)
{
  for (long i = 0; i < SYSV_IDS; i++)
    if (!table->id[i].used)
      return i;
  return -ENOSPC;
}

static unsigned access_of(int flags)
{
  unsigned wanted = (unsigned)flags & 0777;
  return (wanted | wanted >> 3 | wanted >> 6) & 7;
}

long sysv_find(const struct sysv_table *table, int key, int flags, bool *created)
{
  *created = false;
  for (long i = 0; i < SYSV_IDS && key != IPC_PRIVATE; i++) {
    const struct sysv_id *id = &table->id[i];
    if (!id->used || id->key != key)
      continue;
    if (flags & IPC_CREAT && flags & IPC_EXCL)
      return -EEXIST;
    return owner_permits(&id->owner, access_of(flags)) ? i : -EACCES;
  }
  if (key != IPC_PRIVATE && !(flags & IPC_CREAT))
    return -ENOENT;
  *created = true;
  return new_place(table);
}

int sysv_take(struct sysv_table *table, long place, int key, int flags)
{
  struct sysv_id *id = &table->id[place];
  table->any = id->used = true;
  id->key = key;
  id->owner = id->creator = owner_new((unsigned)flags, false);
  return sysv_id_at(table, place);
}

int sysv_id_at(const struct sysv_table *table, long place)
{
  return (int)(place + (long)table->id[place].sequence * IDS_APART);
}

long sysv_place(const struct sysv_table *table, int id)
{
  long place = id % IDS_APART;
  if (id < 0 || place >= SYSV_IDS)
    return -EINVAL;
  if (table->id[place].used)
    return sysv_id_at(table, place) == id ? place : -EIDRM;
  return -EINVAL;
}

struct ipc_perm sysv_permissions(const struct sysv_id *id)
{
  return (struct ipc_perm){.__key = id->key,
                           .uid = id->owner.uid,
                           .gid = id->owner.gid,
                           .cuid = id->creator.uid,
                           .cgid = id->creator.gid,
                           .mode = (unsigned short)id->owner.mode,
                           .__seq = (unsigned short)id->sequence};
}

long sysv_set_owner(struct sysv_id *id, const struct ipc_perm *to)
{
  if (!is_owner(&id->owner) && !is_owner(&id->creator))
    return -EPERM;
  id->owner = (struct owner){to->uid, to->gid, to->mode & 0777};
  return 0;
}

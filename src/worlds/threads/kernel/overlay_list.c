/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a folder: first what the real one has, without what the overlay knows better, then what the overlay has.
 * A stream of a folder is known by the open file description that it is read through.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/memory/transfer.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#define LISTS 256
#define OURS (INT64_C(1) << 62) /* positions behind all of the real folder */
#define CHUNK 4096

/* As the kernel has it (getdents64). */
struct item {
  uint64_t number;
  int64_t next; /* the position behind it */
  uint16_t size;
  uint8_t type;
  char name[];
};

static struct {
  unsigned count;
  struct list {
    uint32_t description;
    int64_t at;
  } list[LISTS];
} state SYSTEM;

void lists_reset(void)
{
  state.count = 0;
}

static bool is_open(uint32_t description)
{
  for (long fd = -1; (fd = descriptor_next(fd)) >= 0;)
    if (descriptor_description(fd) == description)
      return true;
  return false;
}

static void forget_closed(void)
{
  for (unsigned i = 0; i < state.count; i++)
    if (!is_open(state.list[i].description))
      state.list[i--] = state.list[--state.count];
}

static struct list *list_of(long fd)
{
  uint32_t description = descriptor_description(fd);
  if (state.count == LISTS)
    forget_closed();
  for (unsigned i = 0; i < state.count; i++)
    if (state.list[i].description == description)
      return &state.list[i];
  if (state.count == LISTS)
    fail(place_in_program(0), "the program reads more than %d folders at a time that it changed; use --files real",
         LISTS);
  long at = sys(SYS_lseek, fd, 0L, SEEK_CUR); /* it may have begun with the real one alone */
  state.list[state.count] = (struct list){description, at < 0 ? 0 : at};
  return &state.list[state.count++];
}

/* ---- the real part ---- */

static bool is_dots(const char *name)
{
  return !text_compare(name, ".") || !text_compare(name, "..");
}

/* The real folder's items from a position on. How many bytes, 0 at its end. */
static long real_items(node_id folder, int64_t at, char *out, size_t size)
{
  long fd = sys(SYS_open, node_real_path(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return fd;
  sys(SYS_lseek, fd, at, SEEK_SET);
  long n = sys(SYS_getdents64, fd, out, size);
  sys(SYS_close, fd);
  return n;
}

bool folder_is_empty(node_id folder)
{
  static char items[CHUNK];
  uint32_t index = 0;
  for (struct file_entry *e; (e = entry_next(folder, &index));)
    if (e->node)
      return false;
  int64_t at = 0;
  for (long n; node_at(folder)->real && (n = real_items(folder, at, items, sizeof items)) > 0;)
    for (long i = 0; i < n;) {
      struct item *item = (struct item *)(items + i);
      if (!is_dots(item->name) && !entry_find(folder, item->name))
        return false;
      at = item->next;
      i += item->size;
    }
  return true;
}

/* ---- items for the program ---- */

struct out {
  char *to;
  size_t room, used;
};

static bool put_item(struct out *out, uint64_t number, int64_t next, uint8_t type, const char *name)
{
  size_t length = text_length(name), size = (offsetof(struct item, name) + length + 1 + 7) & ~(size_t)7;
  if (size > out->room - out->used)
    return false;
  struct item *item = (struct item *)(out->to + out->used);
  item->number = number;
  item->next = next;
  item->size = (uint16_t)size;
  item->type = type;
  copy_bytes(item->name, name, length + 1);
  out->used += size;
  return true;
}

/* False: there is no room for more. */
static bool put_real(node_id folder, struct list *l, struct out *out)
{
  static char items[CHUNK];
  for (long n; (n = real_items(folder, l->at, items, sizeof items)) > 0;)
    for (long i = 0; i < n;) {
      const struct item *item = (const struct item *)(items + i);
      bool known = !is_dots(item->name) && entry_find(folder, item->name);
      if (!known && !put_item(out, item->number, item->next, item->type, item->name))
        return false;
      l->at = item->next;
      i += item->size;
    }
  return true;
}

static bool put_dots(node_id folder, struct list *l, struct out *out)
{
  for (; l->at < 2; l->at++)
    if (!put_item(out, node_at(l->at ? node_at(folder)->parent : folder)->number, l->at + 1, DT_DIR,
                  l->at ? ".." : "."))
      return false;
  return true;
}

static bool put_ours(node_id folder, struct list *l, struct out *out)
{
  uint32_t index = (uint32_t)(l->at & (OURS - 1));
  for (struct file_entry *e; (e = entry_next(folder, &index)); l->at = OURS + index) {
    const struct file_node *n = node_at(e->node);
    if (e->node && !put_item(out, n->number, OURS + index, (uint8_t)IFTODT(n->mode), e->name))
      return false;
  }
  return true;
}

long list_call(const struct call *c, node_id folder)
{
  struct list *l = list_of(c->arg[0]);
  struct out out = {(char *)c->arg[1], (size_t)(unsigned)c->arg[2], 0};
  bool real = node_at(folder)->real;
  if (!node_at(folder)->links)
    return -ENOENT;
  touch_outputs(c);
  if (l->at < OURS && (real ? put_real(folder, l, &out) : put_dots(folder, l, &out)))
    l->at = OURS;
  bool all = l->at >= OURS && put_ours(folder, l, &out);
  return out.used || all ? (long)out.used : -EINVAL;
}

long list_seek(const struct call *c, node_id folder)
{
  (void)folder;
  struct list *l = list_of(c->arg[0]);
  if (c->arg[2] == SEEK_CUR && !c->arg[1])
    return l->at;
  if (c->arg[2] != SEEK_SET || c->arg[1] < 0)
    return -EINVAL;
  return l->at = c->arg[1];
}

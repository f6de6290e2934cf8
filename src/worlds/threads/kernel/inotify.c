/* SPDX-License-Identifier: Apache-2.0
 *
 * inotify: what is done to the files of the overlay, told in its order to those who watch them. The calls that do it
 * say so (notice_*), whoever makes them; whatever is done to the real files meanwhile, nobody hears of. What is told,
 * in which order and as what is as in fsnotify of the kernel: the folder before the file, and nothing twice in a row.
 */
#include "worlds/threads/kernel/inotify.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/epoll.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <sys/inotify.h>

#define WATCHES 1024
#define QUEUED_MOST 16384
#define HOW (IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK | IN_MASK_ADD | IN_MASK_CREATE | IN_ONESHOT)

struct watch {
  uint16_t set; /* channel; 0: none */
  node_id node;
  int number;
  uint32_t mask;
};

static struct {
  struct watch watch[WATCHES];
  unsigned end, count; /* none from there on; so many */
  uint32_t moves;
} state SYSTEM;

bool files_are_watched(void)
{
  return state.count;
}

void inotify_reset(void)
{
  for (unsigned i = 0; i < state.end; i++)
    state.watch[i].set = 0;
  state.end = state.count = 0;
  state.moves = 0;
}

uint32_t notice_moves(void)
{
  return ++state.moves;
}

/* ---- queues ---- */

static bool is_last(const struct channel *c, const struct inotify_event *e, const char *name)
{
  struct inotify_event last;
  char last_name[NAME_MOST + 17];
  size_t size = sizeof *e + e->len;
  if (!c->bytes.count || c->notices.last_size != size || e->cookie)
    return false;
  bytes_look(&c->bytes, c->bytes.count - size, &last, sizeof last);
  bytes_look(&c->bytes, c->bytes.count - e->len, last_name, e->len);
  return last.wd == e->wd && last.mask == e->mask && !last.cookie && (!e->len || !text_compare(last_name, name));
}

static void put(uint16_t set, int watch, uint32_t mask, uint32_t moved, const char *name)
{
  struct channel *c = channel_at(set);
  char padded[NAME_MOST + 17] = {0};
  size_t length = name ? (text_length(name) + 1 + sizeof(struct inotify_event) - 1) / sizeof(struct inotify_event) *
                             sizeof(struct inotify_event)
                       : 0;
  if (c->notices.queued == QUEUED_MOST) {
    watch = -1;
    mask = IN_Q_OVERFLOW;
    moved = 0;
    length = 0;
  }
  struct inotify_event event = {.wd = watch, .mask = mask, .cookie = moved, .len = (uint32_t)length};
  if (length)
    print_text(padded, sizeof padded, "%s", name);
  if (is_last(c, &event, padded) || c->notices.queued > QUEUED_MOST)
    return;
  bytes_put(&c->bytes, &event, sizeof event);
  bytes_put(&c->bytes, padded, length);
  c->notices.last_size = (uint32_t)(sizeof event + length);
  c->notices.queued++;
  release_to(&c->clock);
  channel_changed(set);
  epoll_wake(set, POLLIN);
}

static void drop(struct watch *w)
{
  put(w->set, w->number, IN_IGNORED, 0, NULL);
  w->set = 0;
  state.count--;
}

/* All that watch it hear of it, but for those with the mask `unless`; name: in a folder, else it is about what they
 * watch. */
static void tell(node_id node, uint32_t what, uint32_t unless, bool is_folder, uint32_t moved, const char *name)
{
  for (unsigned i = 0; i < state.end; i++) {
    struct watch *w = &state.watch[i];
    if (!w->set || w->node != node || !(w->mask & what) || w->mask & unless)
      continue;
    put(w->set, w->number, (what & IN_ALL_EVENTS) | (is_folder ? IN_ISDIR : 0), moved, name);
    if (w->mask & IN_ONESHOT)
      drop(w);
  }
}

/* ---- what is done ---- */

void notice_name(node_id folder, const char *name, uint32_t what, bool is_folder, uint32_t moved)
{
  if (state.count)
    tell(folder, what, 0, is_folder, moved, name);
}

void notice_itself(node_id node, uint32_t what)
{
  if (state.count)
    tell(node, what, 0, node_is_folder(node), 0, NULL);
}

void notice_file(node_id node, uint32_t what)
{
  const struct file_node *n = node_at(node);
  if (!state.count || !node)
    return;
  if (node != ROOT)
    tell(n->parent, what, n->links ? 0 : IN_EXCL_UNLINK, S_ISDIR(n->mode), 0, node_name(node));
  notice_itself(node, what);
}

static void notice_gone(node_id node)
{
  tell(node, IN_DELETE_SELF, 0, false, 0, NULL);
  for (unsigned i = 0; i < state.end; i++)
    if (state.watch[i].set && state.watch[i].node == node)
      drop(&state.watch[i]);
}

/* By how many descriptors of this process. */
static unsigned times_open(node_id node)
{
  struct stat s;
  unsigned n = 0;
  for (long fd = -1; (fd = descriptor_next(fd)) >= 0;)
    n += !descriptor_is_modelled(fd) && node_of_descriptor(fd, &s) == node;
  return n;
}

bool is_watched(node_id node)
{
  for (unsigned i = 0; i < state.end; i++)
    if (state.watch[i].set && state.watch[i].node == node)
      return true;
  return false;
}

void notice_unlinked(node_id node)
{
  const struct file_node *n = node_at(node);
  if (!state.count || !is_watched(node))
    return;
  if (!S_ISDIR(n->mode))
    notice_itself(node, IN_ATTRIB);
}

void notice_forgotten(node_id node)
{
  if (!state.count || !is_watched(node) || node_at(node)->links)
    return;
  if (!process_is_last())
    lose(LOST_CALLS); /* who else has it open is not known */
  if (!times_open(node))
    notice_gone(node);
}

void notice_descriptor(long fd, uint32_t what)
{
  if (state.count && !descriptor_is_standard(fd))
    notice_file(node_of_open(fd), what);
}

void notice_closing(long fd)
{
  const struct description *d = description_of(fd);
  if (!state.count || !d || is_modelled(d) || d->references > 1)
    return;
  node_id node = node_of_open(fd);
  bool writes = (sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
  if (!node)
    return;
  if (node_at(node)->mapped && is_watched(node))
    lose(LOST_CALLS); /* it is open until the memory is gone, too */
  notice_file(node, writes ? IN_CLOSE_WRITE : IN_CLOSE_NOWRITE);
  if (!node_at(node)->links && is_watched(node) && times_open(node) == 1)
    notice_gone(node);
}

/* ---- the descriptor ---- */

static unsigned events(const struct description *d, unsigned thread)
{
  (void)thread;
  return channel_at(d->channel)->bytes.count ? POLLIN | POLLRDNORM : 0;
}

static long read_notices(struct description *d, struct transfer_call *t)
{
  struct channel *c = channel_at(d->channel);
  struct inotify_event next;
  size_t done = 0;
  if (!c->bytes.count)
    return -EAGAIN;
  while (bytes_look(&c->bytes, 0, &next, sizeof next) && done + sizeof next + next.len <= t->size) {
    done += transfer_from_bytes(t, &c->bytes, sizeof next + next.len, false);
    c->notices.queued--;
  }
  if (!done)
    return -EINVAL;
  acquire_from(&c->clock);
  channel_changed(d->channel);
  return (long)done;
}

static long write_nothing(struct description *d, struct transfer_call *t)
{
  (void)d, (void)t;
  return -EBADF;
}

static void close_notices(struct description *d)
{
  for (unsigned i = 0; i < state.end; i++)
    if (state.watch[i].set == d->channel) {
      state.watch[i].set = 0;
      state.count--;
    }
  channel_changed(d->channel);
  channel_release(d->channel);
}

/* All that has to do with files may add to it. */
static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, true);
  out->count = CHANNELS_TOUCHED + 1;
}

const struct channel_rules notice_rules = {.name = "descriptor of inotify",
                                           .events = events,
                                           .read = read_notices,
                                           .write = write_nothing,
                                           .close = close_notices,
                                           .touch = touch};

/* ---- calls ---- */

long inotify_call(const struct call *c)
{
  long flags = c->number == SYS_inotify_init1 ? (int)c->arg[0] : 0;
  if (!overlay_is_on())
    return UNKNOWN;
  if (flags & ~(IN_CLOEXEC | IN_NONBLOCK))
    return -EINVAL;
  uint16_t channel = channel_new(CHANNEL_NOTICES, c->pc);
  return number_give(description_new(CHANNEL_NOTICES, channel, O_RDONLY | (uint32_t)(flags & O_NONBLOCK)),
                     flags & IN_CLOEXEC);
}

static struct watch *watch_of(uint16_t set, node_id node)
{
  for (unsigned i = 0; i < state.end; i++)
    if (state.watch[i].set == set && state.watch[i].node == node)
      return &state.watch[i];
  return NULL;
}

static struct watch *new_watch(uint16_t set, node_id node)
{
  unsigned i = 0;
  while (i < state.end && state.watch[i].set)
    i++;
  if (i == WATCHES)
    return NULL;
  if (i == state.end)
    state.end++;
  state.count++;
  state.watch[i] = (struct watch){.set = set, .node = node, .number = ++channel_at(set)->notices.watches};
  return &state.watch[i];
}

long watch_file(const struct call *c, node_id node, long flags)
{
  (void)flags;
  const struct description *d = description_of((int)c->arg[0]);
  uint32_t mask = (uint32_t)c->arg[2];
  if (!d || d->kind != CHANNEL_NOTICES)
    return d ? -EINVAL : -EBADF;
  if (!(mask & IN_ALL_EVENTS) || (mask & IN_MASK_ADD && mask & IN_MASK_CREATE))
    return -EINVAL;
  if (mask & IN_ONLYDIR && !node_is_folder(node))
    return -ENOTDIR;
  long result = node_permits(node, R_OK, false);
  if (result)
    return result;
  struct watch *w = watch_of(d->channel, node);
  if (w && mask & IN_MASK_CREATE)
    return -EEXIST;
  bool adds = w && mask & IN_MASK_ADD;
  if (!w)
    w = new_watch(d->channel, node);
  if (!w)
    return -ENOSPC;
  w->mask = (adds ? w->mask : 0) | (mask & (IN_ALL_EVENTS | IN_EXCL_UNLINK | IN_ONESHOT));
  if (!S_ISREG(node_at(node)->mode) && !node_is_folder(node))
    lose(LOST_CALLS); /* what goes through a FIFO is not told */
  return w->number;
}

long forget_watch_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  step_to_change(&fd, 1, SYSTEM_FILES, 0, c->pc);
  const struct description *d = description_of(fd);
  if (!d || d->kind != CHANNEL_NOTICES)
    return d ? -EINVAL : -EBADF;
  for (unsigned i = 0; i < state.end; i++)
    if (state.watch[i].set == d->channel && state.watch[i].number == (int)c->arg[1]) {
      drop(&state.watch[i]);
      return 0;
    }
  return -EINVAL;
}

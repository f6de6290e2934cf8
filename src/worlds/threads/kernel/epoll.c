/* SPDX-License-Identifier: Apache-2.0
 *
 * epoll: sets of descriptors that somebody has interest in. What is ready is found by looking at the members; of those
 * with EPOLLET, at those to which something came since they were last told of. Members that are the kernel's are in a
 * set of the kernel's behind ours. Waiting for a set is in system/polling.c.
 */
#include "worlds/threads/kernel/epoll.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/ready_signals.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>

#define INTERESTS 8192
#define KEPT_FROM 1100
#define NESTED_MOST 5

struct interest {
  uint32_t next;
  uint16_t set;         /* channel of the epoll set */
  uint16_t description; /* 0: the kernel's */
  int fd;
  uint32_t events;
  uint64_t data;
  bool armed; /* something came since it was last told of */
};

static struct {
  struct interest interest[INTERESTS]; /* [0] is never used */
  uint32_t fresh, free;
  int behind[16]; /* sets of the kernel's, with the channels that they are behind */
  uint16_t behind_of[16];
  unsigned behinds;
} pool SYSTEM;

void epoll_reset(void)
{
  for (unsigned i = 0; i < pool.behinds; i++)
    sys(SYS_close, pool.behind[i]);
  pool.behinds = 0;
  pool.fresh = 1;
  pool.free = 0;
}

static struct interest *each(uint16_t set, struct interest *after)
{
  uint32_t next = after ? after->next : channel_at(set)->interests;
  return next ? &pool.interest[next] : NULL;
}

/* ---- the kernel's part ---- */

static int *behind(uint16_t set, bool make)
{
  for (unsigned i = 0; i < pool.behinds; i++)
    if (pool.behind_of[i] == set)
      return &pool.behind[i];
  if (!make)
    return NULL;
  if (pool.behinds == sizeof pool.behind / sizeof *pool.behind)
    fail(0, "the program has more than %zu epoll sets with files, devices or sockets of the outside",
         sizeof pool.behind / sizeof *pool.behind);
  long fd = sys(SYS_epoll_create1, EPOLL_CLOEXEC), high = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_FROM);
  sys(SYS_close, fd);
  pool.behind_of[pool.behinds] = set;
  pool.behind[pool.behinds] = (int)high;
  return &pool.behind[pool.behinds++];
}

bool epoll_has_real(const struct description *d)
{
  if (behind(d->channel, false))
    return true;
  for (struct interest *i = NULL; (i = each(d->channel, i));) {
    const struct description *member = description_at(i->description);
    if (member->kind == CHANNEL_EPOLL && epoll_has_real(member))
      return true;
  }
  return false;
}

bool descriptor_is_inside(long fd)
{
  const struct description *d = description_of(fd);
  return is_modelled(d) && !(d->kind == CHANNEL_EPOLL && epoll_has_real(d));
}

/* ---- what is ready ---- */

static unsigned ready_events(const struct interest *i, unsigned thread)
{
  if (!(i->events & ~(uint32_t)(EPOLLET | EPOLLONESHOT | EPOLLEXCLUSIVE | EPOLLWAKEUP)))
    return 0; /* told once */
  if (i->events & EPOLLET && !i->armed)
    return 0;
  const struct description *d = description_at(i->description);
  return rules_of(d)->events(d, thread) & (i->events | EPOLLERR | EPOLLHUP);
}

void epoll_say_untold(const struct description *d, char *out, size_t size)
{
  for (struct interest *i = NULL; (i = each(d->channel, i));) {
    const struct description *member = i->description ? description_at(i->description) : NULL;
    bool once = i->events & EPOLLONESHOT, edge = i->events & EPOLLET;
    if (!member || (!once && !edge) || ready_events(i, self_index()) ||
        !(rules_of(member)->events(member, self_index()) & POLLIN))
      continue;
    print_text(out, size, "its descriptor %d is ready, but that was told before (%s)", i->fd,
               once ? "EPOLLONESHOT" : "EPOLLET");
    return;
  }
}

static unsigned events(const struct description *d, unsigned thread)
{
  for (struct interest *i = NULL; (i = each(d->channel, i));)
    if (i->description && ready_events(i, thread))
      return POLLIN | POLLRDNORM;
  const int *real = behind(d->channel, false);
  struct pollfd one = {.fd = real ? *real : -1, .events = POLLIN};
  return real && sys(SYS_poll, &one, 1L, 0L) > 0 ? POLLIN | POLLRDNORM : 0;
}

static void tell(struct interest *i, unsigned ready, struct epoll_event *out)
{
  *out = (struct epoll_event){.events = ready, .data.u64 = i->data};
  i->armed = false;
  if (i->events & EPOLLONESHOT)
    i->events &= EPOLLET | EPOLLONESHOT;
  acquire_from(&channel_at(description_at(i->description)->channel)->clock);
}

/* Those that were told of are put behind the others, so that all get their turn. */
static void rotate(uint16_t set, unsigned told)
{
  for (; told; told--) {
    uint32_t *first = &channel_at(set)->interests, moved = *first, *last = first;
    while (*last)
      last = &pool.interest[*last].next;
    *first = pool.interest[moved].next;
    if (last == &pool.interest[moved].next)
      last = first;
    *last = moved;
    pool.interest[moved].next = 0;
  }
}

long epoll_take(struct description *d, struct epoll_event *out, long most, unsigned thread)
{
  long n = 0;
  unsigned looked = 0;
  for (struct interest *i = NULL; n < most && (i = each(d->channel, i)); looked++) {
    unsigned ready = i->description ? ready_events(i, thread) : 0;
    if (ready)
      tell(i, ready, &out[n++]);
  }
  const int *real = behind(d->channel, false);
  if (n == most)
    rotate(d->channel, looked);
  if (real && n < most) {
    long more = sys(SYS_epoll_wait, *real, out + n, most - n, 0L);
    n += more > 0 ? more : 0;
  }
  if (n)
    channel_changed(d->channel);
  return n;
}

bool epoll_any(const struct description *d, bool (*test)(int fd))
{
  for (struct interest *i = NULL; (i = each(d->channel, i));)
    if (test(i->fd))
      return true;
  return false;
}

/* ---- what comes to members ---- */

static void touched_by(const struct description *d, struct channel_touch *out)
{
  *out = (struct channel_touch){0};
  rules_of(d)->touch(d, POLLIN | POLLOUT, out);
}

static bool is_about(const struct interest *i, uint16_t channel)
{
  struct channel_touch t;
  touched_by(description_at(i->description), &t);
  for (unsigned k = 0; k < t.count && k < CHANNELS_TOUCHED; k++)
    if (t.channel[k] == channel)
      return true;
  return false;
}

void epoll_wake(uint16_t channel, unsigned events)
{
  const struct channel *c = channel_at(channel);
  if (ready_signals_wanted())
    ready_signals_send(channel, events);
  for (unsigned w = 0; w < c->watchers; w++) {
    for (struct interest *i = NULL; (i = each(c->watcher[w], i));)
      if (i->description && is_about(i, channel))
        i->armed = true;
    channel_changed(c->watcher[w]);
    epoll_wake(c->watcher[w], events);
  }
}

static void watch(uint16_t channel, uint16_t set)
{
  struct channel *c = channel_at(channel);
  for (unsigned i = 0; i < c->watchers; i++)
    if (c->watcher[i] == set)
      return;
  if (c->watchers == WATCHERS_MOST)
    fail(0, "the program has one descriptor in more than %d epoll sets; heddle has no room for more", WATCHERS_MOST);
  c->watcher[c->watchers++] = set;
}

void epoll_follow(uint16_t a, uint16_t b)
{
  for (unsigned i = 0; i < channel_at(a)->watchers; i++)
    watch(b, channel_at(a)->watcher[i]);
}

static void watch_description(const struct description *d, uint16_t set)
{
  struct channel_touch t;
  touched_by(d, &t);
  for (unsigned k = 0; k < t.count && k < CHANNELS_TOUCHED; k++)
    watch(t.channel[k], set);
}

/* ---- interest ---- */

static struct interest *find(uint16_t set, int fd)
{
  const struct description *d = description_of(fd);
  uint16_t id = is_modelled(d) ? description_id(d) : 0;
  for (struct interest *i = NULL; (i = each(set, i));)
    if (i->fd == fd && i->description == id)
      return i;
  return NULL;
}

static void add(uint16_t set, int fd, const struct epoll_event *event)
{
  const struct description *d = description_of(fd);
  uint32_t new = pool.free;
  if (new)
    pool.free = pool.interest[new].next;
  else if (pool.fresh < INTERESTS)
    new = pool.fresh++;
  else
    fail(0, "the program has more than %d descriptors in epoll sets; heddle has no room for more", INTERESTS - 1);
  pool.interest[new] = (struct interest){.set = set,
                                         .description = is_modelled(d) ? description_id(d) : 0,
                                         .fd = fd,
                                         .events = event->events,
                                         .data = event->data.u64,
                                         .armed = true};
  uint32_t *last = &channel_at(set)->interests;
  while (*last)
    last = &pool.interest[*last].next;
  *last = new;
  if (is_modelled(d))
    watch_description(d, set);
}

static void take_out(struct interest *i)
{
  uint32_t *at = &channel_at(i->set)->interests, own = (uint32_t)(i - pool.interest);
  while (*at != own)
    at = &pool.interest[*at].next;
  *at = i->next;
  *i = (struct interest){.next = pool.free};
  pool.free = own;
}

/* A set may have sets, but not itself, and not too deep. */
static bool has_set(uint16_t set, uint16_t other, unsigned depth)
{
  if (set == other || depth > NESTED_MOST)
    return true;
  for (struct interest *i = NULL; (i = each(set, i));) {
    const struct description *d = i->description ? description_at(i->description) : NULL;
    if (d && d->kind == CHANNEL_EPOLL && has_set(d->channel, other, depth + 1))
      return true;
  }
  return false;
}

static long change(struct description *set, long op, int fd, const struct epoll_event *event)
{
  const struct description *d = description_of(fd);
  struct interest *i = find(set->channel, fd);
  if (is_modelled(d) && d->kind == CHANNEL_EPOLL && op == EPOLL_CTL_ADD && has_set(d->channel, set->channel, 1))
    return d->channel == set->channel ? -EINVAL : -ELOOP;
  switch (op) {
  case EPOLL_CTL_ADD:
    if (i && i->description)
      return -EEXIST;
    if (i) /* of a file that the kernel took out when it was closed */
      take_out(i);
    add(set->channel, fd, event);
    return 0;
  case EPOLL_CTL_MOD:
    if (!i)
      return -ENOENT;
    if (i->events & EPOLLEXCLUSIVE || event->events & EPOLLEXCLUSIVE)
      return -EINVAL;
    i->events = event->events;
    i->data = event->data.u64;
    i->armed = true;
    return 0;
  case EPOLL_CTL_DEL:
    if (!i)
      return -ENOENT;
    take_out(i);
    return 0;
  default:
    return -EINVAL;
  }
}

long epoll_ctl_channel(const struct call *c)
{
  const long both[] = {(int)c->arg[0], (int)c->arg[2]};
  const struct epoll_event *event = (const struct epoll_event *)c->arg[3];
  step_to_change(both, 2, 0, 0, c->pc);
  struct description *set = description_of(both[0]), *member = description_of(both[1]);
  if (!set || (!member && descriptor_is_free(both[1])))
    return -EBADF;
  if (!is_modelled(set) || set->kind != CHANNEL_EPOLL)
    return -EINVAL;
  if (c->arg[1] != EPOLL_CTL_DEL && !event)
    return -EFAULT;
  if (!is_modelled(member)) {
    long refused = sys(SYS_epoll_ctl, *behind(set->channel, true), c->arg[1], both[1], event);
    if (refused)
      return refused;
  }
  long result = change(set, c->arg[1], (int)both[1], event);
  channel_changed(set->channel);
  epoll_wake(set->channel, POLLIN);
  pending_refresh();
  return result;
}

/* The last descriptor of a member takes the interest in it with it; other descriptors of it keep it, as the kernel has
 * it. */
void epoll_number_closed(long fd)
{
  const struct description *d = description_of(fd);
  if (d->references > 1)
    return;
  uint16_t id = description_id(d);
  for (uint32_t i = 1; i < pool.fresh; i++) {
    struct interest *at = &pool.interest[i];
    if (at->description != id)
      continue;
    uint16_t set = at->set;
    take_out(at);
    channel_changed(set);
  }
}

/* ---- the set itself ---- */

static long not_bytes(struct description *d, struct transfer_call *t)
{
  (void)d, (void)t;
  return -EINVAL;
}

static void close_set(struct description *d)
{
  uint16_t set = d->channel;
  while (channel_at(set)->interests)
    take_out(&pool.interest[channel_at(set)->interests]);
  for (uint16_t c = 2; c < channels_end(); c++) {
    struct channel *at = channel_at(c);
    for (unsigned w = 0; at->kind && w < at->watchers; w++)
      if (at->watcher[w] == set)
        at->watcher[w--] = at->watcher[--at->watchers];
  }
  for (unsigned i = 0; i < pool.behinds; i++)
    if (pool.behind_of[i] == set) {
      sys(SYS_close, pool.behind[i]);
      pool.behinds--;
      pool.behind[i] = pool.behind[pool.behinds];
      pool.behind_of[i] = pool.behind_of[pool.behinds];
    }
  channel_changed(set);
  channel_release(set);
}

static void touch(const struct description *d, unsigned events, struct channel_touch *out)
{
  (void)events;
  touch_channel(out, d->channel, true);
}

const struct channel_rules epoll_rules = {
    .name = "epoll set", .events = events, .read = not_bytes, .write = not_bytes, .close = close_set, .touch = touch};

long epoll_create_call(const struct call *c)
{
  bool one = c->number == SYS_epoll_create1;
  if ((one && c->arg[0] & ~EPOLL_CLOEXEC) || (!one && (int)c->arg[0] <= 0))
    return -EINVAL;
  uint16_t channel = channel_new(CHANNEL_EPOLL, c->pc);
  return number_give(description_new(CHANNEL_EPOLL, channel, O_RDWR), one && c->arg[0]);
}

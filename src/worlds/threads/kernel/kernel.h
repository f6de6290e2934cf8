/* SPDX-License-Identifier: Apache-2.0
 *
 * The small kernel for descriptors: what the program's pipes, sockets, event counters and the like are, instead of the
 * kernel's. Inner interfaces between its files, one for each kind of objects; others use descriptors.h.
 *
 * Three things, as in any kernel: a number (table.c) means an open file description (table.c), and that is about one or
 * two channels (channels.c). A channel is what operations meet on (core/channel.h): bytes or messages on their way, and
 * what else is known to all who have it. A pipe is one, a connection two, one for each direction, of which each belongs
 * to who reads from it.
 *
 * All of it is in fixed pools of the runtime's memory, without pointers into the program's, and empty at the start of
 * each execution. Files, devices, terminals and what the process inherited stay the kernel's: of those, the table knows
 * only the number.
 */
#ifndef HEDDLE_RUNTIME_KERNEL_H
#define HEDDLE_RUNTIME_KERNEL_H

#include "core/channel.h"
#include "core/vclock.h"
#include "worlds/threads/system/call.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- bytes on their way (bytes.c) ---- */

struct byte_queue {
  uint32_t first, last; /* blocks, 0 for none */
  uint32_t from, to;    /* offsets in those */
  uint64_t count;
  uint64_t ever; /* that were put there */
};

void bytes_put(struct byte_queue *b, const void *data, size_t size);
size_t bytes_take(struct byte_queue *b, void *to, size_t size); /* to: NULL for nowhere */
size_t bytes_look(const struct byte_queue *b, uint64_t skip, void *to, size_t size);
void bytes_drop(struct byte_queue *b);
void bytes_reset(void);

/* ---- addresses (addresses.c) ---- */

struct address {
  socklen_t size;
  union {
    struct sockaddr any;
    struct sockaddr_un un;
    struct sockaddr_storage room;
  };
};

/* ---- channels (channels.c) ---- */

enum channel_kind {
  CHANNEL_NONE,
  CHANNEL_PIPE,
  CHANNEL_EVENT,
  CHANNEL_TIMER,
  CHANNEL_SIGNALS,
  CHANNEL_EPOLL,
  CHANNEL_NOTICES,
  CHANNEL_PROCESS,
  CHANNEL_SOCKET,
  CHANNEL_STANDARD,
  CHANNEL_KIND_COUNT
};

enum socket_state { SOCKET_FRESH, SOCKET_LISTENS, SOCKET_CONNECTED };

#define RIGHTS_MOST 16
#define BACKLOG_MOST 128
#define WATCHERS_MOST 4
#define OPTIONS_MOST 24

struct pipe_state {
  uint32_t readers, writers; /* descriptions, and those about to be */
  uint32_t readers_ever, writers_ever;
  uint32_t capacity;
  bool packets;         /* O_DIRECT */
  uint16_t node;        /* of a FIFO: its file (overlay_tree.h) */
  struct vclock opened; /* what all knew who opened it */
};

struct option {
  int level, name;
  socklen_t size;
  int64_t value[2];
};

struct socket_state_of {
  uint16_t domain;
  uint16_t type;
  uint16_t protocol;
  uint8_t state;     /* enum socket_state */
  bool shut_receive; /* no more comes in: shut here, or the other side writes no more */
  bool shut_send;    /* it sends no more */
  bool gone;         /* no description any more */
  bool bound;
  bool in_progress;   /* it is connected, and was not told yet */
  bool named_by_path; /* with a file */
  uint16_t peer;      /* channel that it sends to, 0: none */
  int error;          /* told once */
  struct address local, remote;
  uint32_t send_room, receive_room;
  uint32_t messages;
  uint64_t sent, received; /* bytes of a stream that ever came in, and were taken */
  uint32_t first_rights, last_rights;
  uint16_t backlog[BACKLOG_MOST + 1]; /* connections that were not accepted yet */
  uint16_t waiting, most;
  struct option option[OPTIONS_MOST];
  uint8_t options;
};

struct channel {
  uint8_t kind; /* enum channel_kind */
  uint32_t references;
  uint32_t version; /* counts its changes */
  uintptr_t made_at;
  struct byte_queue bytes;
  struct vclock clock;             /* what all who wrote to it knew */
  struct vclock drained;           /* what all who made room in it knew */
  uint64_t ever;                   /* how much was ever put into it, as its room counts */
  uint16_t watcher[WATCHERS_MOST]; /* epoll sets that have it */
  uint8_t watchers;
  union {
    struct pipe_state pipe;
    struct {
      uint64_t count;
      bool semaphore;
    } event;
    uint64_t expiries; /* of a timer */
    uint8_t process;   /* of a pidfd */
    uint64_t signals;  /* a set of them */
    struct socket_state_of socket;
    uint32_t interests; /* of an epoll set: the first */
    struct {
      int watches;        /* ever made */
      uint32_t queued;    /* notices */
      uint32_t last_size; /* bytes of the last one */
    } notices;            /* inotify */
  };
};

/* Channels are given out in pairs of numbers: the second is for the other direction. 0 if there is none left: then the
 * program cannot be tested, and that is said. */
uint16_t channel_new(enum channel_kind kind, uintptr_t pc);
/* The other one of its pair comes to life. */
uint16_t channel_twin(uint16_t id, enum channel_kind kind, uintptr_t pc);
struct channel *channel_at(uint16_t id);
void channel_release(uint16_t id);
/* It was changed by the current thread. */
void channel_changed(uint16_t id);
/* The current thread puts so much into it, of which it has room for so much: what it can hold no longer was taken out
 * before. Or it takes something out. */
void channel_filled(uint16_t id, uint64_t amount, uint64_t room);
void channel_drained(uint16_t id);
/* None in use from there on. */
uint16_t channels_end(void);
void channels_reset(void);

/* ---- open file descriptions and their numbers (table.c) ---- */

struct description {
  uint8_t kind; /* enum channel_kind; CHANNEL_NONE: the kernel's */
  uint8_t end;  /* of a standard descriptor: which */
  bool arrives; /* at a FIFO that is being opened: it is no end of it yet */
  uint32_t references;
  uint32_t flags; /* O_ACCMODE, O_NONBLOCK and the like */
  uint16_t channel;
  uint32_t number;      /* the same for all its descriptors, and for no other in this execution */
  uint32_t seen;        /* of a FIFO that was opened without waiting for a writer: how many there had been */
  int kept;             /* the kernel's, while it is on its way in a message: where */
  int owner;            /* who gets a signal when it is ready (ready_signals.c): a process, or < 0 a group of them */
  int ready_fd;         /* the number that is named with it */
  uint8_t ready_signal; /* instead of SIGIO */
};

/* NULL: it is not open, or not ours. */
struct description *description_of(long fd);
/* A new one, with one reference. */
struct description *description_new(enum channel_kind kind, uint16_t channel, uint32_t flags);
struct description *description_at(uint16_t id);
uint16_t description_id(const struct description *d);
void description_release(struct description *d);
/* The lowest free number from there on, or -EMFILE. */
long number_free(long from);
/* None in use from there on that is of this execution. */
long numbers_end(void);
/* Makes the number mean it; the reference is the number's from now on. */
void number_set(long fd, struct description *d, bool close_on_exec);
/* The new description gets the lowest number, or is released: -EMFILE. */
long number_give(struct description *d, bool close_on_exec);
/* What the number meant is gone; what it was is released. */
void number_clear(long fd);
/* A number for a description that is being opened: taken, but it means nothing before that is done. The end of the
 * process closes it. In the end it is the program's, or given back with the error. */
long number_take(struct description *d);
long number_taken(long fd, long error, bool close_on_exec);
/* All numbers of the description, which is the kernel's now, mean that descriptor of the kernel's, which is moved. */
void numbers_become_real(struct description *d, long fd);
/* Duplicates, modelled or not. */
long duplicate(long fd, long at_least, bool close_on_exec, uintptr_t pc);
long duplicate_to(long fd, long to, bool close_on_exec, uintptr_t pc);
/* Of standard input or output: a description of its own, for its duplicates. */
struct description *standard_copy(long fd, uintptr_t pc);
/* Of a descriptor that goes with a message; 0: there is none. And its number on arrival, or -errno. */
uint16_t description_to_send(long fd);
long description_received(uint16_t id, bool close_on_exec);
bool closes_on_exec(long fd);
void set_close_on_exec(long fd, bool closes);

static inline bool is_modelled(const struct description *d)
{
  return d && d->kind != CHANNEL_NONE;
}

/* ---- what a kind of objects does ---- */

struct transfer_call; /* bytes to or from the program, below */

struct channel_rules {
  const char *name;
  /* What the description is ready for now: POLLIN and so on. */
  unsigned (*events)(const struct description *d, unsigned thread);
  /* At once, or -EAGAIN if it would have to wait. */
  long (*read)(struct description *d, struct transfer_call *t);
  long (*write)(struct description *d, struct transfer_call *t);
  /* The last descriptor is closed. */
  void (*close)(struct description *d);
  /* What an operation for these events touches besides the description's channel. */
  void (*touch)(const struct description *d, unsigned events, struct channel_touch *out);
  /* Such a call fails or is at the end, whatever comes; NULL: none is. */
  bool (*fails)(const struct description *d, enum op_kind kind);
  /* Whether the write can be made, at least in part, or fails; NULL: POLLOUT says so. */
  bool (*takes)(const struct description *d, const struct transfer_call *t);
};

extern const struct channel_rules pipe_rules, event_rules, timer_rules, signal_rules, epoll_rules, notice_rules,
    process_rules, socket_rules, standard_rules;
const struct channel_rules *rules_of(const struct description *d);

/* What bytes a call moves, and how far it has come. */
struct transfer_call {
  const struct iovec *part;
  size_t parts;
  size_t size, done; /* bytes */
  int flags;         /* MSG_* */
  struct msghdr *message;
  const struct sockaddr *to;
  socklen_t to_size;
  struct iovec single;
  struct address from; /* who sent it */
  bool cut;            /* there was more of it */
  bool control;        /* descriptors came with it */
  bool kept;           /* the memory of whoever writes it is not looked at any more, but: */
  uint64_t first;      /* its first bytes */
};

/* The next bytes of it. */
void transfer_in(struct transfer_call *t, const void *from, size_t size);
void transfer_out(const struct transfer_call *t, size_t at, void *to, size_t size);
/* Between the program and a queue. */
size_t transfer_from_bytes(struct transfer_call *t, struct byte_queue *b, size_t most, bool stay);
void transfer_to_bytes(struct transfer_call *t, struct byte_queue *b, size_t size);

/* ---- steps on channels (channel_steps.c) ---- */

/* The turn for a call on the descriptor, for these events; waits for them if the kind can block. 0, or -EINTR. t: what
 * it writes, NULL for nothing. */
long step_on_descriptor(enum op_kind kind, long fd, unsigned events, const struct transfer_call *t, uintptr_t pc);
/* The turn for a call that changes the descriptor and parts of the system (SYSTEM_*), and need not wait. */
void step_to_change(const long *fds, unsigned count, uint32_t changes, uint32_t reads, uintptr_t pc);
/* The turn to open an end of a FIFO: to come to it (OP_CHANNEL_CALL), or to wait there for the other end. 0, or
 * -EINTR; looks at no cancellation. */
long step_to_open(enum op_kind kind, struct description *d, uintptr_t pc);
/* Numbers or connections mean something else now: what others are about to do may depend on more than was said. */
void pending_refresh(void);
/* Somebody stands before a call on the number, and cannot go on. */
bool somebody_is_stuck_at(long fd);
void touch_channel(struct channel_touch *t, uint16_t channel, bool changes);
void touch_watchers(struct channel_touch *t, uint16_t channel);
void channel_steps_reset(void);

#endif

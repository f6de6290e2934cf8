/* SPDX-License-Identifier: Apache-2.0
 *
 * The partial order of one execution: its events, and which of them happen before which because they depend on each
 * other (core/dependence.c) or belong to one thread. Kept as a stack: the end of an execution is taken off again and
 * another one put on, while what was computed for the common beginning stays.
 *
 * What an event depends on is found by the chains of what it touches, by zones if that is much memory (zones.h), and in
 * a list of those that may concern anything. None of that is followed further back than to the same step of the same
 * thread before it, which comes after all that both depend on. So what an event costs does not grow with their number.
 *
 * It records; it decides nothing about what to run. No pointers are kept, so it may live in memory that outlives the
 * process.
 */
#ifndef HEDDLE_EXPLORE_ORDER_H
#define HEDDLE_EXPLORE_ORDER_H

#include "core/operation.h"
#include "core/strategy.h"
#include "core/threadset.h"
#include "core/world.h"
#include "explore/ending.h"
#include "explore/watched.h"
#include "explore/zones.h"
#include <stdbool.h>
#include <stdint.h>

#define ORDER_EVENTS (1u << 24)
#define ORDER_LINKS (1u << 25)
#define ORDER_CLOCKS (UINT64_C(1) << 29)
#define ORDER_CHOICES (1u << 24)
#define ORDER_KEY_BITS 20
#define ORDER_WIDE 8 /* words of memory; a larger access is not linked but has places in zones */
#define ORDER_RECENT_BITS 14
#define ORDER_STOOD_BITS 16

/* One step of one thread. */
struct order_event {
  struct operation op;
  uint64_t local; /* where its thread stood when it announced it (world.h); 0: not known */
  uint32_t nth;   /* of its thread, from 1 */
  uint16_t thread;
  uint16_t width; /* of its clock: threads known when it happened */
  uint64_t clock; /* where its clock is: for each thread, the nth of the last event that happens before it, or it */
  uint32_t link;  /* first of its places in chains */
  uint16_t links;
  uint16_t choices; /* decisions made while it was performed, from `choice` on */
  uint16_t creates; /* the first thread that came into being with it, 0 for none */
  uint32_t choice;
  uint32_t previous;  /* of the same thread, + 1 */
  uint32_t jump;      /* one further back, + 1: so that any is found in few leaps */
  uint32_t stood;     /* the last one before, + 1, whose thread stood at such a place */
  uint32_t enabler;   /* event, + 1, without which it could not have happened at all: a signal, the creation */
  uint32_t canceller; /* event, + 1, since which its thread is cancelled: while it stood before it, or its last one */
  uint32_t signaller; /* event, + 1, since which a signal waits for its thread, in the same way */
  uint32_t cutter;    /* event, + 1, in which its process ended, so that it never came */
  uint32_t closed;    /* event, + 1, before which it could have come, but not after (waits for the system) */
  uint32_t wide;      /* the one before that has no place, + 1 */
  uint32_t alike;     /* of the same thread, + 1: it depends on all that this one does of what came before it */
  uint32_t zone;      /* first of its places in zones */
  uint16_t zones;
  uint32_t mark;    /* scratch for those who search */
  uint32_t visible; /* how many of its thread's events up to here are visible */
  uint32_t source;  /* by_source: the event it reads from, + 1; 0: what was there at the start, or nothing */
  uint32_t elder;   /* the same step of a twin that goes first, + 1; 0: there is none (symmetry.h) */
  bool races;       /* something it depends on is not ordered before it by its own thread */
  uint8_t final;    /* enum ending: the program ended in it */
  bool able;        /* a phantom's thread could have gone on */
  bool hidden;      /* nobody can tell it from its absence, and it does not wait for others to go first */
  bool opens;       /* a barrier */
  bool loose;       /* an update that others before it, on the same bytes, need not come before */
  bool twins;       /* and after it nobody can tell the two apart either */
  bool awaits;      /* it came because something had changed since an iteration that was in vain (await.h) */
};

/* The place of an event in the chain of all events on one object or one word of memory. */
struct link {
  uint64_t key;
  uint64_t before; /* state of the object before the event, and after it */
  uint64_t after;
  uint32_t event;
  uint32_t prev;   /* link, + 1 */
  uint32_t writer; /* memory: the last link before that is not just a read, + 1; objects, updates: of another class */
  uint8_t acts;    /* on these bytes of the eight; objects have all */
  uint8_t watches; /* it comes because of the state of these, which an iteration before it looked at (await.h) */
  bool uniform;    /* an access; what came before in the chain accesses just the same bytes, or others */
};

/* What an event waits to see changed. */
#define OPERATION_LINKS (ORDER_WIDE + 3 + ORDER_WATCHED)
struct watched_keys {
  unsigned count;
  uint64_t key[ORDER_WATCHED];
  uint8_t bytes[ORDER_WATCHED];
};

struct key_slot {
  uint64_t key;
  uint32_t head; /* last link, + 1 */
  bool updated;  /* by updates that commute, in whatever execution */
  bool awaited;  /* somebody waits in a loop to see it changed */
};

struct order {
  const struct world *world; /* while races are looked for */
  uint32_t events, links, choices;
  uint32_t threads; /* no event is of another one than these first ones */
  uint64_t clocks;
  uint32_t wide; /* last event that has no place, + 1 */
  uint32_t keys;
  bool updates_show;    /* somebody waits for what some of several updates lead to: their order shows (dependence.c) */
  bool updates_awaited; /* that was seen */
  bool exits_count;     /* that a thread has ended is polled, so it is a step as any other */
  bool by_source;   /* accesses of the same bytes are ordered only where one reads what the other wrote (sources.h) */
  bool observed;    /* and a read with all writes of them that came before it (observed.c) */
  bool symmetric;   /* of threads that nobody can tell apart the elder one goes first (symmetry.h) */
  bool told_apart;  /* but there are none: somebody can */
  bool tells_apart; /* that was seen */
  uint16_t twin[MAX_THREADS]; /* of each thread, the one before it that it is a twin of, + 1; 0: none */
  struct threadset
      interrupted;   /* threads that are cancelled or get signals, between whatever steps: all of theirs count */
  bool full;         /* no room: the execution is too long */
  unsigned tasks;    /* there were before the last step, set by whoever walks before the first one */
  bool system_waits; /* somebody waited for the system */
  uint32_t last[MAX_THREADS];      /* event of each thread, + 1 */
  uint32_t created[MAX_THREADS];   /* event that created it, + 1 */
  uint32_t woken[MAX_THREADS];     /* event that released its blocked operation, + 1 */
  uint32_t cancelled[MAX_THREADS]; /* event since which it is, where it stands now, + 1 */
  uint32_t signalled[MAX_THREADS]; /* event since which a signal waits for it there, + 1 */
  uint32_t cut[MAX_THREADS];       /* event in which its process ended, + 1 */
  uint32_t closed[MAX_THREADS];    /* event that took away what its operation could have had of the system, + 1 */
  uint32_t phantom[MAX_THREADS];   /* behind the events: the step of each thread that has not come yet, + 1 */
  uint32_t recent[1u << ORDER_RECENT_BITS]; /* an event, + 1, that may be alike */
  uint32_t stood[1u << ORDER_STOOD_BITS];   /* the last event, + 1, whose thread stood at such a place */
  struct key_slot slot[1u << ORDER_KEY_BITS];
  uint32_t choice[ORDER_CHOICES][2]; /* n, value */
  struct order_event event[ORDER_EVENTS];
  struct link link[ORDER_LINKS];
  uint32_t clock[ORDER_CLOCKS];
  struct zones zones;
};

/* A clock while something is computed. */
struct horizon {
  unsigned width;
  uint32_t at[MAX_THREADS];
};

void order_reset(struct order *o);
/* The last link, + 1, of the chain of a key. */
uint32_t order_head(const struct order *o, uint64_t key);
/* While there are no events: the table of keys is emptied when it is half full. */
void order_tidy(struct order *o);
/* Back to the first n events. */
void order_truncate(struct order *o, uint32_t n);

/* The thread's pending operation is performed now. watched: NULL for nothing. */
void order_add(struct order *o, const struct world *world, unsigned thread, const struct operation *op,
               const struct watched_keys *watched, uint64_t local);
/* The execution has ended: pending operations become phantoms. */
void order_add_phantom(struct order *o, const struct world *world, unsigned thread, const struct operation *op,
                       const struct watched_keys *watched, uint64_t local, uint32_t *links);
/* A data choice made by the last event. */
void order_choose(struct order *o, unsigned n, unsigned value);
/* The last event, e, was a compare-and-swap: whether it failed, and so was a load. */
void order_settle_swap(struct order *o, uint32_t e, bool failed);
/* The last event, e, was performed: what it left behind. It is the same each time the event comes. */
void order_settle_states(struct order *o, uint32_t e, const struct world *world);
/* And what it released, if it is a signal or the like. inside: the program ended in it, so its thread stands before no
 * other. */
void order_settle(struct order *o, uint32_t e, const struct world *world, const struct thread_state *thread,
                  unsigned threads, bool inside);
/* Whether all that is visible happens before the last event anyway. */
bool order_ends_in_last(const struct order *o);
/* The program ended in the last event: it comes after all others. */
void order_make_final(struct order *o, enum ending how);

static inline bool order_before(const struct order *o, uint32_t e, const struct order_event *f)
{
  const struct order_event *x = &o->event[e];
  return x->thread < f->width && o->clock[f->clock + x->thread] >= x->nth;
}

/* False: no event of the thread was announced there, where its private state was that. */
bool order_may_have_stood(const struct order *o, unsigned thread, uint64_t local, uintptr_t pc);
/* The event, which has that number (+ 1), was announced where its thread stood, as long as it is one of the events. */
void order_note_place(struct order *o, struct order_event *e, uint32_t number);
void order_forget_place(struct order *o, const struct order_event *e);
/* An event of the same thread that depends on all that e does of what came before it, + 1; 0: none is known. */
uint32_t order_alike_before(struct order *o, const struct order_event *e);
/* Those that come after e, which has that number (+ 1), may find it so. */
void order_note_recent(struct order *o, const struct order_event *e, uint32_t number);

void horizon_clear(struct horizon *h);
void horizon_join(struct horizon *h, const struct order *o, const struct order_event *f);
static inline bool horizon_has(const struct horizon *h, const struct order_event *e)
{
  return e->thread < h->width && h->at[e->thread] >= e->nth;
}

/* By source: what the event reads from, and what else depends on it but accesses of the same bytes, join the horizon;
 * observed: and all writes of these bytes, if it reads. */
void order_join_sources(const struct order *o, struct horizon *h, struct order_event *e);
/* Whether its link behind that one (+ 1) is uniform. */
bool order_continues_uniformly(const struct order *o, const struct order_event *e, uint32_t last, uint8_t acts);
/* By source: the last of the first n events, + 1, that chains do not lead to from e: it is wide, or e is. */
uint32_t order_last_wide(const struct order *o, const struct order_event *e, uint32_t n);
/* Two accesses of the same bytes, neither of so many that they are not linked. */
bool events_meet(const struct order_event *a, const struct order_event *b);
/* An access, and whatever came before it accesses just the same bytes, or others. */
bool event_is_uniform(const struct order *o, const struct order_event *e);
/* A read of other bytes than those of two writes before it that nothing orders: it sees which came last, and its source
 * does not tell. */
bool order_shows_more(const struct order *o, const struct order_event *e);
static inline bool event_reads(const struct order_event *e)
{
  return e->op.kind == OP_READ || e->op.kind == OP_ATOMIC_LOAD || e->op.kind == OP_ATOMIC_RMW;
}

/* Everything that must have happened before the event can: its own past, and what released it. */
void order_own_past(const struct order *o, struct horizon *h, const struct order_event *e);

/* Whether the step is one of an interrupted thread, or one on it, as its join. */
bool order_interrupted(const struct order *o, unsigned thread, const struct operation *op);

/* The last cancellation of the thread, + 1, from the wide event `from` (+ 1) on backwards: a loop that waited until
 * then need not go on waiting. */
uint32_t order_cancelled(const struct order *o, unsigned thread, uint32_t from);

/* Depends on all others, or on so much memory that chains are of no use. */
bool event_is_wide(const struct order_event *e);
/* Those of them that zones are of no use for either: they are in a list. */
bool event_has_no_place(const struct order_event *e);
/* No event before that one (+ 1) needs to be looked at for it. */
static inline uint32_t order_floor(const struct order_event *e)
{
  return e->final ? 0 : e->alike;
}
/* The way back through what it may conflict with in zones. */
static inline struct zone_walk order_zones(const struct order *o, const struct order_event *e)
{
  return zones_walk(&o->zones, &e->op, event_is_wide(e), e->zone, e->zones, order_floor(e));
}
/* All events without a place before this one come before it, and what depends on it does on them only through it. */
bool event_ends_list(const struct order_event *e);

/* Operations that change nothing if the state of their object is such, by which they depend on less (arg): who finds a
 * thing done that is done once, a signal that nobody waits for. */
bool order_meets_state(enum op_kind kind);
void order_meet(struct operation *op, uint64_t state);

/* Whether the order of two events matters. */
bool order_dependent(const struct order *o, const struct order_event *a, const struct order_event *b);
/* Whether the event came because of the state of something that the operation changes. */
bool order_watches(const struct order *o, const struct order_event *e, const struct operation *op);
/* The same for an operation that has not come yet. watched: NULL for nothing. */
bool order_dependent_pending(const struct order *o, unsigned thread, const struct operation *op,
                             const struct watched_keys *watched, const struct order_event *e);
/* What the event waits to see changed; how many. */
unsigned order_watched(const struct order *o, const struct order_event *e, struct watched_key out[ORDER_WATCHED]);
/* Somebody waits in a loop to see the object or word changed. */
void order_await(struct order *o, uint64_t key);
/* Gives links to an event that is not part of the execution, until the next one gets them. */
void order_link_apart(struct order *o, struct order_event *e, const struct watched_key *watched, unsigned count);
/* The link, + 1, that comes next on the way back along a chain, from its own or another one, for an event: what is
 * known to commute with it is passed over. 0: nothing that matters. */
uint32_t order_earlier(const struct order *o, const struct order_event *e, const struct link *link);
/* No event before f in the chain of this key needs to be looked at for an event that depends on f. */
bool order_covers(const struct order *o, const struct order_event *f, const struct order_event *e,
                  const struct link *link);

/* Updates of memory that commute with others of their kind. */
static inline bool is_update(const struct operation *op)
{
  return op_commuting(op) == COMMUTING_UPDATES;
}

/* The part of a key's state that is meant by these bytes; the number that stands for an object's state is one. */
uint64_t order_part(uint8_t bytes);
/* The state the link's object would have had, but for e and what happens after it. */
uint64_t order_state_without(const struct order *o, const struct link *own, uint32_t e);
/* The state of the key's object before event e, or that handed in if nothing was done to it since. */
uint64_t order_state_at(const struct order *o, uint64_t key, uint32_t e, uint64_t now);

/* Whether the thread took the last of the object before that event, and had not given it back by then. */
bool order_holds(const struct order *o, unsigned thread, uint64_t key, uint32_t before);

/* A number for the class of equivalent executions this one belongs to. Invisible steps do not tell classes apart, since
 * they come as soon as they can. all: they do, because the program ended before all of them could. */
uint64_t order_class(const struct order *o, bool all);

#endif

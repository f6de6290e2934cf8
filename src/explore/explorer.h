/* SPDX-License-Identifier: Apache-2.0
 *
 * The search through all executions, as a tree that is walked depth first and of which only the current branch is kept.
 *
 * A node is a point before a step. It holds what need not be tried there any more (its sleepers: threads whose step was
 * explored, here or further up, with everything that can follow) and what must still be tried (its witnesses: sequences
 * of steps that lead to an execution that no sleeper's subtree contains).
 *
 * Two ways to find witnesses. Depth first search tries every thread at every node. Optimal dynamic partial order
 * reduction looks at the races of an execution that has ended: for two events e, e' that depend on each other and could
 * have come in the other order, the witness at the node before e is all that does not happen after e, and then the step
 * of e'. It is dropped if a sleeper of that node, or the first step of a witness already there, could as well have come
 * first (a weak initial): then that one's subtree contains it. A witness wakes all sleepers by the time it ends, so
 * no execution is ever abandoned, and none is run twice; but for observers that hold threads back (observer.h), which
 * is not known until a witness is tried. One that begins as a waiting one does joins its tree, since
 * sleepers may keep the rest of it from being found again below. A witness is cut down to the steps it needs, and is
 * freed when it was followed. Where many threads read what one writes, those that wait may still grow with the number
 * of executions. If they take too much, the search begins anew and is thrifty: it keeps of a witness only its first
 * step, unless that of another one is an initial of it (not just a weak one; source sets). Nothing is lost, but what
 * would have woken all sleepers is, so that some executions are abandoned. Memory follows the length of one execution
 * then.
 *
 * Within a bound on preemptions or delays neither sleepers nor witnesses are of use, since the equivalent execution
 * that they rely on may be beyond it: what is left out then, and why that is right, is told in widening.c. What a bound
 * leaves out can be kept, so that a search with a larger one begins there (leftover.c).
 *
 * Looks of threads that wait in loops are no steps if they would be in vain (vain.h). To find that out, executions are
 * made aside that are none of the search's own. Threads that come back to where all of them were are not followed any
 * further (cycle.c).
 *
 * A search may be confined to the part below a node (a unit, unit.h): what it finds for nodes further up is handed
 * in. */
#ifndef HEDDLE_EXPLORE_EXPLORER_H
#define HEDDLE_EXPLORE_EXPLORER_H

#include "core/changed.h"
#include "core/control.h"
#include "explore/await.h"
#include "explore/descent.h"
#include "explore/order.h"
#include "explore/rounds.h"
#include "explore/unit.h"
#include "explore/vain.h"

#define EXPLORER_SLEEPERS (1u << 26)
#define EXPLORER_POOL (1u << 27)           /* words of eight bytes */
#define EXPLORER_WITNESSES_MOST (1u << 23) /* of these, for what waits: 64 MiB */
#define POOL_CLASSES 24

#define OUTCOMES_MOST 0x1fff
#define EXPLORER_PATIENCE 5000 /* steps in a row, then another one: a loop may wait for it */

/* A thread at a node that is not to be tried there again. */
struct sleeper {
  uint16_t thread;
  uint16_t final : 2, /* enum ending: its step ended the program, so any other step before it makes a difference */
      failed : 1,     /* its step was a compare-and-swap that failed */
      outcomes : 13;  /* how many its first data choice has, 0 for none */
  uint32_t outcome;   /* of its data choices, 0 for none */
};

/* What a sleeper did that was explored at a node. */
struct explored {
  struct operation op;
  uint32_t nth;
  uint8_t watched;
  bool awaits, hidden;
  struct watched_key key[ORDER_WATCHED];
};

/* Witnesses that are to be tried at one place, in this order. */
struct witnesses {
  uint32_t first, last; /* + 1 */
};

/* A step of a witness. Witnesses of one node form a tree: those that begin alike share their first steps. */
struct witness {
  struct operation op;
  uint32_t next;         /* in its list, + 1 */
  struct witnesses then; /* what may follow */
  uint32_t nth;          /* of the thread */
  uint32_t outcome;      /* of all its data choices, 0 for none or not known yet */
  uint32_t id;           /* of its place, if it came with the unit; else 0 */
  uint32_t cost; /* under a bound: preemptions or delays up to here, it included; of what follows it the least */
  uint32_t turn; /* breadth first: when it was found, or the first of what follows it */
  uint16_t thread;
  uint16_t choices;
  uint16_t outcomes; /* of a step that was explored: as in struct sleeper */
  uint8_t final;     /* enum ending: the program ends in it, so all before it is named too */
  uint8_t watched;
  bool awaits : 1, hidden : 1,
      wide : 1,     /* within a bound: all that could have come instead of it was found (widening.c) */
      supposed : 1; /* that it can come there is not known: it waits for the system, which had more by then */
  _Alignas(struct watched_key) uint32_t choice[]; /* behind them, what it waits to see changed (witness_watched) */
};

struct explorer_node {
  uint32_t sleeper, sleepers; /* inherited ones first, then children explored here */
  uint32_t inherited;
  struct witnesses waiting;
  struct witnesses before; /* came with a unit: steps that were explored there, or are by others */
  struct witnesses others; /* reduction within a bound: steps that are tried only if they matter (widening.c) */
  struct witnesses beyond; /* what was left out here and further down for the bound */
  uint32_t explored;       /* children */
  uint32_t cost;           /* preemptions or delays up to here */
  uint32_t able;           /* threads that could go on */
  uint32_t stretch;        /* where the running thread began to, without a break */
  bool forced;             /* the step was taken at once */
  bool widened;            /* the others wait, or were tried */
};

struct explorer {
  bool reducing;      /* dpor, not dfs */
  bool hashing;       /* the class of each execution is wanted */
  bool leaves_traces; /* an execution may leave something behind that others find: none is made but for the search */
  bool widening;      /* dpor within a bound: depth first search that leaves out what makes no difference */
  bool breadth;       /* those executions first that leave the others early */
  bool keeps_beyond;  /* what is left out for the bound is kept: a search with a larger bound goes on from there */
  uint32_t bound;     /* enum search_bound */
  uint32_t bound_limit;
  struct changed changed; /* told before each execution and each unit */
  uint32_t put_off;       /* without reduction: what the change puts off more often than this is kept for later */
  bool finished;          /* all of the unit is explored */
  bool polls_exit;        /* the program asks whether a thread has ended */
  bool many_creators;     /* more than one thread creates threads */
  bool restart;           /* what was taken for granted does not hold: explore all again */
  bool bounded;           /* something was left out for the bound */
  bool dropped;           /* and it was too much to be kept */
  uint32_t kept_beyond;   /* of that, so many steps */
  uint32_t turns;         /* so many steps were found that are still to be tried, breadth first */
  uint64_t lost;          /* enum search_loss: something was left out for another reason */
  bool polled;            /* somebody may look at everything, be it a step that is taken at once */
  bool chooses;           /* with reduction: there are data choices */
  bool livelocked;        /* a livelock was shown: one is enough */
  bool comes_round;       /* threads come back to where all of them were (cycle.c) */
  bool thrifty;           /* of witnesses only the first step is kept, */
  bool wasteful;          /* since all of them took too much memory */
  uint32_t creator;       /* the thread that creates threads, + 1 */
  bool descending;        /* this execution is a probe */
  bool ended_inside;      /* the program may end while other threads are alive */

  uint32_t root; /* the unit is what follows so many events; what is found for the nodes before is handed in */
  uint32_t
      given; /* so many steps came with the unit, and what there is at their nodes; no more once it goes back there */
  uint32_t fixed;      /* events that are followed as they were */
  uint32_t fresh;      /* first event of this execution whose races were not looked at */
  uint32_t new_event;  /* without reduction: first event that came for the first time, */
  unsigned new_choice; /* and its first data choice that did */
  uint32_t guide;      /* the witness that is followed from there on, + 1; its node's until the execution has ended */

  /* Looks in vain (vain.h). */
  bool redo;    /* the last execution went where none can: it comes again from there, its races are still to be found */
  bool begun;   /* something was taken for granted about looks: a new place of those makes it begin anew */
  bool probing; /* executions that only find out where a look leads, while the branch stays (probe.c) */
  enum aside
      aside; /* the execution is none of the search's own: such a one, or one that goes round in vain, or a descent */
  bool doubting;          /* only what is in doubt is looked for */
  bool looked;            /* the probe has */
  uint32_t doubt_at;      /* event before which that look would come, + 1 */
  uint32_t laters;        /* steps whose races wait for that */
  uint32_t probe_at;      /* step of the probe that comes next, + 1 */
  struct witnesses probe; /* what leads to the look, and it */
  struct vain_look doubt;

  /* This execution. */
  bool blocked;        /* nothing but sleepers was left */
  bool in_vain;        /* or the way to the unit could not be followed to its end: there is nothing below it */
  bool freewheeling;   /* only loops that wait are left, and run on unrecorded */
  uint32_t cycle[2];   /* or these events are repeated: from, up to; a livelock is shown, then the branch comes again */
  uint32_t position;   /* steps taken */
  uint32_t choice_at;  /* data choices of the current step so far */
  uint64_t operation;  /* of its thread: which it is */
  uint32_t current;    /* the thread that took the last step */
  uint64_t since;      /* the step since which it runs on */
  uint32_t guide_at;   /* the step of the guide that comes next, or that of the current step, + 1 */
  bool guided;         /* the current step was told by the guide */
  uint64_t class_hash; /* of the last execution */
  uint32_t stamp;      /* for marking events */
  uint32_t threads;    /* so many there were */
  struct threadset moved; /* threads that stand elsewhere since their loops were looked for, or were not looked at */
  struct threadset loops; /* who may be in a loop that waits */
  struct threadset quiet; /* who is about to do something that may be taken at once */
  struct threadset kept;  /* with a change: who of the node is to be tried now (core/changed.h) */
  struct await await[MAX_THREADS];
  struct rounds rounds;
  struct vain vain;

  struct descent descent;

  uint32_t free_block[POOL_CLASSES];
  uint32_t pool_used, pool_free; /* words; of those that were ever used, so many are free again */
  uint32_t witnesses_most;       /* words */
  struct horizon horizon[2];     /* scratch */
  struct explorer_node node[ORDER_EVENTS];
  struct sleeper sleeper[EXPLORER_SLEEPERS];
  struct explored done[EXPLORER_SLEEPERS];
  uint32_t way[ORDER_EVENTS], due[ORDER_EVENTS]; /* scratch */
  uint32_t later[ORDER_EVENTS];
  uint64_t pool[EXPLORER_POOL];
  struct order order;
};

void explorer_open(struct explorer *x, const struct control_config *config, bool reducing);
void explorer_begin(struct explorer *x);
/* What was changed in the program, if that is known: what has to do with it comes first. */
void explorer_attend(struct explorer *x, const struct job *job);
unsigned explorer_pick(struct explorer *x, const struct choice *c);
unsigned explorer_choose(struct explorer *x, unsigned n);
bool explorer_end(struct explorer *x, const struct outcome *outcome);
struct standing explorer_standing(const struct explorer *x);
/* Nothing is explored, everything is to be. */
void explorer_forget(struct explorer *x);

/* ---- for the parts of the explorer ---- */

/* Steps that nobody can tell from their absence are taken at once. */
bool explorer_at_once(const struct explorer *x, unsigned thread, const struct operation *op);
static inline bool event_at_once(const struct explorer *x, const struct order_event *e)
{
  return explorer_at_once(x, e->thread, &e->op) && (e->hidden || e->op.kind == OP_CREATE);
}

/* The same for what a thread is about to do; but who only yields, again and again, lets others go first. */
bool explorer_hurries(const struct explorer *x, const struct choice *c, unsigned t);
/* The next one of the set behind the thread, round about. */
unsigned explorer_next_after(const struct threadset *set, unsigned t);
/* Who goes on if nobody says otherwise. */
unsigned explorer_by_itself(const struct explorer *x, const struct choice *c, const struct threadset *set);

/* turns.c: what the step of a thread costs at this node. */
uint32_t explorer_cost(const struct explorer *x, const struct choice *c, const struct threadset *set, unsigned thread);
/* Who is to be tried now at the node, if the program was changed. */
void explorer_find_kept(struct explorer *x, const struct choice *c, const struct threadset *set);
/* Instead of the thread: breadth first, another one than the last; with a change, one of those who are to be tried now.
 */
unsigned explorer_another(const struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t);
unsigned explorer_by_change(const struct explorer *x, const struct choice *c, const struct threadset *set,
                            const struct threadset *awake, unsigned t);

/* branch.c: how wide the tree is along the branch is left for the estimators. */
void explorer_write_branch(struct explorer *x, const struct outcome *outcome);

/* reversal.c: puts a witness for every race of the new events, and for those of operations that never came. */
void explorer_reverse_races(struct explorer *x, const struct outcome *outcome);
/* Whether something about the races of a late step is in doubt: the first of that is in x->doubt. */
bool explorer_doubts(struct explorer *x, const struct order_event *late);
/* Its races, when nothing is. */
void explorer_reverse(struct explorer *x, uint32_t late);
/* What leads to the late step without e becomes the probe. */
void explorer_grow_probe(struct explorer *x, uint32_t e, const struct order_event *late);
/* The event as a step of a witness, with so many of its data choices; + 1, 0: no memory. */
uint32_t explorer_add_witness(struct explorer *x, struct witnesses *list, const struct order_event *g,
                              unsigned choices);
/* The other outcomes of the data choices of the new events. */
void explorer_add_outcomes(struct explorer *x);

/* widening.c: whether the others make a difference at this step is not known: they are tried. */
void explorer_widen(struct explorer *x, uint32_t event);
/* All that depends on what came before it: there the others are tried. */
void explorer_widen_at_races(struct explorer *x, const struct outcome *outcome);

/* leftover.c: the step of a thread that could go on as well. */
uint32_t explorer_add_step(struct explorer *x, struct witnesses *list, unsigned thread, const struct operation *op,
                           uint32_t cost);
/* It is left out for the bound. */
void explorer_leave_out(struct explorer *x, uint32_t node, uint32_t w);
/* Whether what costs so much is within the bound, and need not wait for what has more to do with the change. */
static inline bool explorer_affords(const struct explorer *x, uint32_t cost)
{
  return (!x->bound || (cost & COST_BOUND) <= x->bound_limit) &&
         (!x->changed.map || x->reducing || cost / COST_PUT_OFF <= x->put_off);
}
/* Whether something of the tree is within the bound. */
bool explorer_is_within(struct explorer *x, uint32_t w);
/* Of those that may follow, the one that comes first is put in front: it is within the bound, if one is. */
uint32_t explorer_bring_forward(struct explorer *x, struct witnesses *list);
/* It waits at the node, or is left out there if none of it is within the bound. */
void explorer_sort_in(struct explorer *x, uint32_t node, uint32_t w);
/* What is kept of the node says whether it was widened. */
void explorer_mark_wide(struct explorer *x, uint32_t node);
/* The search leaves the last node: what was left out there is kept with the one before. */
void explorer_leave_node(struct explorer *x, uint32_t node);
/* Breadth first: the step of the whole tree that was found first becomes the guide. False: there is none. */
bool explorer_next_in_breadth(struct explorer *x);

/* guiding.c: the thread the guide names, if it can go on; on the way into a unit, whether it can or not. MAX_THREADS:
 * none. */
unsigned explorer_guided(struct explorer *x, const struct threadset *set);
/* What of the execution that the guide tells comes for the first time. */
void explorer_find_new(struct explorer *x);
/* That step, which was to lead into a unit, is not as it was. */
bool explorer_strays(struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t);
/* It was only supposed to be possible, and is not. */
bool explorer_turns_out_impossible(struct explorer *x, const struct choice *c, unsigned t);
/* The program ended in a step that is taken at once. */
bool explorer_ended_at_once(const struct explorer *x);
/* The execution is over: what may follow the guide's steps in another way waits at the nodes on its way. */
void explorer_dissolve_guide(struct explorer *x);

/* All outcomes of what the thread is about to do sleep there. */
bool explorer_asleep(const struct explorer *x, const struct explorer_node *n, unsigned thread);

/* cycle.c: the state is one that the execution had before: it ends here, and on the way from there all is tried. able:
 * who could go on. */
bool explorer_comes_round(struct explorer *x, const struct choice *c, const struct threadset *able);

/* vain_steps.c: the execution is none of the search's own. */
void explorer_abandon(struct explorer *x);
/* A thread has looked in vain: the execution ends here, and comes again without that look. */
bool explorer_looked_in_vain(struct explorer *x, const struct choice *c);
/* The guide tells it to: likewise. */
bool explorer_leave_guide(struct explorer *x, const struct choice *c);

/* probe.c: the steps that were left for later. False: nothing is in doubt any more. */
bool explorer_probe_next(struct explorer *x);
void explorer_probe_begin(struct explorer *x);
unsigned explorer_probe_pick(struct explorer *x, const struct choice *c);
unsigned explorer_probe_choose(struct explorer *x);
void explorer_probe_end(struct explorer *x);
/* The step of the branch that comes next; PICK_DIVERGED: it cannot. */
unsigned explorer_follow(const struct explorer *x, const struct choice *c);
bool explorer_same_step(const struct operation *a, const struct operation *b);

/* witness.c */
struct witness *witness_at(struct explorer *x, uint32_t w);
uint32_t witness_new(struct explorer *x, unsigned choices, unsigned watched); /* + 1; 0: no memory */
static inline struct watched_key *witness_watched(struct witness *w)
{
  return (struct watched_key *)&w->choice[(w->choices + 1u) / 2 * 2];
}
void witness_free(struct explorer *x, uint32_t w);
void witness_free_all(struct explorer *x, struct witnesses *list); /* with all that follows */
void witness_append(struct explorer *x, struct witnesses *list, uint32_t w);
uint32_t witness_take(struct explorer *x, struct witnesses *list); /* 0: none */
uint32_t witness_count(struct explorer *x, const struct witnesses *list);

/* One number for a sequence of outcomes; 0 is none. */
static inline uint32_t outcome_add(uint32_t outcome, uint32_t value)
{
  return outcome * 31 + value + 1;
}
uint32_t event_outcome(const struct order *o, const struct order_event *e, unsigned choices);

#endif

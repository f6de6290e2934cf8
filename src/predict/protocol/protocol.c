/* SPDX-License-Identifier: Apache-2.0
 *
 * The three stages; see protocol.h.
 */
#include "predict/protocol/protocol.h"
#include "predict/order/causality.h"
#include "predict/trace/grow_array.h"
#include "predict/trace/intern.h"
#include "predict/trace/lockset.h"

struct type {
  char *name;
  struct mining *mining;
  uint32_t methods;
  uint32_t *function; /* of each method */
  uint32_t function_room;
  bool racing;
  struct automaton *automaton;
  bool given;
  uint32_t number; /* of the automaton */
};

struct method { /* of a function */
  bool known;
  uint32_t type, method;
};

/* Stage 1: the calls of one thread on an object under the same locks. Of their clocks only the latest can race with
 * what comes later. */
struct entry {
  uint32_t thread, locks, epoch;
};

/* An object, as one of a type. */
struct watched {
  uint32_t object, type;
  uint32_t next; /* the same object as one of another type: its index + 1 */
  uint32_t node; /* of the type's tree, MINING_FULL when it is cut */
  uint32_t calls, checked;
  uint32_t thread; /* that called it first */
  bool many;       /* others did, too */
  bool cut;        /* not all of its calls are looked at */
  bool check;      /* something could be wrong with it */
  struct entry *entries;
  uint32_t entry_count, entry_room;
  struct lattice *lattice;
};

struct protocol {
  struct protocol_options options;
  struct protocol_figures figures;
  struct causality causality;
  struct locksets locksets;
  struct intern sets, places; /* sets of locks; threads at sites */
  uint32_t *count_at;         /* calls of a thread at a site, by the number of its place */
  uint32_t count_room;
  struct type *types;
  uint32_t type_count, type_room;
  struct method *methods; /* by function */
  uint32_t method_room;
  struct watched *watched;
  uint32_t watched_count, watched_room;
  uint32_t *of_object; /* index of the first watched one + 1 */
  uint32_t object_room;
  struct protocol_way *ways;
  struct prediction *predictions;
  size_t error_count;
  const struct trace *tables; /* during a call */
  uint32_t protocols;
  uint64_t visited; /* states of lattices */
  bool failed;
};

struct protocol *protocol_new(struct protocol_options options)
{
  struct protocol *p = calloc(1, sizeof *p);
  if (p)
    p->options = options;
  return p;
}

void protocol_free(struct protocol *p)
{
  if (!p)
    return;
  for (uint32_t i = 0; i < p->type_count; i++) {
    mining_free(p->types[i].mining);
    automaton_free(p->types[i].automaton);
    free(p->types[i].name);
    free(p->types[i].function);
  }
  for (uint32_t i = 0; i < p->watched_count; i++) {
    free(p->watched[i].entries);
    lattice_free(p->watched[i].lattice);
  }
  causality_free(&p->causality);
  locksets_free(&p->locksets);
  intern_free(&p->sets);
  intern_free(&p->places);
  free(p->count_at);
  free(p->types);
  free(p->methods);
  free(p->watched);
  free(p->of_object);
  free(p->ways);
  free(p->predictions);
  free(p);
}

/* ---- types, methods, objects ---- */

static uint32_t type_named(struct protocol *p, const char *name)
{
  for (uint32_t i = 0; i < p->type_count; i++)
    if (!strcmp(p->types[i].name, name))
      return i;
  if (!grow_array((void **)&p->types, &p->type_room, p->type_count, sizeof *p->types)) {
    p->failed = true;
    return UINT32_MAX;
  }
  struct type *type = &p->types[p->type_count];
  *type = (struct type){.name = strdup(name), .mining = mining_new()};
  p->failed |= !type->name || !type->mining;
  if (p->failed) {
    free(type->name);
    mining_free(type->mining);
    return UINT32_MAX;
  }
  return p->type_count++;
}

bool protocol_give(struct protocol *p, struct automaton *a)
{
  uint32_t type = type_named(p, a->type);
  if (type == UINT32_MAX) {
    automaton_free(a);
    return false;
  }
  automaton_free(p->types[type].automaton);
  p->types[type].automaton = a;
  p->types[type].given = true;
  return true;
}

/* What the function is; NULL when there is no memory. Methods are numbered within their type. */
static const struct method *method_of(struct protocol *p, const struct trace *t, uint32_t function)
{
  if (!grow_array((void **)&p->methods, &p->method_room, function, sizeof *p->methods)) {
    p->failed = true;
    return NULL;
  }
  struct method *m = &p->methods[function];
  if (m->known)
    return m;
  uint32_t number = type_named(p, t->functions[function].type);
  struct type *type = number == UINT32_MAX ? NULL : &p->types[number];
  if (!type || !grow_array((void **)&type->function, &type->function_room, type->methods, sizeof *type->function)) {
    p->failed = true;
    return NULL;
  }
  type->function[type->methods] = function;
  *m = (struct method){true, number, type->methods++};
  p->figures.types += m->method == 0;
  return m;
}

static struct watched *watched_of(struct protocol *p, uint32_t object, uint32_t type)
{
  if (!grow_array((void **)&p->of_object, &p->object_room, object, sizeof *p->of_object) ||
      !grow_array((void **)&p->watched, &p->watched_room, p->watched_count, sizeof *p->watched)) {
    p->failed = true;
    return NULL;
  }
  for (uint32_t i = p->of_object[object]; i; i = p->watched[i - 1].next)
    if (p->watched[i - 1].type == type)
      return &p->watched[i - 1];
  struct watched *w = &p->watched[p->watched_count++];
  *w = (struct watched){.object = object, .type = type, .next = p->of_object[object], .node = MINING_ROOT};
  p->of_object[object] = p->watched_count;
  return w;
}

static bool is_call(const struct event *e)
{
  return e->op == OP_CALL && e->object && e->second && !(e->flags & (EVENT_FAILED | EVENT_PENDING));
}

/* ---- stage 1 and the sequences of stage 2 ---- */

static bool exclude(const struct protocol *p, uint32_t a, uint32_t b)
{
  uint32_t a_length, b_length;
  const uint32_t *x = intern_words(&p->sets, a, &a_length), *y = intern_words(&p->sets, b, &b_length);
  return lockset_words_exclude(x, a_length, y, b_length);
}

static bool races(const struct protocol *p, const struct watched *w, uint32_t thread, uint32_t locks,
                  const struct clock *clock)
{
  for (uint32_t i = 0; i < w->entry_count; i++)
    if (w->entries[i].thread != thread && w->entries[i].epoch >= clock_get(clock, w->entries[i].thread) &&
        !exclude(p, w->entries[i].locks, locks))
      return true;
  return false;
}

/* A call goes into the database of stage 1, unless it is there. */
static void note_call(struct protocol *p, struct watched *w, uint32_t thread, uint32_t locks, uint32_t epoch)
{
  uint32_t i = 0;
  while (i < w->entry_count && (w->entries[i].thread != thread || w->entries[i].locks != locks))
    i++;
  if (i < w->entry_count && w->entries[i].epoch == epoch)
    return;
  if (!grow_array((void **)&w->entries, &w->entry_room, i, sizeof *w->entries)) {
    p->failed = true;
    return;
  }
  p->figures.entries++;
  w->entries[i] = (struct entry){thread, locks, epoch};
  w->entry_count += i == w->entry_count;
}

static void detect_race(struct protocol *p, struct watched *w, const struct event *e)
{
  const struct clock *clock = causality_clock(&p->causality, e->thread);
  uint32_t locks = lockset_number(&p->sets, locksets_of(&p->locksets, e->thread));
  if (!clock || !locks) {
    p->failed = true;
    return;
  }
  if (!p->types[w->type].racing)
    p->types[w->type].racing = races(p, w, e->thread, locks, clock);
  note_call(p, w, e->thread, locks, clock_get(clock, e->thread));
}

void protocol_event(struct protocol *p, const struct trace *t, const struct event *e)
{
  causality_event(&p->causality, e);
  locksets_event(&p->locksets, e);
  const struct method *m = is_call(e) ? method_of(p, t, e->second) : NULL;
  struct watched *w = m ? watched_of(p, e->object, m->type) : NULL;
  if (!w)
    return;
  p->figures.calls++;
  w->thread = w->thread ? w->thread : e->thread;
  w->many |= w->thread != e->thread;
  detect_race(p, w, e);
  uint32_t node = w->node == MINING_FULL || w->calls == PROTOCOL_CALLS
                      ? MINING_FULL
                      : mining_step(p->types[m->type].mining, w->node, m->method);
  w->node = node;
  w->calls += node != MINING_FULL;
  w->cut |= node == MINING_FULL;
}

/* ---- stage 2 ---- */

static bool name_methods(struct automaton *a, const struct type *type, const struct trace *t)
{
  for (uint32_t i = 0; i < type->methods; i++)
    if (!automaton_name_method(a, i, t->functions[type->function[i]].name))
      return false;
  return true;
}

/* A protocol that allows everything needs no check. */
static bool allows_all(const struct automaton *a)
{
  for (size_t i = 0; i < (size_t)a->states * a->methods; i++)
    if (a->next[i] == AUTOMATON_BAD)
      return false;
  return true;
}

static void learn_type(struct protocol *p, struct type *type, const struct trace *t)
{
  if (!type->given && type->racing) {
    type->automaton = mining_learn(type->mining, type->name, type->methods, p->options.mining);
    p->failed |= !type->automaton || !name_methods(type->automaton, type, t);
  }
  if (type->automaton) {
    type->number = p->protocols++;
    p->figures.size += type->automaton->states;
  }
  p->figures.racing += type->racing;
  mining_free(type->mining);
  type->mining = NULL;
}

bool protocol_learn(struct protocol *p, const struct trace *t)
{
  p->failed |= p->causality.failed || p->locksets.failed;
  causality_free(&p->causality);
  locksets_free(&p->locksets);
  for (uint32_t i = 0; i < p->watched_count; i++) {
    struct watched *w = &p->watched[i];
    if (w->node != MINING_FULL)
      mining_end(p->types[w->type].mining, w->node);
    free(w->entries);
    w->entries = NULL;
    w->entry_count = w->entry_room = 0;
  }
  for (uint32_t i = 0; i < p->type_count; i++)
    learn_type(p, &p->types[i], t);
  for (uint32_t i = 0; i < p->watched_count; i++) {
    struct watched *w = &p->watched[i];
    const struct automaton *a = p->types[w->type].automaton;
    w->check = a && w->many && !allows_all(a);
    p->figures.objects += a != NULL;
    p->figures.checked += w->check;
  }
  p->figures.protocols = p->protocols;
  return p->figures.checked > 0;
}

/* ---- stage 3 ---- */

/* Two errors are one when the call is at the same place and the object in the same state. */
static bool known_error(const struct protocol *p, uint32_t protocol, const struct lattice_error *e)
{
  for (size_t i = 0; i < p->error_count; i++) {
    const struct prediction *k = &p->predictions[i];
    if (k->protocol == protocol && k->state == e->state && k->party[0].addr == e->call->function &&
        k->party[0].site == e->call->site)
      return true;
  }
  return false;
}

static struct prediction_party party_of(const struct lattice_call *call)
{
  return (struct prediction_party){.thread = call->thread,
                                   .op = OP_CALL,
                                   .object = call->object,
                                   .site = call->site,
                                   .addr = call->function,
                                   .occurrence = call->occurrence,
                                   .context = {call->site},
                                   .context_length = 1,
                                   .event = call->number};
}

/* The other party: a call that came after it in the run and comes before it now; else one that came before it and is
 * still to come; else the last one before it. */
static void describe(const struct protocol *p, const struct lattice_error *e, struct prediction *out)
{
  const struct trace_function *f = p->tables->functions;
  bool overtaken = e->last && e->last->number > e->call->number;
  const struct lattice_call *other = !overtaken && e->missing ? e->missing : e->last;
  const char *name = f[e->call->function].name;
  *out = (struct prediction){
      .kind = PREDICT_TYPESTATE, .party_count = other ? 2 : 1, .state = e->state, .early = other != e->last};
  out->party[0] = party_of(e->call);
  if (!other) {
    snprintf(out->text, sizeof out->text, "%s too early", name);
    return;
  }
  out->party[1] = party_of(other);
  snprintf(out->text, sizeof out->text, "%s %s %s", name, out->early ? "before" : "after", f[other->function].name);
}

/* Nothing follows, as when it is closed or destroyed. */
static bool is_end(const struct automaton *a, uint32_t state)
{
  for (uint32_t m = 0; m < a->methods; m++)
    if (automaton_next(a, state, m) != AUTOMATON_BAD)
      return false;
  return true;
}

/* Whether the call ends the object, wherever it is allowed. */
static bool always_ends(const struct automaton *a, uint32_t method)
{
  bool ends = false;
  for (uint32_t s = 0; s < a->states; s++) {
    uint32_t next = automaton_next(a, s, method);
    if (next != AUTOMATON_BAD && !is_end(a, next))
      return false;
    ends |= next != AUTOMATON_BAD;
  }
  return ends;
}

static void on_error(void *arg, const struct lattice_error *e)
{
  struct protocol *p = arg;
  const struct type *type = &p->types[p->methods[e->call->function].type];
  if (known_error(p, type->number, e))
    return;
  if ((p->error_count & (p->error_count - 1)) == 0) {
    size_t room = p->error_count ? 2 * p->error_count : 1;
    struct protocol_way *ways = realloc(p->ways, room * sizeof *ways);
    p->ways = ways ? ways : p->ways;
    struct prediction *predictions = realloc(p->predictions, room * sizeof *predictions);
    p->predictions = predictions ? predictions : p->predictions;
    p->failed |= !ways || !predictions;
    if (!ways || !predictions)
      return;
  }
  struct protocol_way *way = &p->ways[p->error_count];
  way->length = lattice_way(e, way->call, PROTOCOL_WAY);
  struct prediction *prediction = &p->predictions[p->error_count++];
  describe(p, e, prediction);
  prediction->protocol = type->number;
  prediction->mined = !type->given;
  prediction->ended =
      is_end(type->automaton, e->state) || (prediction->early && always_ends(type->automaton, e->call->method));
}

/* Which call of the thread's at that site it is. */
static uint32_t occurrence(struct protocol *p, const struct event *e)
{
  uint32_t place = intern_number(&p->places, (uint32_t[]){e->thread, e->site}, 2);
  if (!place || !grow_array((void **)&p->count_at, &p->count_room, place, sizeof *p->count_at)) {
    p->failed = true;
    return 0;
  }
  return ++p->count_at[place];
}

static void finish_object(struct protocol *p, struct watched *w)
{
  p->failed |= !lattice_finish(w->lattice);
  const struct lattice_figures *f = lattice_figures(w->lattice);
  p->figures.states += f->states;
  p->figures.levels += f->levels;
  p->figures.early += f->early;
  p->figures.errors += f->errors;
  p->figures.left_out += f->left_out;
  if (f->widest > p->figures.widest)
    p->figures.widest = f->widest;
  lattice_free(w->lattice);
  w->lattice = NULL;
}

/* The number of the function in the type's protocol: its own in a mined one, by name in a given one. */
static uint32_t method_in(const struct type *type, const struct trace *t, const struct method *m, uint32_t function)
{
  return type->given ? automaton_method(type->automaton, t->functions[function].name) : m->method;
}

static void check_call(struct protocol *p, const struct trace *t, struct watched *w, const struct event *e,
                       uint32_t method, uint32_t nth)
{
  struct lattice_options options = {.width = p->options.width, .queue = p->options.queue, .error = on_error, .arg = p};
  const struct clock *clock = causality_clock(&p->causality, e->thread);
  struct lattice_call call = {.number = e->number,
                              .thread = e->thread,
                              .object = e->object,
                              .method = method,
                              .site = e->site,
                              .function = e->second,
                              .occurrence = nth};
  if (!w->lattice)
    w->lattice = lattice_new(p->types[w->type].automaton, options);
  if (!w->lattice || !clock) {
    p->failed = true;
    return;
  }
  p->tables = t;
  uint64_t before = lattice_figures(w->lattice)->states;
  lattice_add(w->lattice, &call, clock_get(clock, e->thread), clock->at, clock->count);
  p->visited += lattice_figures(w->lattice)->states - before;
}

void protocol_check(struct protocol *p, const struct trace *t, const struct event *e)
{
  causality_event(&p->causality, e);
  uint32_t nth = is_call(e) ? occurrence(p, e) : 0;
  if (!nth || e->second >= p->method_room || !p->methods[e->second].known)
    return;
  const struct method *m = &p->methods[e->second];
  const struct type *type = &p->types[m->type];
  struct watched *w = watched_of(p, e->object, m->type);
  if (!w || !w->check || w->checked == w->calls)
    return;
  uint32_t method = method_in(type, t, m, e->second);
  w->checked++;
  if (method != AUTOMATON_BAD)
    check_call(p, t, w, e, method, nth);
  bool enough =
      p->visited >= PROTOCOL_STATES || (w->lattice && lattice_figures(w->lattice)->states >= PROTOCOL_OBJECT_STATES);
  w->cut |= enough && w->checked < w->calls;
  if (enough)
    w->checked = w->calls;
  if (w->checked == w->calls && w->lattice)
    finish_object(p, w); /* nothing more comes */
}

bool protocol_finish(struct protocol *p, const struct trace *t, struct predictions *out)
{
  p->tables = t;
  for (uint32_t i = 0; i < p->watched_count; i++) {
    if (p->watched[i].lattice)
      finish_object(p, &p->watched[i]);
    p->figures.cut += p->watched[i].cut && p->watched[i].check;
  }
  for (size_t i = 0; i < p->error_count; i++)
    predictions_add(out, &p->predictions[i]);
  return !p->failed && !p->causality.failed && !out->failed;
}

/* ---- what was found ---- */

const struct protocol_figures *protocol_figures(const struct protocol *p)
{
  return &p->figures;
}

const struct automaton *protocol_automaton(const struct protocol *p, uint32_t number)
{
  for (uint32_t i = 0; i < p->type_count; i++)
    if (p->types[i].automaton && p->types[i].number == number)
      return p->types[i].automaton;
  return NULL;
}

const struct protocol_way *protocol_way(const struct protocol *p, size_t i)
{
  return i < p->error_count ? &p->ways[i] : NULL;
}

void protocol_tell(const struct protocol *p, const struct trace *t, size_t i, FILE *out)
{
  const struct protocol_way *way = protocol_way(p, i);
  const struct automaton *a = way ? protocol_automaton(p, p->predictions[i].protocol) : NULL;
  if (!a)
    return;
  char state[64];
  size_t kept = way->length < PROTOCOL_WAY ? way->length : PROTOCOL_WAY;
  if (kept < way->length)
    fprintf(out, "  … %zu call%s\n", way->length - kept, way->length - kept == 1 ? "" : "s");
  for (size_t k = 0; k < kept; k++) {
    const struct lattice_call *c = &way->call[k];
    fprintf(out, "  %-8s %s(%s) at %s", t->threads[c->thread].text, t->functions[c->function].name,
            t->objects[c->object].text, c->site ? t->sites[c->site].text : "an unknown place");
    if (k + 1 == kept)
      fprintf(out, "   ← not allowed in state %s", automaton_state(a, p->predictions[i].state, state, sizeof state));
    fputc('\n', out);
  }
}

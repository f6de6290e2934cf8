/* SPDX-License-Identifier: Apache-2.0
 *
 * The division of an exhaustive search; see the header.
 */
#include "session/division.h"
#include "file/format_version.h"
#include "file/output_file.h"
#include "file/sealed.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SOON 0.1        /* a worker is left alone for so long when others wait for work */
#define SEVERAL 1.0     /* and works for so long when others do, too: what it has not handed in can come too late */
#define SHORT 0.05      /* a unit that others would have explored sooner than it was divided and put together again */
#define REST_FIRST 0.2  /* for so long nothing is divided then; twice as long each time, */
#define REST_MOST 6.0   /* up to that */
#define SAVED_EVERY 2.0 /* seconds between checkpoints, or more if they take long: */
#define TIMES 75 /* dividing may take us one part of so many of the workers' time; they need about as much for it */
#define FORECAST_EVERY 0.3 /* of the time so far, and of a second: a worker is asked how far it is */
#define PROBES 120         /* at most */
#define LOST_MOST 3        /* jobs in a row: from then on, who works hands in before it has worked for as long as */
#define HASTE_LEAST 0.005  /* half of what was lost last, and at least so long; twice as long after each answer */
#define MEETING_MOST 3     /* of more, one rather comes too late than that all wait for each other */
#define HEAD_START 10      /* executions: so many each, in turns, of searches with and without heed of a change; then */
#define PLAIN_TIMES 10     /* without heed so many times as many as with it, */
#define TURNS_GROW_BY 4    /* in turns that are one part of so many of what was before */
#define LOCATIONS_MOST (JOB_LOCATIONS_MOST / sizeof(uint64_t))

bool division_open(struct division *d)
{
  *d = (struct division){0};
  return frontier_open(&d->frontier);
}

void division_close(struct division *d)
{
  frontier_close(&d->frontier);
  courses_close(d->courses);
  untold_clear(&d->untold);
  free(d->location);
  free(d->line);
}

void division_fail(struct division *d, const char *why)
{
  if (!d->failed)
    snprintf(d->error, sizeof d->error, "%s", why);
  d->failed = true;
}

static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- what is shared memory ---- */

static int by_address(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

void division_learn(struct division *d, const struct answer *answer)
{
  const uint64_t *found = answer->part[ANSWER_LOCATIONS];
  uint32_t n = (uint32_t)(answer->bytes[ANSWER_LOCATIONS] / sizeof *found);
  uint64_t *all = realloc(d->location, (d->locations + (size_t)n + 1) * sizeof *all);
  if (!all) {
    division_fail(d, "no memory left");
    return;
  }
  if (n)
    memcpy(all + d->locations, found, n * sizeof *all);
  n += d->locations;
  qsort(all, n, sizeof *all, by_address);
  d->location = all;
  d->locations = 0;
  for (uint32_t i = 0; i < n && d->locations < LOCATIONS_MOST; i++)
    if (!d->locations || all[d->locations - 1] != all[i])
      all[d->locations++] = all[i];
}

void division_forget(struct division *d)
{
  d->tally = (struct handed){.seconds = d->tally.seconds};
  d->heeding = 0;
  d->lines = 0;
  d->probed = false;
  d->forecast = (struct forecast){0};
  d->foretold = 0;
}

static void begin_anew(struct division *d)
{
  d->epoch++;
  division_forget(d);
  if (!frontier_reset(&d->frontier))
    division_fail(d, "no memory left");
}

void division_raise(struct division *d, uint32_t limit)
{
  if (d->frontier.dropped)
    division_forget(d);
  d->bounded = false;
  if (!frontier_raise(&d->frontier, limit))
    division_fail(d, "no memory left");
}

/* ---- taking ---- */

static void take_lines(struct division *d, const struct answer *answer)
{
  const struct execution_line *line = answer->part[ANSWER_LINES];
  uint64_t n = answer->bytes[ANSWER_LINES] / sizeof *line;
  if (d->lines + n > d->line_room) {
    uint64_t room = 2 * (d->lines + n);
    struct execution_line *grown = realloc(d->line, room * sizeof *grown);
    if (!grown) {
      division_fail(d, "no memory left");
      return;
    }
    d->line = grown;
    d->line_room = room;
  }
  if (n)
    memcpy(d->line + d->lines, line, n * sizeof *d->line);
  d->lines += n;
}

static void take_probes(struct division *d, const struct answer *answer)
{
  const struct probe_line *line = answer->part[ANSWER_PROBES];
  for (uint64_t i = 0; i < answer->bytes[ANSWER_PROBES] / sizeof *line; i++)
    forecast_probe(&d->forecast, scaled_make(line[i].mantissa, line[i].exponent));
}

void division_count(struct division *d, const struct answer *answer)
{
  d->tally.executions += answer->executions;
  d->tally.blocked += answer->blocked;
  d->tally.cut += answer->cut;
  d->tally.steps += answer->steps;
  d->incomplete |= answer->losses;
  d->found |= answer->found;
  take_lines(d, answer);
  d->worked += answer->seconds;
  d->haste *= 2;
  d->lost_in_a_row = 0;
}

static void commit(struct division *d, const struct ticket *ticket, const struct answer *answer)
{
  const struct hand_in *in = answer->part[ANSWER_HAND_IN];
  uint64_t bytes = answer->bytes[ANSWER_HAND_IN];
  switch (in ? frontier_hand_in(&d->frontier, ticket->unit, ticket->known, in, bytes) : HAND_IN_BAD) {
  case HAND_IN_LATE:
    return;
  case HAND_IN_ANEW:
    begin_anew(d);
    return;
  case HAND_IN_BAD:
    division_fail(d, d->frontier.failed
                         ? "no memory left for what is to be explored"
                         : "what a worker handed in is damaged: the program writes to memory that is not its own");
    return;
  case HAND_IN_TAKEN:
    break;
  }
  d->heeding += ticket->heeds ? answer->executions : 0;
  d->bounded |= answer->bounded;
  division_count(d, answer);
  if (ticket->probes)
    take_probes(d, answer);
}

/* Whether it pays to divide is not known before, but it is the same for a while. */
static void note_benefit(struct division *d, bool paid, double now)
{
  d->rest = paid ? 0 : d->rest ? fmin(2 * d->rest, REST_MOST) : REST_FIRST;
  d->rests_until = now + d->rest;
}

static void note_end(struct division *d, const struct ticket *ticket, const struct answer *answer, double now)
{
  const struct hand_in *in = answer->part[ANSWER_HAND_IN];
  if (in && in->finished && ticket->beside)
    note_benefit(d, now - ticket->given_at >= SHORT, now);
  else if (in && d->frontier.waiting == 1 && !d->frontier.taken)
    note_benefit(d, false, now); /* there is nothing to divide */
}

static bool pays(const struct division *d, double now)
{
  return now >= d->rests_until && TIMES * d->spent <= d->worked;
}

static bool is_before_save(const struct division *d, const struct ticket *ticket)
{
  return d->saving && ticket->given_at < d->saving_at;
}

static void take(void *self, const struct ticket *ticket, const struct answer *answer, double now)
{
  struct division *d = self;
  bool current = ticket->epoch == d->epoch;
  d->out--;
  d->out_heeding -= ticket->heeds;
  d->unsaved -= is_before_save(d, ticket);
  if (current && answer->learnt) {
    division_learn(d, answer);
    if (answer->part[ANSWER_HAND_IN])
      frontier_learn(&d->frontier, answer->part[ANSWER_HAND_IN]);
    frontier_return(&d->frontier, ticket->unit);
    begin_anew(d);
  } else if (current) {
    double since = processor_seconds();
    division_learn(d, answer); /* what it knew from the start, who comes later must know too */
    commit(d, ticket, answer);
    note_end(d, ticket, answer, now);
    d->took = processor_seconds() - since;
    d->spent += d->took;
  }
}

void division_note_loss(struct division *d, const struct ticket *ticket)
{
  if (++d->lost_in_a_row >= LOST_MOST)
    d->haste = fmax(HASTE_LEAST, (d->haste ? fmin(d->haste, ticket->worked) : ticket->worked) / 2);
}

static void lost(void *self, const struct ticket *ticket, const struct control *block, int wait_status)
{
  (void)block, (void)wait_status;
  struct division *d = self;
  d->out--;
  d->out_heeding -= ticket->heeds;
  d->unsaved -= is_before_save(d, ticket);
  division_note_loss(d, ticket);
  if (ticket->epoch == d->epoch)
    frontier_return(&d->frontier, ticket->unit);
}

/* ---- giving ---- */

/* Nothing is left but what the change of the program put off: that comes now. */
static void take_up(struct division *d)
{
  if (d->frontier.dropped)
    division_forget(d);
  if (!frontier_take_up(&d->frontier))
    division_fail(d, "no memory left");
}

/* With a change of the program, two searches of one tree take turns: one that goes by the change, and one that goes as
 * if there were none. So if the change has nothing to do with what is looked for, that is found all the same, after a
 * few executions and a tenth more. Returns for how many executions the turn lasts. */
static uint64_t begin_turn(struct division *d, bool *heeds)
{
  struct frontier *f = &d->frontier;
  uint64_t plain = d->tally.executions - d->heeding;
  uint64_t due = (plain < HEAD_START ? plain : HEAD_START) + plain / PLAIN_TIMES;
  *heeds = !d->out_heeding && d->heeding < due;
  frontier_heed(f, *heeds);
  if (*heeds && !f->waiting && f->taken)
    frontier_heed(f, *heeds = false);
  while (!d->failed && frontier_is_idle(f) && !frontier_is_finished(f))
    take_up(d);
  if (*heeds)
    return due - d->heeding;
  return plain < HEAD_START ? 1 : plain / TURNS_GROW_BY;
}

void division_draft(const struct division *d, struct job_draft *draft)
{
  draft->location = d->location;
  draft->locations = d->locations;
  draft->executions = d->limit > d->tally.executions ? d->limit - d->tally.executions : d->limit;
}

static bool next(void *self, struct job_draft *draft, struct ticket *ticket, double now)
{
  struct division *d = self;
  double since = processor_seconds();
  bool heeds = false;
  uint64_t turn = d->frontier.puts_off ? begin_turn(d, &heeds) : 0;
  bool beside = d->frontier.taken, divide = pays(d, now);
  struct place *unit =
      beside && !divide ? NULL : frontier_take(&d->frontier, divide ? draft->others : 0, draft->unit, draft->room);
  d->spent += processor_seconds() - since;
  if (!unit)
    return false;
  d->out++;
  d->out_heeding += heeds;
  d->began = d->began ? d->began : now;
  draft->unit->probes = d->probed || draft->unit->steps ? 0 : PROBES;
  d->probed = true;
  division_draft(d, draft);
  if (turn && (!draft->executions || turn < draft->executions))
    draft->executions = turn;
  *ticket = (struct ticket){.unit = unit,
                            .epoch = d->epoch,
                            .known = draft->unit->known,
                            .probes = draft->unit->probes > 0,
                            .heeds = heeds,
                            .given_at = now,
                            .beside = beside};
  return true;
}

static double patience(const void *self, const struct ticket *ticket, bool idle)
{
  const struct division *d = self;
  if (is_before_save(d, ticket) || ticket->epoch != d->epoch || (d->haste && ticket->worked >= d->haste))
    return 0;
  if (idle && !d->frontier.lessons.chooses)
    return TIMES * d->spent > d->worked + ticket->worked ? INFINITY : fmax(SOON, d->rests_until - ticket->given_at);
  if (d->frontier.taken > 1)
    return ticket->worked < fmax(SEVERAL, TIMES * d->took) ? INFINITY : 0;
  return d->foreseen ? FORECAST_EVERY * fmax(1, ticket->given_at - d->began) : INFINITY;
}

/* What was found for the places above a unit may be what others found there, too, who did not know of it. */
static bool meets(const void *self, const struct ticket *ticket, const struct answer *answer)
{
  const struct division *d = self;
  const struct hand_in *in = answer->part[ANSWER_HAND_IN];
  return ticket->epoch == d->epoch && !answer->learnt && in && in->founds && !in->plain &&
         d->frontier.taken <= MEETING_MOST;
}

static bool precedes(const void *self, const struct ticket *a, const struct ticket *b)
{
  const struct division *d = self;
  return a->epoch == d->epoch && b->epoch == d->epoch && frontier_precedes(a->unit, b->unit);
}

bool division_is_finished(const struct division *d)
{
  return d->courses ? courses_are_finished(d->courses) : frontier_is_finished(&d->frontier);
}

void division_predict(struct division *d)
{
  if (d->tally.executions == d->foretold)
    return;
  struct scaled lazy, eager, done = scaled_from_double((double)d->tally.executions);
  frontier_share(&d->frontier, &lazy, &eager);
  d->foretold = d->tally.executions;
  if (lazy.mantissa > 0 && eager.mantissa > 0)
    forecast_feed(&d->forecast, (double)d->tally.executions, scaled_divide(done, lazy), scaled_divide(done, eager));
}

/* All hand in, and go on at once: what is written is what they had by then, or more. */
static void save_when_due(struct division *d, double now)
{
  if (!d->checkpoint)
    return;
  if (!d->saved_at)
    d->saved_at = now;
  if (!d->saving && now - d->saved_at >= fmax(SAVED_EVERY, TIMES * d->save_took)) {
    d->saving = true;
    d->saving_at = now;
    d->unsaved = d->out;
  }
  if (!d->saving || d->unsaved)
    return;
  double since = processor_seconds();
  division_save(d, now);
  d->save_took = processor_seconds() - since + d->took;
}

static enum outlook look(void *self, bool working, double now)
{
  struct division *d = self;
  division_predict(d);
  save_when_due(d, now);
  bool enough = d->limit && d->tally.executions >= d->limit;
  return enough || (!working && frontier_is_finished(&d->frontier)) ? JOBS_OVER : JOBS_TO_COME;
}

static const char *problem(const void *self)
{
  const struct division *d = self;
  return d->failed ? d->error : NULL;
}

const struct planner division_planner = {.next = next,
                                         .take = take,
                                         .lost = lost,
                                         .patience = patience,
                                         .look = look,
                                         .problem = problem,
                                         .meets = meets,
                                         .precedes = precedes};

/* ---- the file ---- */

#define TITLE "heddle checkpoint 6"

static bool write_all(const struct division *d, FILE *f)
{
  seal_begin(f, TITLE);
  if (!identity_write(d->identity, f))
    return false;
  fprintf(
      f,
      "executions %" PRIu64 "\nblocked %" PRIu64 "\ncut %" PRIu64 "\nsteps %" PRIu64 "\nseconds %.3f\nlimit %" PRIu32
      "\nbounded %d\ndropped %d\nfound %d\nincomplete %" PRIu64 "\nlocations %" PRIu32 "\n",
      d->tally.executions, d->tally.blocked, d->tally.cut, d->tally.steps, d->tally.seconds, d->frontier.limit,
      d->bounded, d->frontier.dropped, d->found_before || (d->found && !d->untold.count), d->incomplete, d->locations);
  for (uint32_t i = 0; i < d->locations; i++)
    fprintf(f, "%" PRIx64 "\n", d->location[i]);
  return untold_write(&d->untold, f) && frontier_write(&d->frontier, f);
}

bool division_save(struct division *d, double now)
{
  char error[640] = "no memory left", *text = NULL;
  size_t bytes = 0;
  d->saving = false;
  d->saved_at = now;
  FILE *f = open_memstream(&text, &bytes);
  bool good = f && write_all(d, f);
  if (f && fclose(f) != 0)
    good = false;
  if (good)
    seal(text, bytes);
  good = good && output_file_write(d->checkpoint, FILE_CHECKPOINT, text, bytes, error, sizeof error);
  free(text);
  if (!good && !d->failed)
    snprintf(d->error, sizeof d->error, "--checkpoint: %s", error);
  d->failed |= !good;
  return good;
}

static bool read_counts(struct division *d, FILE *f, uint32_t *locations)
{
  int bounded, dropped, found;
  if (fscanf(f,
             " executions %" SCNu64 " blocked %" SCNu64 " cut %" SCNu64 " steps %" SCNu64 " seconds %lf limit %" SCNu32
             " bounded %d dropped %d found %d incomplete %" SCNu64 " locations %" SCNu32,
             &d->tally.executions, &d->tally.blocked, &d->tally.cut, &d->tally.steps, &d->tally.seconds,
             &d->frontier.limit, &bounded, &dropped, &found, &d->incomplete, locations) != 11 ||
      *locations > LOCATIONS_MOST)
    return false;
  d->bounded = bounded;
  d->frontier.dropped = dropped;
  d->found = d->found_before = found;
  return true;
}

static bool check_identity(struct division *d, FILE *f, char *error, size_t error_size)
{
  struct identity then = {0};
  bool same = false;
  if (!identity_read(&then, f)) {
    snprintf(error, error_size, "it does not say of what search it is");
  } else {
    identity_ignore_as(d->identity, &then);
    same = identity_is_same(&then, d->identity, error, error_size);
  }
  identity_free(&then);
  return same;
}

static bool read_all(struct division *d, FILE *f, char *error, size_t error_size)
{
  uint32_t locations;
  if (!check_identity(d, f, error, error_size))
    return false;
  if (!read_counts(d, f, &locations)) {
    snprintf(error, error_size, "its counts are damaged");
    return false;
  }
  d->location = calloc(locations + 1u, sizeof *d->location);
  for (; d->location && d->locations < locations; d->locations++)
    if (fscanf(f, "%" SCNx64, &d->location[d->locations]) != 1) {
      snprintf(error, error_size, "it is cut short");
      return false;
    }
  if (!untold_read(&d->untold, f)) {
    snprintf(error, error_size, "the bugs in it are damaged");
    return false;
  }
  d->found |= d->untold.count > 0;
  return d->location && frontier_read(&d->frontier, f, error, error_size);
}

/* All of a regular file, malloc'ed; NULL: the error says why. */
static char *read_file(const char *path, size_t *bytes, char *error, size_t error_size)
{
  struct stat st;
  char *text = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &st) != 0)
    snprintf(error, error_size, "%s", strerror(errno));
  else if (!S_ISREG(st.st_mode))
    snprintf(error, error_size, "it is not a regular file");
  else
    text = malloc((size_t)st.st_size + 1);
  *bytes = 0;
  for (ssize_t n = 1; text && n > 0; *bytes += n > 0 ? (size_t)n : 0)
    n = read(fd, text + *bytes, (size_t)st.st_size - *bytes);
  if (fd >= 0)
    close(fd);
  return text;
}

static bool read_sealed(struct division *d, char *text, size_t bytes, char *error, size_t error_size)
{
  size_t rest = 0;
  enum seal_state state = seal_check(text, bytes, TITLE, &rest);
  if (state != SEAL_HOLDS) {
    if (!is_of_another_version(text, bytes, TITLE, error, error_size))
      snprintf(error, error_size,
               state == SEAL_BROKEN ? "it is damaged: its checksum is not that of its content"
                                    : "it is not a checkpoint");
    return false;
  }
  FILE *f = fmemopen(text + rest, bytes - rest, "r");
  bool good = f && read_all(d, f, error, error_size);
  if (f)
    fclose(f);
  return good;
}

bool division_resume(struct division *d, const char *path)
{
  char error[1024] = "no memory left";
  size_t bytes;
  char *text = read_file(path, &bytes, error, sizeof error);
  bool good = text && read_sealed(d, text, bytes, error, sizeof error);
  free(text);
  if (!good)
    console_error("--resume: %s cannot be used: %s", path, error);
  return good;
}

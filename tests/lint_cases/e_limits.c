/* SPDX-License-Identifier: Apache-2.0
 *
 * What looks like a limit, though no pattern fits, is not told unless it is asked for; what only looks a bit like one
 * is told.
 */
#include "creation.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACES 16

/* ---- a counter that a function compares ---- */

static int e_open;

static int may_open(int most)
{
  if (e_open >= most)
    return 0;
  e_open++;
  return 1;
}

static void *closes(void *argument)
{
  e_open--;
  return argument;
}

void with_asked_counter(int listener, int most)
{
  pthread_t thread;
  for (;;) { /* = possible, 'e_open' goes up and down and is compared */
    int fd = accept(listener, NULL, NULL);
    if (may_open(most))
      pthread_create(&thread, NULL, closes, &fd);
  }
}

static int e_seen;

static void note_client(void)
{
  e_seen++;
}

/* It only goes up: how many there have been. */
void with_statistics(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    note_client();
    if (e_seen != 1000)
      pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- a place that is looked for ---- */

static struct e_place {
  struct e_place *next;
  int used, address;
} * e_places;

static struct e_place *free_place(void)
{
  struct e_place *p = e_places;
  while (p) {
    if (!p->used)
      return p;
    p = p->next;
  }
  return NULL;
}

void with_place(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, free_place() looks for something */
    int fd = accept(listener, NULL, NULL);
    struct e_place *place = free_place();
    if (!place) {
      close(fd);
      continue;
    }
    place->used = 1;
    pthread_create(&thread, NULL, work, place);
  }
}

static struct e_place *place_of(int address)
{
  struct e_place *p = e_places;
  while (p) {
    if (p->address == address)
      return p;
    p = p->next;
  }
  return NULL;
}

/* Who is allowed to, not how many. */
void with_allowed(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    if (place_of(fd))
      pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- the descriptor ---- */

void with_descriptor(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, the descriptor 'fd' */
    int fd = accept(listener, NULL, NULL);
    if (fd >= PLACES) {
      close(fd);
      continue;
    }
    pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- what is called like a limit ---- */

extern int busy_threads(void), seen_guests(void);
extern struct e_house {
  int max_guests, max_fd;
} e_house;

void with_limit_by_name(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, is called like a limit */
    int fd = accept(listener, NULL, NULL);
    if (seen_guests() < e_house.max_guests)
      pthread_create(&thread, NULL, work, &fd);
  }
}

void with_limit_by_function(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, is called like a limit */
    int fd = accept(listener, NULL, NULL);
    if (!busy_threads())
      pthread_create(&thread, NULL, work, &fd);
  }
}

/* Of something else than how many there are. */
void with_largest_descriptor(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    if (listener <= e_house.max_fd)
      pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- an element that is asked for ---- */

struct e_hall {
  int taken[PLACES], banned[PLACES];
};

void with_seat_by_number(int listener, struct e_hall *hall)
{
  pthread_t thread;
  for (;;) { /* = possible, 'taken' is asked for and set */
    int fd = accept(listener, NULL, NULL), seat = fd % PLACES;
    if (hall->taken[seat])
      continue;
    hall->taken[seat] = 1;
    pthread_create(&thread, NULL, work, &hall->taken[seat]);
  }
}

struct e_port {
  const char *name;
  int fd;
};

/* The new one has a name, too. */
void with_named_ports(struct e_port *port, int ports)
{
  pthread_t thread;
  for (int i = 0;; i = (i + 1) % ports) { /* = unbounded */
    struct e_port *guest = calloc(1, sizeof *guest);
    guest->fd = accept(port[i].fd, NULL, NULL);
    if (port[i].name)
      guest->name = "named";
    if (!port[i].name || guest->name)
      pthread_create(&thread, NULL, work, guest);
  }
}

/* The one that is asked is the one that is set, by another name. */
void with_found_ports(struct e_port *port, int ports, int listener)
{
  pthread_t thread;
  for (int i = 0;; i = (i + 1) % ports) { /* = live 8 */
    int fd = accept(listener, NULL, NULL);
    if (port[i].name)
      continue;
    struct e_port *guest = &port[i];
    guest->name = "taken";
    guest->fd = fd;
    pthread_create(&thread, NULL, work, guest);
  }
}

/* Who may come in, not how many. */
void with_banned_by_number(int listener, struct e_hall *hall)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    if (hall->banned[fd % PLACES])
      continue;
    pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- joins ---- */

static struct e_thread {
  struct e_thread *next;
  pthread_t id;
} * e_ended;

/* Those that have ended are gathered up, as many as there may be. */
void with_gathering(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, work, &fd);
    while (e_ended) {
      struct e_thread *ended = e_ended;
      pthread_join(ended->id, NULL);
      e_ended = ended->next;
    }
  }
}

static pthread_t e_worker;
static int e_has_worker;

/* The one before is waited for. */
void with_one_before(int listener)
{
  for (;;) { /* = possible, pthread_join() waits for one to end */
    int fd = accept(listener, NULL, NULL);
    if (e_has_worker)
      pthread_join(e_worker, NULL);
    e_has_worker = pthread_create(&e_worker, NULL, work, &fd) == 0;
  }
}

/* ---- what stays ---- */

static struct e_session {
  int active;
} e_session;

static void *ends_session(void *argument)
{
  struct e_session *session = argument;
  session->active--;
  return NULL;
}

static void begin(struct e_session *session)
{
  pthread_t thread;
  if (session->active)
    return;
  session->active += 1;
  pthread_create(&thread, NULL, ends_session, session);
}

void with_one_session(int listener)
{
  while (accept(listener, NULL, NULL) >= 0) /* = possible, 'active' is asked for and set */
    begin(&e_session);
}

/* Each has its own. */
void with_own_sessions(int listener)
{
  while (accept(listener, NULL, NULL) >= 0) { /* = unbounded */
    struct e_session *session = calloc(1, sizeof *session);
    begin(session);
  }
}

/* ---- counters of other things ---- */

static struct e_list {
  size_t count, room;
  int **item;
} e_list;

static int *item_at(size_t i)
{
  if (i >= e_list.count)
    return NULL;
  return e_list.item[i];
}

static int add_item(int *item)
{
  if (e_list.count == e_list.room) {
    int **grown = realloc(e_list.item, (e_list.room + 8) * sizeof *grown);
    if (!grown)
      return 0;
    e_list.item = grown;
    e_list.room += 8;
  }
  e_list.count++;
  return item_at(e_list.count - 1) != item;
}

static void drop_items(void)
{
  while (e_list.count > 4)
    e_list.count--;
}

/* How many elements there are, for which there is more room when it is needed, limits nothing. */
void with_list_of_threads(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    drop_items();
    if (add_item(&fd))
      pthread_create(&thread, NULL, work, &fd);
  }
}

static int e_pending;
static pthread_mutex_t e_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t e_changed = PTHREAD_COND_INITIALIZER;

static void *ends_pending(void *argument)
{
  pthread_mutex_lock(&e_mutex);
  e_pending--;
  pthread_cond_signal(&e_changed);
  pthread_mutex_unlock(&e_mutex);
  return argument;
}

static void ask_all(void)
{
  pthread_t thread;
  for (int i = 0; i < PLACES; i++) { /* = bounded 5 */
    pthread_create(&thread, NULL, ends_pending, NULL);
    e_pending++;
  }
  pthread_mutex_lock(&e_mutex);
  while (e_pending != 0)
    pthread_cond_wait(&e_changed, &e_mutex);
  pthread_mutex_unlock(&e_mutex);
}

/* All of a turn have ended before the next one. */
void with_rounds(int listener)
{
  while (accept(listener, NULL, NULL) >= 0) /* = possible, 'e_pending' goes up and down */
    ask_all();
}

/* ---- places of a table that are walked through ---- */

static struct e_console {
  int fd;
} e_consoles[PLACES];

void with_consoles(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, 'fd' is asked for and set */
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; i < PLACES; i++) { /* = bounded; false */
      if (e_consoles[i].fd >= 0)
        continue;
      e_consoles[i].fd = fd;
      pthread_create(&thread, NULL, work, &e_consoles[i]);
      break;
    }
  }
}

/* Whether something has come is no place. */
void with_ready_ones(int *ready, int count)
{
  pthread_t thread;
  for (;;)                            /* = unbounded */
    for (int i = 0; i < count; i++) { /* = bounded 5 */
      if (ready[i] < 0)
        continue;
      int fd = accept(ready[i], NULL, NULL);
      pthread_create(&thread, NULL, work, &fd);
    }
}

/* ---- the thread asks ---- */

static int e_sessions, e_most_sessions;

static int too_many(void)
{
  return e_sessions > e_most_sessions;
}

static void *session(void *argument)
{
  e_sessions++;
  if (!too_many())
    sleep(1);
  e_sessions--;
  return argument;
}

void with_asking_threads(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, 'e_sessions' goes up and down */
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, session, &fd);
  }
}

/* ---- those that one function starts and another one ends ---- */

static pthread_t e_helper;

static void start_helper(int fd)
{
  pthread_create(&e_helper, NULL, work, (void *)(long)fd);
}

static void stop_helper(void)
{
  pthread_join(e_helper, NULL);
}

void one_helper_at_a_time(int listener)
{
  for (;;) { /* = possible, stop_helper() waits for one to end */
    start_helper(accept(listener, NULL, NULL));
    stop_helper();
  }
}

/* ---- places ---- */

static struct e_seat {
  bool taken;
} e_seats[16];

void looks_in_place(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, a place is looked for with 'i' */
    int fd = accept(listener, NULL, NULL), i = 0;
    while (i < 16 && e_seats[i].taken)
      i++;
    if (i == 16)
      continue;
    e_seats[i].taken = true;
    pthread_create(&thread, NULL, work, (void *)(long)fd);
  }
}

static const int e_fatal[] = {EBADF, EINVAL};

/* Nobody changes the table: it says which errors are bad, not where there is room. */
static bool is_fatal_error(void)
{
  for (unsigned i = 0; i < sizeof e_fatal / sizeof *e_fatal; i++)
    if (errno == e_fatal[i])
      return true;
  return false;
}

void ends_at_bad_errors(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    if (fd < 0 && is_fatal_error())
      return;
    pthread_create(&thread, NULL, work, (void *)(long)fd);
  }
}

/* ---- a function that says how many there are ---- */

struct e_server {
  int clients, most;
};

static int clients_of(struct e_server *server)
{
  pthread_mutex_lock(&e_mutex);
  int clients = server->clients;
  pthread_mutex_unlock(&e_mutex);
  return clients;
}

static struct e_server e_busy = {.most = 7};

static void *serves_and_leaves(void *argument)
{
  pthread_mutex_lock(&e_mutex);
  e_busy.clients--;
  pthread_mutex_unlock(&e_mutex);
  return argument;
}

void asks_how_many(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, 'clients' goes up and down and is compared */
    bool room = true;
    accept(listener, NULL, NULL);
    if (clients_of(&e_busy) >= e_busy.most)
      room = false;
    if (room)
      room = rand() > 3;
    if (room) {
      e_busy.clients++;
      pthread_create(&thread, NULL, serves_and_leaves, NULL);
    }
  }
}

/* ---- a place that another question found ---- */

static struct e_seat *e_rows[16];

static struct e_seat *seat_in_rows(void)
{
  struct e_seat *found = NULL;
  for (int i = 0; i < 16; i++) {
    struct e_seat *seat = e_rows[i];
    if (seat && !seat->taken) {
      found = seat;
      found->taken = true;
    }
    if (found)
      break;
  }
  return found;
}

void asks_for_seat(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, seat_in_rows() looks for something */
    int fd = accept(listener, NULL, NULL);
    struct e_seat *seat = NULL;
    if (fd > 0)
      seat = seat_in_rows();
    if (seat)
      pthread_create(&thread, NULL, work, seat);
  }
}

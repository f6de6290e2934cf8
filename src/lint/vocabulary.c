/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary: heddle's own words, and reading those of a person; see the header.
 */
#include "lint/vocabulary.h"
#include "file/bad_line.h"
#include "file/input_file.h"
#include "frontend/lock_functions.h"
#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char own[] =
    "thread pthread_create 3\n"
    "thread thrd_create 2\n"
    "thread g_thread_new 2\n"
    "thread g_thread_try_new 2\n"
    "thread g_thread_create 1\n"
    "thread std::thread::thread* 1\n"
    "thread std::jthread::jthread* 1\n"
    "thread std::async* 1\n"
    "thread std::*<std::thread>::emplace* 1\n"
    "thread std::*<std::jthread>::emplace* 1\n"
    "thread std::make_*<std::thread> 1\nthread std::make_*<std::jthread> 1\n"
    "thread apr_thread_create 3\nthread uv_thread_create 2\nthread SDL_CreateThread 1\n"
    "thread boost::thread::thread* 1\nthread cupsThreadCreate 1\nthread _cupsThreadCreate 1\n"
    "process fork\nprocess vfork\nprocess clone 1\nprocess posix_spawn\nprocess posix_spawnp\n"
    "socket socket\nsocket accept\nsocket accept4\nsocket socketpair\n"
    "file open\nfile open64\nfile fopen\nfile fopen64\nfile openat\nfile opendir\n"
    "memory malloc\nmemory calloc\nmemory strdup\n"
    "join pthread_join\njoin pthread_timedjoin_np\njoin thrd_join\njoin g_thread_join\n"
    "join std::thread::join\njoin std::jthread::join\njoin std::future<*>::get\n"
    "join std::__basic_future<*>::wait\n"
    "reap wait\nreap waitpid\nreap wait3\nreap wait4\nreap waitid\n"
    "close close\nclose fclose\nclose closedir\nclose shutdown\nfree free\n"
    /* queue.h, the kernel's lists, GLib, C++ */
    "empty TAILQ_EMPTY 1\nempty STAILQ_EMPTY 1\nempty SIMPLEQ_EMPTY 1\nempty LIST_EMPTY 1\nempty SLIST_EMPTY 1\n"
    "remove TAILQ_REMOVE 1\nremove STAILQ_REMOVE* 1\nremove SIMPLEQ_REMOVE* 1\nremove SLIST_REMOVE* 1\n"
    "remove LIST_REMOVE 0\n"
    "add TAILQ_INSERT_* 1\nadd STAILQ_INSERT_* 1\nadd SIMPLEQ_INSERT_* 1\nadd SLIST_INSERT_* 1\n"
    "add LIST_INSERT_* 1\nadd *_CONCAT 1\n"
    "empty list_empty 1\nremove list_del* 0\nadd list_add* 2\nempty cds_list_empty 1\nremove cds_list_del* 0\n"
    "add cds_list_add* 2\n"
    "empty g_queue_is_empty 1\nremove g_queue_pop_* 1\nremove g_queue_remove* 1\nadd g_queue_push_* 1\n"
    "add g_queue_insert_* 1\nsize g_queue_get_length 1\n"
    "remove g_slist_remove* 1\nremove g_list_remove* 1\nadd g_list_append 1\nadd g_list_prepend 1\n"
    "add g_slist_append 1\nadd g_slist_prepend 1\n"
    "empty std::*::empty 0\nremove std::*::pop* 0\nremove std::*::erase 0\nremove std::*::clear 0\n"
    "add std::*::push* 0\nadd std::*::insert 0\nadd std::*::emplace* 0\nsize std::*::size 0\n"
    "walk *_FOREACH\nwalk *_FOREACH_SAFE\nwalk *_FOREACH_REVERSE*\nwalk list_for_each*\nwalk cds_list_for_each*\n"
    "walk hlist_for_each*\nwalk HASH_ITER\nwalk LIST_FOREACH_*\nwalk *foreach*\nwalk *for_each*\n"
    "walk *FOREACH*\nwalk *FOR_EACH*\n"
    "walk-shared *_rcu\nwalk-shared cds_lfht_for_each*\n"
    "next getopt\nnext getopt_long\nnext getopt_long_only\nnext strtok\nnext strtok_r\nnext strsep\nnext readdir\n"
    "next readdir64\nnext g_hash_table_iter_next\n"
    /* libevent, libev, libuv, GLib */
    "callback event_new 4\ncallback event_set 4\ncallback event_assign 5\ncallback event_base_once 4\n"
    "callback evconnlistener_new 2\ncallback evconnlistener_new_bind 2\ncallback evhttp_set_cb 3\n"
    "callback evhttp_set_gencb 2\ncallback bufferevent_setcb 2\ncallback uv_listen 3\ncallback uv_timer_start 2\n"
    "callback uv_read_start 3\ncallback uv_poll_start 3\ncallback g_timeout_add* 2\ncallback g_idle_add 1\n"
    "callback g_io_add_watch 3\ncallback g_signal_connect_data 3\ncallback g_unix_fd_add 3\n"
    "callback MHD_start_daemon 5\ncallback signal 2\n"
    /* those of C are in frontend/lock_functions.h */
    "lock sem_wait\nlock std::*mutex::lock 0\nlock std::*mutex::try_lock* 0\n"
    "lock std::*mutex::lock_shared 0\nlock std::*mutex::try_lock_shared* 0\n"
    "lock std::unique_lock<*>::lock 0\nlock std::unique_lock<*>::try_lock* 0\n"
    "lock std::shared_lock<*>::lock 0\nlock std::shared_lock<*>::try_lock* 0\n"
    "lock std::lock_guard<*>::lock_guard*\nlock std::unique_lock<*>::unique_lock*\n"
    "lock std::scoped_lock<*>::scoped_lock*\nlock std::shared_lock<*>::shared_lock*\n"
    "trylock-true std::*::try_lock*\n"
    "scoped-lock std::lock_guard<*>::lock_guard*\nscoped-lock std::unique_lock<*>::unique_lock*\n"
    "scoped-lock std::scoped_lock<*>::scoped_lock*\nscoped-lock std::shared_lock<*>::shared_lock*\n"
    "unlock std::*mutex::unlock 0\nunlock std::*mutex::unlock_shared 0\n"
    "unlock std::unique_lock<*>::unlock 0\nunlock std::shared_lock<*>::unlock 0\n"
    "cond-wait pthread_cond_wait\ncond-wait pthread_cond_timedwait\ncond-wait pthread_cond_clockwait\n"
    "cond-wait cnd_wait\ncond-wait cnd_timedwait\ncond-wait g_cond_wait\ncond-wait g_cond_wait_until\n"
    "cond-wait std::condition_variable::wait* 1\ncond-wait std::condition_variable_any::wait* 1\n"
    "cond-timed pthread_cond_timedwait\ncond-timed pthread_cond_clockwait\ncond-timed cnd_timedwait\n"
    "cond-timed g_cond_wait_until\ncond-timed std::condition_variable*::wait_*\n"
    "cond-signal pthread_cond_signal\ncond-signal pthread_cond_broadcast\ncond-signal cnd_signal\n"
    "cond-signal cnd_broadcast\ncond-signal g_cond_signal\ncond-signal g_cond_broadcast\n"
    "cond-signal std::condition_variable*::notify_* 0\n"
    "wait sem_wait 1\nwait sem_timedwait 1\nwait sem_clockwait 1\nwait sem_trywait 1\n"
    "wait std::counting_semaphore<*>::acquire 0\nwait std::counting_semaphore<*>::try_acquire* 0\n"
    "wait *emaphore*::wait* 0\nwait *emaphore*::acquire* 0\nwait *emaphore*::down* 0\nwait *emaphore*::P 0\n"
    "wait *emaphore*wait* 1\nwait *emaphore*down* 1\nwait *emaphore*acquire* 1\nwait *_sem_wait 1\nwait *_sem_down 1\n"
    "post *emaphore*::post* 0\npost *emaphore*::release* 0\npost *emaphore*::up 0\npost *emaphore*::V 0\n"
    "post *emaphore*post* 1\npost *emaphore*up 1\npost *emaphore*release* 1\npost *_sem_post 1\npost *_sem_up 1\n"
    "post sem_post 1\npost std::counting_semaphore<*>::release 0\n"
    "configured getenv\nconfigured secure_getenv\nconfigured atoi\nconfigured atol\nconfigured strtol\n"
    "configured strtoul\nconfigured strtoll\nconfigured strtoull\nconfigured sysconf\nconfigured getpagesize\n"
    "configured get_nprocs*\nconfigured std::thread::hardware_concurrency\nconfigured getdtablesize\n"
    "configured g_get_num_processors\nconfigured std::stoi\n"
    "exit exit\nexit _exit\nexit _Exit\nexit quick_exit\nexit abort\nexit pthread_exit\nexit thrd_exit\nexit err\n"
    "exit errx\nexit verr\nexit verrx\nexit execv*\nexit execl*\nexit std::terminate\nexit __assert_fail\n"
    "instantiate malloc\ninstantiate calloc\ninstantiate *alloc*\ninstantiate *new*\ninstantiate *create*\n"
    "instantiate *start*\ninstantiate *spawn*\ninstantiate *init*\ninstantiate *make*\ninstantiate *open*\n"
    /* those of compilers, C, C++ and GLib the reader knows: syntax_atomics.c */
    "increment std::*::operator++ 0\nincrement CRYPTO_atomic_add 1\nincrement *atomic*add* 1\n"
    "increment *atomic*inc* 1\ndecrement std::*::operator-- 0\ndecrement *atomic*dec* 1\n"
    "decrement *atomic*sub* 1\n"
    "sleep sleep\nsleep usleep\nsleep nanosleep\nsleep clock_nanosleep\nsleep thrd_sleep\nsleep g_usleep\n"
    "sleep std::this_thread::sleep_*\n"
    "sleep-without poll 2\nsleep-without ppoll 2\nsleep-without select 1\nsleep-without pselect 1\n"
    "detach pthread_detach\ndetach thrd_detach\ndetach std::*thread::detach\n"
    "handler signal 2\nhandler bsd_signal 2\nhandler sigset 2\nhandler sysv_signal 2\n"
    "handler sa_handler\nhandler sa_sigaction\n"
    "handler-unsafe printf\nhandler-unsafe fprintf\nhandler-unsafe vprintf\nhandler-unsafe vfprintf\nhandler-unsafe "
    "malloc\nhandler-unsafe calloc\nhandler-unsafe realloc\n"
    "handler-unsafe free\nhandler-unsafe strdup\nhandler-unsafe puts\nhandler-unsafe fputs\nhandler-unsafe putchar\n"
    "handler-unsafe fwrite\nhandler-unsafe fflush\nhandler-unsafe fopen\nhandler-unsafe fclose\n"
    "handler-unsafe syslog\nhandler-unsafe vsyslog\nhandler-unsafe perror\nhandler-unsafe exit\n"
    "handler-unsafe localtime*\nhandler-unsafe strftime\nhandler-unsafe ctime*\nhandler-unsafe getpw*\n"
    "handler-unsafe pthread_mutex_lock\nhandler-unsafe pthread_cond_signal\nhandler-unsafe pthread_cond_broadcast\n"
    "handler-unsafe pthread_join\nhandler-unsafe pthread_create\nhandler-unsafe g_print*\nhandler-unsafe "
    "g_log*\nhandler-unsafe g_malloc*\nhandler-unsafe g_free\nhandler-unsafe backtrace\n"
    "handler-unsafe backtrace_symbols\nhandler-unsafe std::operator<<*\nhandler-unsafe "
    "std::basic_ostream*\nhandler-unsafe dlopen\nhandler-unsafe system\n"
    "one-thread strtok\none-thread localtime\none-thread gmtime\none-thread ctime\none-thread asctime\n"
    "one-thread gethostbyname\none-thread gethostbyname2\none-thread gethostbyaddr\none-thread getpwnam\n"
    "one-thread getpwuid\none-thread getgrnam\none-thread getgrgid\none-thread getservbyname\n"
    "one-thread getservbyport\none-thread getprotobyname\none-thread getprotobynumber\none-thread getnetbyname\n"
    "one-thread ttyname\none-thread ptsname\none-thread crypt\none-thread getlogin\none-thread getspnam\n"
    "one-thread ether_ntoa\none-thread ether_aton\n"
    "count *list_size\ncount *_count\ncount *_count_*\ncount *num_of_*\ncount *_length\ncount *_get_num*\n"
    "input accept\ninput accept4\ninput recv\ninput recvfrom\ninput recvmsg\ninput read\ninput getline\n"
    "input fgets\ninput SSL_read\ninput mq_receive\ninput msgrcv\n"
    "accept accept\naccept accept4\naccept recvfrom\naccept recvmsg\naccept recvmmsg\naccept msgrcv\n"
    "accept mq_receive\naccept mq_timedreceive\naccept BIO_do_accept\naccept *_socket_accept\n"
    "accept httpAcceptConnection\naccept ssh_bind_accept\naccept g_socket_listener_accept*\naccept "
    "*Socket*::accept*\naccept *Server*::accept*\n"
    "accept *cceptor*::accept*\naccept PR_Accept\naccept zmq_recv*\naccept zmq_msg_recv\n"
    "outside event_new\noutside event_set\noutside event_assign\noutside event_base_once\n"
    "outside evconnlistener_new*\noutside evhttp_set_*cb\noutside bufferevent_setcb\noutside uv_listen\n"
    "outside uv_read_start\noutside uv_poll_start\noutside g_io_add_watch\noutside g_unix_fd_add\n"
    "outside MHD_start_daemon\n";

static const struct {
  const char *name;
  enum lock_deed deed;
} lock_functions[] = {
#define X(name, deed) {#name, LOCK_##deed},
    HD_LOCK_FUNCTIONS(X)
#undef X
};

static const struct {
  const char *name;
  unsigned argument;
} words[LINT_WORDS] = {
#define X(constant, name, what, argument) {name, argument},
    HD_LINT_WORDS(X)
#undef X
};

/* ---- lists ---- */

void vocabulary_close(struct vocabulary *v)
{
  for (size_t i = 0; i < v->texts; i++)
    free(v->text[i]);
  free(v->text);
  free(v->entry);
  *v = (struct vocabulary){0};
}

static bool has_wildcard(const char *name)
{
  return strpbrk(name, "*?[") != NULL;
}

static int by_name(const void *left, const void *right)
{
  const struct vocabulary_entry *a = left, *b = right;
  const bool wild_a = has_wildcard(a->name), wild_b = has_wildcard(b->name);
  return wild_a != wild_b ? (int)wild_a - (int)wild_b : strcmp(a->name, b->name);
}

static void put_in_order(struct vocabulary *v)
{
  if (v->count)
    qsort(v->entry, v->count, sizeof *v->entry, by_name);
  for (v->exact = 0; v->exact < v->count && !has_wildcard(v->entry[v->exact].name);)
    v->exact++;
}

static bool add(struct vocabulary *v, struct vocabulary_entry entry)
{
  if (!(v->count & (v->count + 1))) { /* 0, 1, 3, 7, …: room for as many again */
    struct vocabulary_entry *grown = realloc(v->entry, (2 * v->count + 1) * sizeof *grown);
    if (!grown)
      return false;
    v->entry = grown;
  }
  v->entry[v->count++] = entry;
  return true;
}

/* Kept with the vocabulary, which frees it. */
static bool keep(struct vocabulary *v, char *text)
{
  char **grown = text ? realloc(v->text, (v->texts + 1) * sizeof *grown) : NULL;
  if (!grown) {
    free(text);
    return false;
  }
  v->text = grown;
  v->text[v->texts++] = text;
  return true;
}

static bool add_lock_function(struct vocabulary *v, const char *name, enum lock_deed deed)
{
  const bool releases = deed == LOCK_RELEASES, tries = deed == LOCK_TRIES || deed == LOCK_TRIES_TRUE;
  const struct vocabulary_entry lock = {.word = releases ? WORD_UNLOCK : WORD_LOCK, .argument = 1, .name = name};
  const struct vocabulary_entry result = {.word = deed == LOCK_TRIES ? WORD_TRYLOCK : WORD_TRYLOCK_TRUE, .name = name};
  return add(v, lock) && (!tries || add(v, result));
}

/* ---- reading ---- */

__attribute__((format(printf, 2, 3))) static bool wrong(const struct bad_line *where, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  bad_line(where, format, arguments);
  va_end(arguments);
  return false;
}

/* One line; it is changed, and what is left of it kept by the caller. */
static bool read_entry(struct vocabulary *v, char *line, const struct bad_line *where)
{
  char *rest = NULL;
  line[strcspn(line, "#")] = '\0';
  const char *word = strtok_r(line, " \t\r\n", &rest), *name = strtok_r(NULL, " \t\r\n", &rest);
  const char *argument = strtok_r(NULL, " \t\r\n", &rest);
  if (!word)
    return true;
  size_t which = 0;
  while (which < LINT_WORDS && strcmp(word, words[which].name) != 0)
    which++;
  if (which == LINT_WORDS)
    return wrong(where, "%s is no word of a pattern file (heddle lint --explain words lists them)", show(word).text);
  if (!name || strtok_r(NULL, " \t\r\n", &rest))
    return wrong(where, "a line is: WORD NAME [ARGUMENT]");
  if (argument && (strlen(argument) > 2 || strspn(argument, "0123456789") != strlen(argument)))
    return wrong(where, "%s is not the number of an argument", show(argument).text);
  const struct vocabulary_entry entry = {
      .word = (enum lint_word)which,
      .name = name,
      .argument = argument ? (unsigned)strtoul(argument, NULL, 10) : words[which].argument,
  };
  return add(v, entry) || wrong(where, "no memory left");
}

bool vocabulary_open(struct vocabulary *v)
{
  char error[128], *line = NULL;
  const struct bad_line where = {error, sizeof error, "own", 0};
  *v = (struct vocabulary){0};
  char *text = strdup(own), *rest = text;
  bool good = keep(v, text);
  while (good && (line = strsep(&rest, "\n")))
    good = read_entry(v, line, &where);
  for (size_t i = 0; good && i < sizeof lock_functions / sizeof *lock_functions; i++)
    good = add_lock_function(v, lock_functions[i].name, lock_functions[i].deed);
  put_in_order(v);
  if (!good)
    vocabulary_close(v);
  return good;
}

bool vocabulary_read(struct vocabulary *v, const char *path, char *error, size_t error_size)
{
  char why[256], *line = NULL;
  size_t room = 0;
  struct bad_line where = {error, error_size, path, 0};
  FILE *in = input_open(path, why, sizeof why);
  if (!in) {
    snprintf(error, error_size, "%s %s", path, why);
    return false;
  }
  bool good = true;
  while (good && input_line(&line, &room, in, NULL) >= 0) {
    char *kept = strdup(line);
    where.line++;
    good = keep(v, kept) ? read_entry(v, kept, &where) : wrong(&where, "no memory left");
  }
  free(line);
  fclose(in);
  put_in_order(v);
  return good;
}

/* ---- questions ---- */

static bool fits(const struct vocabulary_entry *e, const char *name)
{
  return has_wildcard(e->name) ? fnmatch(e->name, name, 0) == 0 : !strcmp(e->name, name);
}

/* The first of those with that exact name; v->exact: there is none. */
static size_t find_exact(const struct vocabulary *v, const char *name)
{
  size_t low = 0, high = v->exact;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(v->entry[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Calls visit of each entry that fits. */
static void each(const struct vocabulary *v, const char *name, size_t length,
                 void (*visit)(const struct vocabulary_entry *, void *), void *data)
{
  char whole[512];
  if (length >= sizeof whole || !length)
    return;
  memcpy(whole, name, length);
  whole[length] = '\0';
  for (size_t i = find_exact(v, whole); i < v->exact && fits(&v->entry[i], whole); i++)
    visit(&v->entry[i], data);
  for (size_t i = v->exact; i < v->count; i++)
    if (fits(&v->entry[i], whole))
      visit(&v->entry[i], data);
}

static void add_meaning(const struct vocabulary_entry *e, void *data)
{
  *(uint64_t *)data |= word_bit(e->word);
}

uint64_t vocabulary_meaning(const struct vocabulary *v, const char *name, size_t length)
{
  uint64_t meaning = 0;
  each(v, name, length, add_meaning, &meaning);
  return meaning;
}

struct wanted_argument {
  enum lint_word word;
  unsigned argument;
};

static void take_argument(const struct vocabulary_entry *e, void *data)
{
  struct wanted_argument *wanted = data;
  if (e->word == wanted->word && wanted->argument == UINT_MAX)
    wanted->argument = e->argument;
}

unsigned vocabulary_argument(const struct vocabulary *v, enum lint_word word, const char *name, size_t length)
{
  struct wanted_argument wanted = {.word = word, .argument = UINT_MAX};
  each(v, name, length, take_argument, &wanted);
  return wanted.argument;
}

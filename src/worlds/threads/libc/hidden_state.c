/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the C library that keep a state of their own between calls: strtok, localtime, rand, setenv and the
 * like. To the search such a state is a word of memory that each call accesses, so that the order of calls matters and
 * two that are not ordered are a data race, where the library's manual calls them unsafe together. Those it calls safe,
 * as rand, access their word atomically. The functions themselves are the library's.
 *
 * Also qsort, which moves what it sorts behind the compiler's back.
 */
#undef __NO_INLINE__
#define __NO_INLINE__ 1 /* else <wchar.h> defines some of them itself */
#include "worlds/threads/libc/hidden_state.h"
#include "core/hash.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/names.h"
#include "worlds/threads/system/call_rules.h"
#include <dirent.h>
#include <getopt.h>
#include <grp.h>
#include <langinfo.h>
#include <locale.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

/*  X(constant, what the user calls it) */
#define STATES(X)                                                                                                      \
  X(STRTOK, "strtok()")                                                                                                \
  X(TIME, "localtime() or gmtime()")                                                                                   \
  X(ASCTIME, "asctime() or ctime()")                                                                                   \
  X(RAND, "rand()")                                                                                                    \
  X(DRAND48, "drand48() or one of its family")                                                                         \
  X(L64A, "l64a()")                                                                                                    \
  X(LOG, "setlogmask()")                                                                                               \
  X(THREADS, "the defaults of threads (pthread_setconcurrency(), pthread_setattr_default_np())")                       \
  X(ZONE, "the rules of the time zone (tzset())")                                                                      \
  X(ENVIRONMENT, "the environment (setenv(), getenv())")                                                               \
  X(LOCALE, "the locale (setlocale(), localeconv())")                                                                  \
  X(HOSTS, "gethostbyname() or one of its family")                                                                     \
  X(NETS, "getnetbyname() or one of its family")                                                                       \
  X(SERVICES, "getservbyname() or one of its family")                                                                  \
  X(USERS, "getpwnam() or one of its family")                                                                          \
  X(GROUPS, "getgrnam() or one of its family")                                                                         \
  X(PROTOCOLS, "getprotobyname() or one of its family")                                                                \
  X(MOUNTS, "getmntent()")                                                                                             \
  X(ETHERNET, "ether_ntoa() or ether_aton()")                                                                          \
  X(TEMPORARY, "tmpnam()")                                                                                             \
  X(MULTIBYTE, "the state of multibyte characters (mblen(), mbtowc(), wctomb(), mbrtowc() without one)")               \
  X(NUMBERS, "ecvt() or fcvt()")                                                                                       \
  X(TERMINAL, "ttyname()")                                                                                             \
  X(PSEUDO_TERMINAL, "ptsname()")                                                                                      \
  X(LOGIN, "getlogin()")                                                                                               \
  X(SEARCH, "hsearch()")                                                                                               \
  X(OPTIONS, "getopt()")                                                                                               \
  X(DATA_END, "sbrk()")                                                                                                \
  X(KEYS, "the keys of thread-specific data (pthread_key_create(), pthread_key_delete())")                             \
  X(AT_EXIT, "atexit()")

enum state {
#define X(id, name) STATE_##id,
  STATES(X)
#undef X
      STATE_COUNT
};

static const char *const function_of[STATE_COUNT] = {
#define X(id, name) name,
    STATES(X)
#undef X
};

static uint64_t state_of_libc[STATE_COUNT]; /* only their addresses are of interest */

const char *hidden_state_at(uintptr_t addr)
{
  uintptr_t offset = addr - (uintptr_t)state_of_libc;
  return offset < sizeof state_of_libc ? function_of[offset / sizeof *state_of_libc] : NULL;
}

#define STREAMS_MOST 64

/* Streams that were ever used in a way that others can meet; kept from execution to execution, as who takes memory for
 * a stream that is none any more only asks for more than it needs. */
static struct {
  const void *at[STREAMS_MOST];
  unsigned count; /* STREAMS_MOST: there may be more, so anything may be one */
} streams;

void hidden_state_stands_at(const void *stream)
{
  for (unsigned i = 0; i < streams.count; i++)
    if (streams.at[i] == stream)
      return;
  if (streams.count < STREAMS_MOST)
    streams.at[streams.count++] = stream;
}

bool hidden_state_covers(uintptr_t addr)
{
  bool own = name_of(addr) >> NAME_ZONE_SHIFT == name_of((uintptr_t)&streams) >> NAME_ZONE_SHIFT;
  for (unsigned i = 0; i < streams.count && !own; i++)
    own = (addr & ~UINT64_C(15)) == ((uintptr_t)streams.at[i] & ~UINT64_C(15));
  return own || streams.count == STREAMS_MOST;
}

static inline void uses(enum state s, enum op_kind kind, uintptr_t pc)
{
  if (hd_self)
    memory_access(&state_of_libc[s], sizeof *state_of_libc, kind, __ATOMIC_SEQ_CST, pc);
}

/* The result lies in memory of the library's that the next call overwrites: a race with who still looks at it. That two
 * calls meet is told by their state. */
static inline void *gives(void *result, size_t size, uintptr_t pc)
{
  if (hd_self && result)
    memory_access(result, size, OP_ATOMIC_STORE, __ATOMIC_RELAXED, pc);
  return result;
}

/* A function whose calls change the state, or look at it. */
#define CALL(type, name, parameters, arguments, state, kind)                                                           \
  EXPORT type name parameters                                                                                          \
  {                                                                                                                    \
    uses(STATE_##state, kind, CALLER());                                                                               \
    return REAL(name) arguments;                                                                                       \
  }

/* The same, with a result in the library's memory. */
#define GIVES(type, name, parameters, arguments, state)                                                                \
  EXPORT type *name parameters                                                                                         \
  {                                                                                                                    \
    uses(STATE_##state, OP_WRITE, CALLER());                                                                           \
    return gives(REAL(name) arguments, sizeof(type), CALLER());                                                        \
  }

/* The state is ours, so that it is known which text is split. A program begins with one, so nothing must be put
 * back. */
EXPORT char *strtok(char *restrict s, const char *restrict by)
{
  static char *rest;
  uses(STATE_STRTOK, OP_WRITE, CALLER());
  if (hooked(CALLER()))
    announce_token(s, rest, by, CALLER());
  return REAL(strtok_r)(s, by, &rest);
}

/* ---- the time zone ---- */

static uint64_t zone_taken_over; /* a number for what TZ said when its rules were made */

static uint64_t zone_in_environment(void)
{
  const char *zone = REAL(getenv)("TZ");
  return zone ? hash_bytes(HASH_START, zone, text_length(zone)) : 0;
}

void hidden_state_reset(void)
{
  zone_taken_over = zone_in_environment();
}

void looks_at_zone(uintptr_t pc)
{
  uses(STATE_ZONE, OP_ATOMIC_LOAD, pc);
  if (hd_self)
    memory_access(&timezone, sizeof timezone, OP_ATOMIC_LOAD, __ATOMIC_RELAXED, pc); /* orders nothing */
}

/* The time zone that programs can see is announced where it changes: threads may all set the same one. Its rules, which
 * they cannot see, change before that, and in the midst of system calls: that is announced before the first of them. */
void sets_zone(uintptr_t pc)
{
  if (!hd_self) {
    REAL(tzset)();
    return;
  }
  uses(STATE_ENVIRONMENT, OP_READ, pc);
  if (zone_in_environment() != zone_taken_over)
    uses(STATE_ZONE, OP_ATOMIC_STORE, pc);
  zone_taken_over = zone_in_environment();
  long zone = timezone;
  int summer = daylight;
  char *name[2] = {tzname[0], tzname[1]};
  REAL(tzset)();
  long new_zone = timezone;
  int new_summer = daylight;
  char *new_name[2] = {tzname[0], tzname[1]};
  if (zone == new_zone && summer == new_summer)
    return;
  timezone = zone;
  daylight = summer;
  copy_bytes(tzname, name, sizeof name);
  memory_access(&timezone, sizeof timezone, OP_ATOMIC_STORE, __ATOMIC_RELAXED, pc);
  memory_access(&daylight, sizeof daylight, OP_ATOMIC_STORE, __ATOMIC_RELAXED, pc);
  memory_access(&tzname, sizeof tzname, OP_ATOMIC_STORE, __ATOMIC_RELAXED, pc);
  timezone = new_zone;
  daylight = new_summer;
  copy_bytes(tzname, new_name, sizeof new_name);
}

EXPORT void tzset(void)
{
  sets_zone(CALLER());
}

EXPORT struct tm *localtime(const time_t *t)
{
  sets_zone(CALLER());
  looks_at_zone(CALLER());
  uses(STATE_TIME, OP_WRITE, CALLER());
  return gives(REAL(localtime)(t), sizeof(struct tm), CALLER());
}

GIVES(struct tm, gmtime, (const time_t *t), (t), TIME)
CALL(char *, asctime, (const struct tm *t), (t), ASCTIME, OP_WRITE)

EXPORT char *ctime(const time_t *t)
{
  sets_zone(CALLER());
  looks_at_zone(CALLER());
  uses(STATE_TIME, OP_WRITE, CALLER());
  uses(STATE_ASCTIME, OP_WRITE, CALLER());
  return REAL(ctime)(t);
}

CALL(int, rand, (void), (), RAND, OP_ATOMIC_RMW)
CALL(long, random, (void), (), RAND, OP_ATOMIC_RMW)
EXPORT void srand(unsigned seed)
{
  uses(STATE_RAND, OP_ATOMIC_RMW, CALLER());
  REAL(srand)(seed);
}
EXPORT void srandom(unsigned seed)
{
  uses(STATE_RAND, OP_ATOMIC_RMW, CALLER());
  REAL(srandom)(seed);
}
CALL(char *, initstate, (unsigned seed, char *state, size_t size), (seed, state, size), RAND, OP_ATOMIC_RMW)
CALL(char *, setstate, (char *state), (state), RAND, OP_ATOMIC_RMW)

CALL(double, drand48, (void), (), DRAND48, OP_WRITE)
CALL(long, lrand48, (void), (), DRAND48, OP_WRITE)
CALL(long, mrand48, (void), (), DRAND48, OP_WRITE)
EXPORT void srand48(long seed)
{
  uses(STATE_DRAND48, OP_WRITE, CALLER());
  REAL(srand48)(seed);
}

CALL(unsigned short *, seed48, (unsigned short seed[3]), (seed), DRAND48, OP_WRITE)
EXPORT void lcong48(unsigned short parameters[7])
{
  uses(STATE_DRAND48, OP_WRITE, CALLER());
  REAL(lcong48)(parameters);
}

/* Of these the numbers are the program's, and only the parameters hidden. */
#define CALL48(type, name)                                                                                             \
  EXPORT type name(unsigned short number[3])                                                                           \
  {                                                                                                                    \
    uses(STATE_DRAND48, OP_READ, CALLER());                                                                            \
    if (hooked(CALLER()))                                                                                              \
      updates(number, 3 * sizeof *number, CALLER());                                                                   \
    return REAL(name)(number);                                                                                         \
  }
CALL48(double, erand48)
CALL48(long, nrand48)
CALL48(long, jrand48)

/* ---- the environment ---- */

CALL(char *, getenv, (const char *name), (name), ENVIRONMENT, OP_READ)
CALL(char *, secure_getenv, (const char *name), (name), ENVIRONMENT, OP_READ)

/* The variable of that name, or the end of the list. */
static char **variable(const char *name)
{
  size_t n = REAL(strcspn)(name, "=");
  char **v = environ;
  while (*v && (REAL(strncmp)(*v, name, n) || (*v)[n] != '='))
    v++;
  return v;
}

static char **last_variable(void)
{
  char **v = environ;
  while (*v)
    v++;
  return v;
}

/* A list that libc made is freed when another thread makes a longer one, while this one waits for its turn. */
static bool stays_there(char **v)
{
  return !heap_contains((uintptr_t)v);
}

/* Programs may look at `environ` themselves. The list is replaced by a longer one where a variable is new. */
static void announce_variable(const char *name, bool replace, uintptr_t pc)
{
  uses(STATE_ENVIRONMENT, OP_WRITE, pc);
  if (!hd_self || !environ || !name)
    return;
  char **v = variable(name);
  if (!*v)
    writes(&environ, sizeof environ, pc);
  if ((!*v || replace) && stays_there(v))
    writes(v, sizeof *v, pc);
}

EXPORT int setenv(const char *name, const char *value, int replace)
{
  announce_variable(name, replace, CALLER());
  return REAL(setenv)(name, value, replace);
}

EXPORT int putenv(char *text)
{
  announce_variable(text, true, CALLER());
  return REAL(putenv)(text);
}

/* Those behind it move up. */
static void announce_removal(const char *name, uintptr_t pc)
{
  uses(STATE_ENVIRONMENT, OP_WRITE, pc);
  if (!hd_self || !environ || !name)
    return;
  char **v = variable(name);
  if (*v && stays_there(v))
    writes(v, (size_t)(last_variable() - v) * sizeof *v, pc);
}

EXPORT int unsetenv(const char *name)
{
  announce_removal(name, CALLER());
  return REAL(unsetenv)(name);
}

EXPORT int clearenv(void)
{
  uses(STATE_ENVIRONMENT, OP_WRITE, CALLER());
  if (hd_self)
    writes(&environ, sizeof environ, CALLER());
  return REAL(clearenv)();
}

static bool others_run(void)
{
  bool others = false;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    others |= t != self_index() && rt.engine->thread[t].alive && !rt.thread[t].system;
  return others;
}

EXPORT char *setlocale(int category, const char *locale)
{
  uses(STATE_LOCALE, locale ? OP_WRITE : OP_READ, CALLER());
  if (hd_self && locale && others_run())
    lose(LOST_LOCALE);
  return REAL(setlocale)(category, locale);
}
GIVES(struct lconv, localeconv, (void), (), LOCALE)
CALL(char *, nl_langinfo, (nl_item item), (item), LOCALE, OP_READ)
CALL(size_t, __ctype_get_mb_cur_max, (void), (), LOCALE, OP_READ)
CALL(wint_t, towupper, (wint_t c), (c), LOCALE, OP_READ)
CALL(wint_t, towlower, (wint_t c), (c), LOCALE, OP_READ)

/* Characters that came in part are remembered from call to call. */
CALL(int, mblen, (const char *s, size_t n), (s, n), MULTIBYTE, OP_WRITE)
CALL(int, mbtowc, (wchar_t *restrict out, const char *restrict s, size_t n), (out, s, n), MULTIBYTE, OP_WRITE)
CALL(int, wctomb, (char *s, wchar_t c), (s, c), MULTIBYTE, OP_WRITE)

#define MULTIBYTE_CALL(name, parameters, arguments)                                                                    \
  EXPORT size_t name parameters                                                                                        \
  {                                                                                                                    \
    if (!state)                                                                                                        \
      uses(STATE_MULTIBYTE, OP_WRITE, CALLER());                                                                       \
    else if (hooked(CALLER()))                                                                                         \
      writes(state, sizeof *state, CALLER());                                                                          \
    return REAL(name) arguments;                                                                                       \
  }
MULTIBYTE_CALL(mbrlen, (const char *restrict s, size_t n, mbstate_t *restrict state), (s, n, state))
MULTIBYTE_CALL(mbrtowc, (wchar_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state),
               (out, s, n, state))
MULTIBYTE_CALL(wcrtomb, (char *restrict s, wchar_t c, mbstate_t *restrict state), (s, c, state))
MULTIBYTE_CALL(mbsrtowcs, (wchar_t *restrict out, const char **restrict s, size_t n, mbstate_t *restrict state),
               (out, s, n, state))
MULTIBYTE_CALL(wcsrtombs, (char *restrict out, const wchar_t **restrict s, size_t n, mbstate_t *restrict state),
               (out, s, n, state))

/* Lists that are read from front to end: where they stand is one for all threads. */
#define LIST(type, name, state, open_parameters, open_arguments)                                                       \
  GIVES(struct type, get##name, (void), (), state)                                                                     \
  EXPORT void set##name open_parameters                                                                                \
  {                                                                                                                    \
    uses(STATE_##state, OP_WRITE, CALLER());                                                                           \
    REAL(set##name) open_arguments;                                                                                    \
  }                                                                                                                    \
  EXPORT void end##name(void)                                                                                          \
  {                                                                                                                    \
    uses(STATE_##state, OP_WRITE, CALLER());                                                                           \
    REAL(end##name)();                                                                                                 \
  }
LIST(passwd, pwent, USERS, (void), ())
LIST(group, grent, GROUPS, (void), ())
LIST(servent, servent, SERVICES, (int stays), (stays))
LIST(protoent, protoent, PROTOCOLS, (int stays), (stays))
LIST(hostent, hostent, HOSTS, (int stays), (stays))
LIST(netent, netent, NETS, (int stays), (stays))
GIVES(struct netent, getnetbyname, (const char *name), (name), NETS)
GIVES(struct netent, getnetbyaddr, (uint32_t net, int type), (net, type), NETS)
GIVES(struct hostent, gethostbyname2, (const char *name, int type), (name, type), HOSTS)
GIVES(struct mntent, getmntent, (FILE * stream), (stream), MOUNTS)
GIVES(struct ether_addr, ether_aton, (const char *text), (text), ETHERNET)

EXPORT char *ether_ntoa(const struct ether_addr *address)
{
  uses(STATE_ETHERNET, OP_WRITE, CALLER());
  char *text = REAL(ether_ntoa)(address);
  return gives(text, REAL(strlen)(text) + 1, CALLER());
}

EXPORT char *tmpnam(char name[L_tmpnam])
{
  if (name)
    return REAL(tmpnam)(name);
  uses(STATE_TEMPORARY, OP_WRITE, CALLER());
  return gives(REAL(tmpnam)(NULL), L_tmpnam, CALLER());
}

GIVES(struct hostent, gethostbyname, (const char *name), (name), HOSTS)
GIVES(struct hostent, gethostbyaddr, (const void *address, socklen_t size, int type), (address, size, type), HOSTS)
GIVES(struct servent, getservbyname, (const char *name, const char *protocol), (name, protocol), SERVICES)
GIVES(struct servent, getservbyport, (int port, const char *protocol), (port, protocol), SERVICES)
GIVES(struct passwd, getpwnam, (const char *name), (name), USERS)
GIVES(struct passwd, getpwuid, (uid_t id), (id), USERS)
GIVES(struct group, getgrnam, (const char *name), (name), GROUPS)
GIVES(struct group, getgrgid, (gid_t id), (id), GROUPS)
CALL(char *, ecvt, (double x, int n, int *restrict point, int *restrict sign), (x, n, point, sign), NUMBERS, OP_WRITE)
CALL(char *, fcvt, (double x, int n, int *restrict point, int *restrict sign), (x, n, point, sign), NUMBERS, OP_WRITE)
CALL(char *, ttyname, (int fd), (fd), TERMINAL, OP_WRITE)
CALL(ENTRY *, hsearch, (ENTRY entry, ACTION action), (entry, action), SEARCH, OP_WRITE)
CALL(int, hcreate, (size_t n), (n), SEARCH, OP_WRITE)
EXPORT void hdestroy(void)
{
  uses(STATE_SEARCH, OP_WRITE, CALLER());
  REAL(hdestroy)();
}
CALL(char *, ptsname, (int fd), (fd), PSEUDO_TERMINAL, OP_WRITE)
CALL(char *, getlogin, (void), (), LOGIN, OP_WRITE)
GIVES(struct protoent, getprotobyname, (const char *name), (name), PROTOCOLS)
GIVES(struct protoent, getprotobynumber, (int number), (number), PROTOCOLS)
CALL(int, pthread_setconcurrency, (int level), (level), THREADS, OP_ATOMIC_RMW)
CALL(int, pthread_getconcurrency, (void), (), THREADS, OP_ATOMIC_LOAD)

static bool thread_defaults_set;

bool thread_defaults_were_set(void)
{
  return thread_defaults_set;
}

/* Whoever creates a thread looks at them, without an access of its own. */
EXPORT int pthread_setattr_default_np(const pthread_attr_t *attr)
{
  uses(STATE_THREADS, OP_ATOMIC_RMW, CALLER());
  if (hd_self)
    step_on_everything(SYS_sched_setattr, CALLER());
  thread_defaults_set = true;
  return REAL(pthread_setattr_default_np)(attr);
}
CALL(int, pthread_getattr_default_np, (pthread_attr_t * attr), (attr), THREADS, OP_ATOMIC_LOAD)

EXPORT int setlogmask(int mask)
{
  uses(STATE_LOG, mask ? OP_WRITE : OP_READ, CALLER());
  return REAL(setlogmask)(mask);
}

EXPORT char *l64a(long number)
{
  uses(STATE_L64A, OP_WRITE, CALLER());
  char *digits = REAL(l64a)(number);
  return gives(digits, REAL(strlen)(digits) + 1, CALLER());
}

/* ---- options: what the program looks at itself ---- */

#define OPTIONS(name, parameters, arguments)                                                                           \
  EXPORT int name parameters                                                                                           \
  {                                                                                                                    \
    uses(STATE_OPTIONS, OP_WRITE, CALLER());                                                                           \
    if (hooked(CALLER())) {                                                                                            \
      writes(&optarg, sizeof optarg, CALLER());                                                                        \
      writes(&optind, sizeof optind, CALLER());                                                                        \
    }                                                                                                                  \
    return REAL(name) arguments;                                                                                       \
  }
#define LONG_OPTIONS                                                                                                   \
  (int argc, char *const *argv, const char *options, const struct option *long_options, int *index),                   \
      (argc, argv, options, long_options, index)
#define DEFINE_OPTIONS(name, ...) OPTIONS(name, __VA_ARGS__)
OPTIONS(getopt, (int argc, char *const *argv, const char *options), (argc, argv, options))
DEFINE_OPTIONS(getopt_long, LONG_OPTIONS)
DEFINE_OPTIONS(getopt_long_only, LONG_OPTIONS)

/* ---- trees: the root is the program's, and links of a node follow its key ---- */

static void announce_tree(const void *const *root, enum op_kind kind, uintptr_t pc)
{
  if (!hooked(pc) || !root)
    return;
  if (kind == OP_WRITE && rt.engine->threads > 1) /* the root may stay as it is, whatever becomes of the tree */
    hidden_state_stands_at(root);
  memory_range(root, sizeof *root, kind, pc);
  if (*root)
    memory_range((const void *const *)*root + 1, sizeof *root, kind, pc);
}

EXPORT void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
  announce_tree((const void *const *)root, OP_WRITE, CALLER());
  return REAL(tsearch)(key, root, compare);
}

EXPORT void *tdelete(const void *restrict key, void **restrict root, int (*compare)(const void *, const void *))
{
  announce_tree((const void *const *)root, OP_WRITE, CALLER());
  return REAL(tdelete)(key, root, compare);
}

EXPORT void *tfind(const void *key, void *const *root, int (*compare)(const void *, const void *))
{
  announce_tree((const void *const *)root, OP_READ, CALLER());
  return REAL(tfind)(key, root, compare);
}

EXPORT void twalk(const void *node, void (*visit)(const void *, VISIT, int))
{
  if (hooked(CALLER()) && node)
    memory_range((const void *const *)node + 1, sizeof node, OP_READ, CALLER());
  REAL(twalk)(node, visit);
}

/* ---- the end ---- */

/* Where the data segment ends. */
CALL(void *, sbrk, (intptr_t more), (more), DATA_END, OP_ATOMIC_RMW)
CALL(int, brk, (void *end), (end), DATA_END, OP_ATOMIC_RMW)

void hidden_state_takes_handler(uintptr_t pc)
{
  uses(STATE_AT_EXIT, OP_ATOMIC_RMW, pc);
}

void hidden_state_changes_keys(uintptr_t pc)
{
  uses(STATE_KEYS, OP_ATOMIC_RMW, pc);
}

void hidden_state_looks_at_keys(uintptr_t pc)
{
  uses(STATE_KEYS, OP_ATOMIC_LOAD, pc);
}

/* A directory stream is not to be used by two threads at once. */
static void uses_folder(DIR *folder, uintptr_t pc)
{
  if (!hd_self || !folder)
    return;
  hidden_state_stands_at(folder);
  memory_access(folder, 8, OP_WRITE, 0, pc);
}

/* The entry lies in it. */
#define READDIR(name, type)                                                                                            \
  EXPORT struct type *name(DIR *folder)                                                                                \
  {                                                                                                                    \
    uses_folder(folder, CALLER());                                                                                     \
    struct type *entry = REAL(name)(folder);                                                                           \
    return gives(entry, entry ? offsetof(struct type, d_name) + 1 : 0, CALLER());                                      \
  }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

EXPORT void rewinddir(DIR *folder)
{
  uses_folder(folder, CALLER());
  REAL(rewinddir)(folder);
}

EXPORT void seekdir(DIR *folder, long place)
{
  uses_folder(folder, CALLER());
  REAL(seekdir)(folder, place);
}

EXPORT long telldir(DIR *folder)
{
  uses_folder(folder, CALLER());
  return REAL(telldir)(folder);
}

/* ---- qsort ---- */

/* Sorted in a copy, by merging, and put back: what is read and written is seen, and the comparison may take steps. */
struct sorting {
  char *from, *to;
  size_t size;
  int (*compare)(const void *, const void *, void *);
  void *context;
};

static void merge_sort(const struct sorting *s, size_t first, size_t end)
{
  if (end - first < 2)
    return;
  size_t middle = first + (end - first) / 2, a = first, b = middle;
  merge_sort(s, first, middle);
  merge_sort(s, middle, end);
  for (size_t i = first; i < end; i++) {
    bool left = b == end || (a < middle && s->compare(s->from + a * s->size, s->from + b * s->size, s->context) <= 0);
    copy_bytes(s->to + i * s->size, s->from + (left ? a++ : b++) * s->size, s->size);
  }
  copy_bytes(s->from + first * s->size, s->to + first * s->size, (end - first) * s->size);
}

static void sort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *context,
                 uintptr_t pc)
{
  memory_range(base, n * size, OP_READ, pc);
  char *room = malloc(2 * n * size + 1);
  struct sorting s = {room, room + n * size, size, compare, context};
  copy_bytes(room, base, n * size);
  merge_sort(&s, 0, n);
  memory_range(base, n * size, OP_WRITE, pc);
  copy_bytes(base, room, n * size);
  free(room);
}

static int compare_two(const void *a, const void *b, void *compare)
{
  return (*(int (**)(const void *, const void *))compare)(a, b);
}

EXPORT void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
  if (hd_self && n > 1 && in_program(CALLER()))
    sort(base, n, size, compare_two, &compare, CALLER());
  else
    REAL(qsort)(base, n, size, compare);
}

EXPORT void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
                    void *context)
{
  if (hd_self && n > 1 && in_program(CALLER()))
    sort(base, n, size, compare, context, CALLER());
  else
    REAL(qsort_r)(base, n, size, compare, context);
}

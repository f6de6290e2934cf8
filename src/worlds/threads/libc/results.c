/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the C library that leave a result where the program says: numbers from text, parts of numbers, times,
 * addresses (announce.h).
 */
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/hidden_state.h"
#include <arpa/inet.h>
#include <grp.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <stdlib.h>

#define SMALL 4096 /* bytes that are printed to memory of ours first */

/* ---- numbers from text ---- */

/* Reads the text as far as the number goes, and one further. */
#define PARSES(type, name, T, parameters, arguments)                                                                   \
  SHADOW(type, name, (const T *s, T **end UNWRAP parameters));                                                         \
  EXPORT type libc_##name(const T *s, T **end UNWRAP parameters)                                                       \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    if (hooked(pc)) {                                                                                                  \
      T *stop = NULL;                                                                                                  \
      LIBC(name)(s, &stop UNWRAP arguments);                                                                           \
      if (stop)                                                                                                        \
        reads(s, (size_t)((char *)(stop + 1) - (const char *)s), pc);                                                  \
      writes_any(end, sizeof *end, pc);                                                                                \
    }                                                                                                                  \
    return LIBC(name)(s, end UNWRAP arguments);                                                                        \
  }

#define PARSES_INTEGER(type, name, T) PARSES(type, name, T, (, int base), (, base))
#define PARSES_INTEGERS(prefix)                                                                                        \
  PARSES_INTEGER(long, prefix##strtol, char)                                                                           \
  PARSES_INTEGER(long long, prefix##strtoll, char)                                                                     \
  PARSES_INTEGER(unsigned long, prefix##strtoul, char)                                                                 \
  PARSES_INTEGER(unsigned long long, prefix##strtoull, char)                                                           \
  PARSES_INTEGER(intmax_t, prefix##strtoimax, char)                                                                    \
  PARSES_INTEGER(uintmax_t, prefix##strtoumax, char)                                                                   \
  PARSES_INTEGER(long, prefix##wcstol, wchar_t)                                                                        \
  PARSES_INTEGER(long long, prefix##wcstoll, wchar_t)                                                                  \
  PARSES_INTEGER(unsigned long, prefix##wcstoul, wchar_t)                                                              \
  PARSES_INTEGER(unsigned long long, prefix##wcstoull, wchar_t)
PARSES_INTEGERS()
PARSES_INTEGERS(__isoc23_)
PARSES(double, strtod, char, (), ())
PARSES(float, strtof, char, (), ())
PARSES(long double, strtold, char, (), ())
PARSES(double, wcstod, wchar_t, (), ())
PARSES(float, wcstof, wchar_t, (), ())
PARSES(long double, wcstold, wchar_t, (), ())

static void reads_number(const char *s, uintptr_t pc)
{
  char *end;
  LIBC(strtod)(s, &end);
  reads(s, (size_t)(end - s) + 1, pc);
}
SHADOWS(int, atoi, (const char *s), (s), reads_number(s, pc))
SHADOWS(long, atol, (const char *s), (s), reads_number(s, pc))
SHADOWS(long long, atoll, (const char *s), (s), reads_number(s, pc))
SHADOWS(double, atof, (const char *s), (s), reads_number(s, pc))

/* ---- parts of numbers ---- */

#define ARITHMETIC(T, suffix)                                                                                          \
  SHADOWS(T, frexp##suffix, (T x, int *exponent), (x, exponent), writes(exponent, sizeof *exponent, pc))               \
  SHADOWS(T, modf##suffix, (T x, T * whole), (x, whole), writes(whole, sizeof *whole, pc))                             \
  SHADOWS(T, remquo##suffix, (T x, T y, int *quotient), (x, y, quotient), writes(quotient, sizeof *quotient, pc))      \
  SHADOWS(void, sincos##suffix, (T x, T * s, T * c), (x, s, c), writes(s, sizeof *s, pc); writes(c, sizeof *c, pc))    \
  SHADOWS(T, lgamma##suffix##_r, (T x, int *sign), (x, sign), writes(sign, sizeof *sign, pc))                          \
  SHADOWS(T, lgamma##suffix, (T x), (x), announce_sign(pc))                                                            \
  SHADOWS(T, gamma##suffix, (T x), (x), announce_sign(pc))

/* Threads that do not ask for the sign may call it together. */
static void announce_sign(uintptr_t pc)
{
  memory_access(&signgam, sizeof signgam, OP_ATOMIC_STORE, __ATOMIC_SEQ_CST, pc);
}
ARITHMETIC(double, )
ARITHMETIC(float, f)
ARITHMETIC(long double, l)

/* ---- random numbers, where the state is the program's ---- */

SHADOWS(int, rand_r, (unsigned *seed), (seed), updates(seed, sizeof *seed, pc))
SHADOWS(int, random_r, (struct random_data * state, int32_t *result), (state, result),
        updates(state, sizeof *state, pc);
        writes(result, sizeof *result, pc))
SHADOWS(int, srandom_r, (unsigned seed, struct random_data *state), (seed, state), writes(state, sizeof *state, pc))
SHADOWS(int, drand48_r, (struct drand48_data * state, double *result), (state, result),
        updates(state, sizeof *state, pc);
        writes(result, sizeof *result, pc))
SHADOWS(int, lrand48_r, (struct drand48_data * state, long *result), (state, result), updates(state, sizeof *state, pc);
        writes(result, sizeof *result, pc))
SHADOWS(int, mrand48_r, (struct drand48_data * state, long *result), (state, result), updates(state, sizeof *state, pc);
        writes(result, sizeof *result, pc))
SHADOWS(int, srand48_r, (long seed, struct drand48_data *state), (seed, state), writes(state, sizeof *state, pc))

/* ---- times ---- */

#define DATE_BYTES 26 /* "Wed Jun 30 21:49:08 1993\n" and its end */

SHADOWS(struct tm *, localtime_r, (const time_t *t, struct tm *out), (t, out), looks_at_zone(pc);
        reads(t, sizeof *t, pc); writes(out, sizeof *out, pc))
SHADOWS(struct tm *, gmtime_r, (const time_t *t, struct tm *out), (t, out), reads(t, sizeof *t, pc);
        writes(out, sizeof *out, pc))
SHADOWS(time_t, mktime, (struct tm * t), (t), sets_zone(pc); looks_at_zone(pc); updates(t, sizeof *t, pc))
SHADOWS(time_t, timegm, (struct tm * t), (t), updates(t, sizeof *t, pc))
SHADOWS(char *, asctime_r, (const struct tm *t, char *to), (t, to), reads(t, sizeof *t, pc); writes(to, DATE_BYTES, pc))
SHADOWS(char *, ctime_r, (const time_t *t, char *to), (t, to), looks_at_zone(pc); reads(t, sizeof *t, pc);
        writes(to, DATE_BYTES, pc))
SHADOWS(char *, strptime, (const char *s, const char *format, struct tm *out), (s, format, out),
        reads_text(s, UNBOUNDED, 1, pc);
        reads_text(format, UNBOUNDED, 1, pc); writes(out, sizeof *out, pc))

SHADOW(size_t, strftime, (char *to, size_t n, const char *format, const struct tm *t));
EXPORT size_t libc_strftime(char *to, size_t n, const char *format, const struct tm *t)
{
  uintptr_t pc = CALLER();
  char own[SMALL];
  if (!hooked(pc) || n > SMALL)
    return LIBC(strftime)(to, n, format, t);
  reads_text(format, UNBOUNDED, 1, pc);
  reads(t, sizeof *t, pc);
  size_t length = LIBC(strftime)(own, n, format, t);
  if (length) {
    writes(to, length + 1, pc);
    copy_bytes(to, own, length + 1);
  }
  return length;
}

/* ---- signals ---- */

#define MASK_BYTES 8 /* of a set that the kernel knows */

#define CHANGES_MASK                                                                                                   \
  (int how, const sigset_t *set, sigset_t *old), (how, set, old), reads_any(set, MASK_BYTES, pc);                      \
  writes_any(old, MASK_BYTES, pc)
#define SHADOWS_AS(type, name, ...) SHADOWS(type, name, __VA_ARGS__)
SHADOWS_AS(int, sigprocmask, CHANGES_MASK)
SHADOWS_AS(int, pthread_sigmask, CHANGES_MASK)
SHADOWS(int, sigpending, (sigset_t * set), (set), writes(set, MASK_BYTES, pc))
SHADOWS(int, sigemptyset, (sigset_t * set), (set), writes(set, MASK_BYTES, pc))
SHADOWS(int, sigfillset, (sigset_t * set), (set), writes(set, MASK_BYTES, pc))
SHADOWS(int, sigaddset, (sigset_t * set, int signal), (set, signal), writes(set, MASK_BYTES, pc))
SHADOWS(int, sigdelset, (sigset_t * set, int signal), (set, signal), writes(set, MASK_BYTES, pc))
SHADOWS(int, sigismember, (const sigset_t *set, int signal), (set, signal), reads(set, MASK_BYTES, pc))

SHADOW(int, sigwait, (const sigset_t *set, int *signal));
EXPORT int libc_sigwait(const sigset_t *set, int *signal)
{
  uintptr_t pc = CALLER();
  if (!hooked(pc))
    return LIBC(sigwait)(set, signal);
  int taken, result;
  reads(set, MASK_BYTES, pc);
  result = LIBC(sigwait)(set, &taken);
  if (!result) {
    writes(signal, sizeof *signal, pc);
    *signal = taken;
  }
  return result;
}

/* ---- addresses ---- */

static size_t address_bytes(int family)
{
  return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}

SHADOWS(in_addr_t, inet_addr, (const char *s), (s), reads_text(s, UNBOUNDED, 1, pc))
SHADOWS(int, inet_aton, (const char *s, struct in_addr *out), (s, out), reads_text(s, UNBOUNDED, 1, pc);
        writes(out, sizeof *out, pc))
SHADOWS(int, inet_pton, (int family, const char *s, void *out), (family, s, out), reads_text(s, UNBOUNDED, 1, pc);
        writes(out, address_bytes(family), pc))

SHADOW(const char *, inet_ntop, (int family, const void *address, char *to, socklen_t n));
EXPORT const char *libc_inet_ntop(int family, const void *address, char *to, socklen_t n)
{
  uintptr_t pc = CALLER();
  char own[INET6_ADDRSTRLEN];
  if (!hooked(pc))
    return LIBC(inet_ntop)(family, address, to, n);
  reads(address, address_bytes(family), pc);
  if (!LIBC(inet_ntop)(family, address, own, n < sizeof own ? n : sizeof own))
    return NULL;
  size_t size = text_bytes(own, sizeof own, 1);
  writes(to, size, pc);
  copy_bytes(to, own, size);
  return to;
}

SHADOW(int, getaddrinfo, (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out));
EXPORT int libc_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
  uintptr_t pc = CALLER();
  if (!hooked(pc))
    return LIBC(getaddrinfo)(node, service, hints, out);
  struct addrinfo *found;
  int result = LIBC(getaddrinfo)(node, service, hints, &found);
  if (!result) {
    writes(out, sizeof *out, pc);
    *out = found;
  }
  return result;
}

/* ---- entries of users and groups ---- */

#define FINDS(type, name, key)                                                                                         \
  SHADOWS(int, name, (key by, struct type * entry, char *room, size_t n, struct type **out),                           \
          (by, entry, room, n, out), writes(entry, sizeof *entry, pc);                                                 \
          writes(room, n, pc); writes(out, sizeof *out, pc))
FINDS(passwd, getpwnam_r, const char *)
FINDS(passwd, getpwuid_r, uid_t)
FINDS(group, getgrnam_r, const char *)
FINDS(group, getgrgid_r, gid_t)

/* ---- texts ---- */

SHADOW(char *, realpath, (const char *path, char *to));
EXPORT char *libc_realpath(const char *path, char *to)
{
  uintptr_t pc = CALLER();
  char own[PATH_MAX];
  if (!hooked(pc) || !to || !path)
    return LIBC(realpath)(path, to);
  reads_text(path, UNBOUNDED, 1, pc);
  char *found = LIBC(realpath)(path, own);
  if (!found)
    return NULL;
  size_t size = text_bytes(own, sizeof own, 1);
  writes(to, size, pc);
  copy_bytes(to, own, size);
  return to;
}

SHADOWS(int, gethostname, (char *to, size_t n), (to, n), writes(to, n, pc))
SHADOWS(char *, strerror_r, (int error, char *to, size_t n), (error, to, n), writes(to, n, pc))
SHADOWS(int, __xpg_strerror_r, (int error, char *to, size_t n), (error, to, n), writes(to, n, pc))

/* ---- regular expressions ---- */

SHADOWS(int, regcomp, (regex_t * r, const char *pattern, int flags), (r, pattern, flags),
        reads_text(pattern, UNBOUNDED, 1, pc);
        writes(r, sizeof *r, pc))
SHADOWS(void, regfree, (regex_t * r), (r), writes(r, sizeof *r, pc))
SHADOWS(int, regexec, (const regex_t *r, const char *s, size_t n, regmatch_t match[], int flags),
        (r, s, n, match, flags), reads(r, sizeof *r, pc);
        reads_text(s, UNBOUNDED, 1, pc); writes_any(match, n * sizeof *match, pc))

/* ---- attributes ---- */

#define SETS(type, attribute, name)                                                                                    \
  SHADOWS(int, pthread_##attribute##_##name, (pthread_##attribute##_t * a, type value), (a, value),                    \
          writes(a, sizeof *a, pc))
#define GETS(type, attribute, name)                                                                                    \
  SHADOWS(int, pthread_##attribute##_##name, (const pthread_##attribute##_t *a, type *value), (a, value),              \
          reads(a, sizeof *a, pc);                                                                                     \
          writes(value, sizeof *value, pc))
#define MAKES(attribute)                                                                                               \
  SHADOWS(int, pthread_##attribute##_init, (pthread_##attribute##_t * a), (a), writes(a, sizeof *a, pc))
MAKES(attr)
SETS(int, attr, setdetachstate)
SETS(size_t, attr, setstacksize)
SETS(size_t, attr, setguardsize)
SETS(int, attr, setinheritsched)
SETS(int, attr, setschedpolicy)
SETS(int, attr, setscope)
GETS(int, attr, getdetachstate)
GETS(size_t, attr, getstacksize)
GETS(size_t, attr, getguardsize)
MAKES(mutexattr)
SETS(int, mutexattr, settype)
SETS(int, mutexattr, setpshared)
SETS(int, mutexattr, setprotocol)
SETS(int, mutexattr, setrobust)
GETS(int, mutexattr, gettype)
MAKES(condattr)
SETS(clockid_t, condattr, setclock)
SETS(int, condattr, setpshared)
MAKES(rwlockattr)
SETS(int, rwlockattr, setpshared)
SETS(int, rwlockattr, setkind_np)
MAKES(barrierattr)
SETS(int, barrierattr, setpshared)

/* ---- lists of the program's, linked by the library ---- */

struct element {
  struct element *next, *previous;
};

static void announce_links(const struct element *e, const struct element *previous, const struct element *next,
                           uintptr_t pc)
{
  writes(e, sizeof *e, pc);
  if (previous)
    writes(&previous->next, sizeof previous->next, pc);
  if (next)
    writes(&next->previous, sizeof next->previous, pc);
}

SHADOWS(void, insque, (struct element * e, struct element *after), (e, after),
        announce_links(e, after, after ? after->next : NULL, pc))
SHADOWS(void, remque, (struct element * e), (e), announce_links(e, e->previous, e->next, pc))
SHADOWS(void *, lfind,
        (const void *key, const void *base, size_t *n, size_t size, int (*compare)(const void *, const void *)),
        (key, base, n, size, compare), reads(n, sizeof *n, pc))

EXPORT void *lsearch(const void *key, void *base, size_t *n, size_t size, int (*compare)(const void *, const void *))
{
  uintptr_t pc = CALLER();
  if (!hooked(pc))
    return REAL(lsearch)(key, base, n, size, compare);
  reads(n, sizeof *n, pc);
  void *found = LIBC(lfind)(key, base, n, size, compare);
  if (found)
    return found;
  char *end = (char *)base + *n * size;
  writes(end, size, pc);
  copy_bytes(end, key, size);
  writes(n, sizeof *n, pc);
  ++*n;
  return end;
}

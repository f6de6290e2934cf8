/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of libc that keep a state of their own between calls: what they do under control, that two threads which call
 * them at the same time race where libc's manual forbids it, and that the order of calls matters where it does not. Also
 * qsort, which moves the program's memory.
 */
#include "case.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <grp.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <stdint.h>

static const time_t a_moment = 86400;

/* The function does what it should, which `use` sees to; two threads that use it at once race. */
#define UNSAFE(function, state)                                                                              \
  static void use_##function(void);                                                                          \
  CASE(function, alone, proceeds)                                                                            \
  {                                                                                                          \
    elsewhere(use_##function);                                                                               \
    use_##function();                                                                                        \
    SAW("proceeds");                                                                                         \
  }                                                                                                          \
  RACE(function, together, state " is used by")                                                              \
  {                                                                                                          \
    pthread_t other = start_call(use_##function);                                                            \
    use_##function();                                                                                        \
    finish(other);                                                                                           \
  }                                                                                                          \
  static void use_##function(void)

/* ---- strings and numbers ---- */

UNSAFE(strtok, "strtok()")
{
  char text[] = "a b";
  char *first = strtok(text, " ");
  EXPECT(!first || *first == 'a'); /* another may have taken the text away */
}

UNSAFE(ecvt, "ecvt() or fcvt()")
{
  int point, negative;
  EXPECT(strlen(ecvt(12.5, 3, &point, &negative)) == 3);
  EXPECT(point == 2 && !negative);
}

UNSAFE(fcvt, "ecvt() or fcvt()")
{
  int point, negative;
  EXPECT(strlen(fcvt(-12.5, 1, &point, &negative)) == 3);
  EXPECT(point == 2 && negative);
}

/* ---- time ---- */

UNSAFE(localtime, "localtime() or gmtime()")
{
  EXPECT(localtime(&a_moment) == localtime(&a_moment));
}

UNSAFE(gmtime, "localtime() or gmtime()")
{
  EXPECT(gmtime(&a_moment) == localtime(&a_moment));
}

UNSAFE(asctime, "asctime() or ctime()")
{
  struct tm second = {.tm_mday = 2, .tm_year = 70, .tm_wday = 5};
  EXPECT(!strcmp(asctime(&second), "Fri Jan  2 00:00:00 1970\n"));
}

UNSAFE(ctime, "localtime() or gmtime()")
{
  EXPECT(strlen(ctime(&a_moment)) == 25);
}

/* ---- random numbers ---- */

static void seed(void)
{
  srand(7);
  srand48(7);
}

UNSAFE(drand48, "drand48() or one of its family")
{
  double number = drand48();
  EXPECT(number >= 0 && number < 1);
}

UNSAFE(lrand48, "drand48() or one of its family")
{
  EXPECT(lrand48() >= 0);
}

UNSAFE(mrand48, "drand48() or one of its family")
{
  long number = mrand48();
  EXPECT(number >= -(1L << 31) && number < 1L << 31);
}

UNSAFE(srand48, "drand48() or one of its family")
{
  srand48(7);
}

CASE(srand48, same_numbers_again)
{
  seed();
  double first = drand48();
  seed();
  EXPECT(drand48() == first);
  SAME("drand48", "%f", first);
}

static int numbers[2];

static void *take_number(void *next)
{
  numbers[1] = ((int (*)(void))next)();
  return NULL;
}

/* Two threads may take numbers at once: either may get the first one. */
static void in_either_order(const char *function, int (*next)(void))
{
  seed();
  int first = next();
  seed();
  pthread_t other = start(take_number, (void *)next);
  numbers[0] = next();
  finish(other);
  EXPECT(numbers[0] != numbers[1] && (numbers[0] == first || numbers[1] == first));
  SEE(function, numbers[0] == first ? "first" : "second");
}

static int next_random(void)
{
  return (int)random();
}

CASE(rand, in_either_order, first, second)
{
  in_either_order("rand", rand);
}

CASE(random, in_either_order, first, second)
{
  in_either_order("random", next_random);
}

static void *reseed(void *seed_function)
{
  ((void (*)(unsigned))seed_function)(7);
  return NULL;
}

/* A seed counts for what is taken after it. */
static void seeds_before_or_after(const char *function, void (*seed_function)(unsigned))
{
  seed_function(7);
  int first = rand();
  pthread_t other = start(reseed, (void *)seed_function);
  SEE(function, rand() == first ? "before" : "after");
  finish(other);
}

CASE(srand, before_or_after, before, after)
{
  seeds_before_or_after("srand", srand);
}

CASE(srandom, before_or_after, before, after)
{
  seeds_before_or_after("srandom", srandom);
}

/* ---- the environment: who reads it and who changes it race, two readers do not ---- */

#define ENVIRONMENT "the environment (setenv(), getenv())"

static void use_getenv(void)
{
  EXPECT(!getenv("HEDDLE_PRIMITIVE") || *getenv("HEDDLE_PRIMITIVE") == 'x');
}

static void use_secure_getenv(void)
{
  EXPECT(!secure_getenv("HEDDLE_PRIMITIVE") || *secure_getenv("HEDDLE_PRIMITIVE") == 'x');
}

static void read_environment(const char *function, void (*use)(void))
{
  EXPECT(setenv("HEDDLE_PRIMITIVE", "x", 1) == 0);
  pthread_t other = start_call(use);
  use();
  finish(other);
  SEE(function, "proceeds");
}

CASE(getenv, by_two, proceeds)
{
  read_environment("getenv", use_getenv);
}

CASE(secure_getenv, by_two, proceeds)
{
  read_environment("secure_getenv", use_secure_getenv);
}

static void while_it_changes(void (*use)(void))
{
  pthread_t other = start_call(use);
  setenv("HEDDLE_PRIMITIVE", "x", 1);
  finish(other);
}

RACE(getenv, while_it_changes, ENVIRONMENT " is used by")
{
  while_it_changes(use_getenv);
}

RACE(secure_getenv, while_it_changes, ENVIRONMENT " is used by")
{
  while_it_changes(use_secure_getenv);
}

UNSAFE(setenv, ENVIRONMENT)
{
  EXPECT(setenv("HEDDLE_PRIMITIVE", "x", 1) == 0);
}

UNSAFE(unsetenv, ENVIRONMENT)
{
  EXPECT(unsetenv("HEDDLE_PRIMITIVE") == 0);
}

UNSAFE(putenv, ENVIRONMENT)
{
  static char text[] = "HEDDLE_PRIMITIVE=x";
  EXPECT(putenv(text) == 0);
}

UNSAFE(clearenv, ENVIRONMENT)
{
  EXPECT(clearenv() == 0);
}

CASE(setenv, what_was_set, EINVAL)
{
  FAILS(EINVAL, setenv, "", "x", 1);
  FAILS(EINVAL, unsetenv, "a=b");
  use_setenv();
  EXPECT(!strcmp(getenv("HEDDLE_PRIMITIVE"), "x"));
  use_unsetenv();
  EXPECT(!getenv("HEDDLE_PRIMITIVE"));
  use_putenv();
  EXPECT(!strcmp(getenv("HEDDLE_PRIMITIVE"), "x"));
  use_clearenv();
  EXPECT(!getenv("HEDDLE_PRIMITIVE"));
}

/* ---- the locale ---- */

#define LOCALE "the locale (setlocale(), localeconv())"

UNSAFE(setlocale, LOCALE)
{
  EXPECT(setlocale(LC_ALL, "C"));
}

static void ask_for_locale(void)
{
  EXPECT(!strcmp(setlocale(LC_ALL, NULL), "C"));
}

CASE(setlocale, asked_by_two, proceeds)
{
  pthread_t other = start_call(ask_for_locale);
  ask_for_locale();
  finish(other);
  SAW("proceeds");
}

UNSAFE(localeconv, LOCALE)
{
  EXPECT(localeconv());
}

/* ---- databases ---- */

UNSAFE(gethostbyname, "gethostbyname() or one of its family")
{
  EXPECT(gethostbyname("127.0.0.1"));
}

UNSAFE(gethostbyaddr, "gethostbyname() or one of its family")
{
  static const char address[4] = {127, 0, 0, 1};
  EXPECT(gethostbyaddr(address, sizeof address, AF_INET));
}

UNSAFE(getservbyname, "getservbyname() or one of its family")
{
  EXPECT(!getservbyname("no-such-service", "tcp"));
}

UNSAFE(getservbyport, "getservbyname() or one of its family")
{
  EXPECT(!getservbyport(htons(1), "no-such-protocol"));
}

UNSAFE(getpwnam, "getpwnam() or one of its family")
{
  EXPECT(getpwnam("root"));
}

UNSAFE(getpwuid, "getpwnam() or one of its family")
{
  EXPECT(getpwuid(0));
}

UNSAFE(getgrnam, "getgrnam() or one of its family")
{
  EXPECT(getgrnam("root"));
}

UNSAFE(getgrgid, "getgrnam() or one of its family")
{
  EXPECT(getgrgid(0));
}

/* ---- the rest ---- */

UNSAFE(ttyname, "ttyname()")
{
  int fd = dup(1);
  EXPECT(fd >= 0 && !ttyname(fd));
  close(fd);
}

UNSAFE(getopt, "getopt()")
{
  char *arguments[] = {(char *)"program", NULL};
  EXPECT(getopt(1, arguments, "a") == -1);
}

static void look_up(void)
{
  ENTRY entry = {.key = (char *)"key", .data = NULL};
  EXPECT(hsearch(entry, ENTER));
}

CASE(hsearch, alone, proceeds)
{
  EXPECT(hcreate(10));
  look_up();
  elsewhere(look_up);
  SAW("proceeds");
  hdestroy();
}

RACE(hsearch, together, "hsearch() is used by")
{
  EXPECT(hcreate(10));
  pthread_t other = start_call(look_up);
  look_up();
  finish(other);
}

static DIR *folder;

static void read_entry(void)
{
  EXPECT(readdir(folder));
}

static void read_entry64(void)
{
  EXPECT(readdir64(folder));
}

static void read_folder(const char *function, void (*read_one)(void))
{
  EXPECT((folder = opendir("/")));
  read_one();
  elsewhere(read_one);
  EXPECT(closedir(folder) == 0);
  SEE(function, "proceeds");
}

CASE(readdir, in_turn, proceeds)
{
  read_folder("readdir", read_entry);
}

CASE(readdir64, in_turn, proceeds)
{
  read_folder("readdir64", read_entry64);
}

static void read_folder_together(void (*read_one)(void))
{
  EXPECT((folder = opendir("/")));
  pthread_t other = start_call(read_one);
  read_one();
  finish(other);
  closedir(folder);
}

RACE(readdir, together, "data race")
{
  read_folder_together(read_entry);
}

RACE(readdir64, together, "data race")
{
  read_folder_together(read_entry64);
}

/* ---- sorting ---- */

static int values[4] = {3, 1, 2, 0};

static int ascending(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static int by_sign(const void *a, const void *b, void *sign)
{
  return *(int *)sign * ascending(a, b);
}

static void sort_values(void)
{
  qsort(values, LENGTH(values), sizeof *values, ascending);
}

static void sort_values_r(void)
{
  int sign = -1;
  qsort_r(values, LENGTH(values), sizeof *values, by_sign, &sign);
}

CASE(qsort, numbers, proceeds)
{
  sort_values();
  for (int i = 0; i < 4; i++)
    EXPECT(values[i] == i);
  SAW("proceeds");
}

CASE(qsort_r, numbers, proceeds)
{
  sort_values_r();
  for (int i = 0; i < 4; i++)
    EXPECT(values[i] == 3 - i);
  SAW("proceeds");
}

static void read_one_value(void)
{
  int value = values[0];
  EXPECT(value >= 0 && value < 4);
}

RACE(qsort, while_another_reads, "data race on values")
{
  pthread_t other = start_call(read_one_value);
  sort_values();
  finish(other);
}

RACE(qsort_r, while_another_reads, "data race on values")
{
  pthread_t other = start_call(read_one_value);
  sort_values_r();
  finish(other);
}

/* The buffer of inet_ntoa() is each thread's own in glibc, whatever POSIX allows: no call spoils another thread's. */
static void *write_address(void *number)
{
  const char *own = inet_ntoa((struct in_addr){htonl(0x0a000000u + (unsigned)(uintptr_t)number)});
  let_others_run();
  EXPECT(own[7] == (char)('0' + (uintptr_t)number));
  SAW("own_buffer");
  return NULL;
}

CASE(inet_ntoa, in_two_threads, proceeds, own_buffer)
{
  pthread_t thread = start(write_address, (void *)1);
  write_address((void *)2);
  finish(thread);
  SAW("proceeds");
}

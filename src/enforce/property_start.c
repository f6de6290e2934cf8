/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties before main; see property_start.h. What is wrong is told in one line, and nothing runs (status 2).
 */
#include "enforce/property_start.h"
#include "core/property_pack.h"
#include "core/property_program.h"
#include "core/spec_link.h"
#include "core/without_libc.h"
#include "enforce/order_threads.h"
#include "enforce/property_calls.h"
#include "enforce/property_choices.h"
#include "enforce/property_handlers.h"
#include "enforce/property_keeping.h"
#include "enforce/property_script.h"
#include "enforce/property_standstill.h"
#include "watch/patches.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool verbose;
static const struct hd_spec *linked; /* by the program itself */

static _Noreturn void refuse(const char *why)
{
  char text[512];
  order_say(text, print_text(text, sizeof text, "heddle: %s\n", why));
  _exit(2);
}

/* The first thread that is created lets a sanitizer create its own. */
static void begin_watching(void)
{
  standstill_watch();
  order_threads_note_strangers();
}

static void begin_child(void)
{
  order_threads_forked();
  begin_watching();
}

/* Whether calls of the program must come to us first: that of free(), for objects that are no more, and starts of
 * threads, which a sanitizer in front of us does not know of yet. */
static bool must_be_in_front(const struct property_set *set)
{
  bool must = false;
  for (uint32_t p = 0; p < set->properties; p++)
    must |= set->property[p].pointers != 0;
  for (uint32_t r = 0; r < set->rules; r++)
    must |= set->rule[r].source == EVENT_OF_START;
  return must;
}

static bool is_in_front(void)
{
  Dl_info first, here;
  return dladdr(dlsym(RTLD_DEFAULT, "free"), &first) && dladdr((void *)begin_child, &here) &&
         first.dli_fbase == here.dli_fbase;
}

static void keep(const struct property_set *set, const struct called_function *functions, uint32_t count,
                 enum keeping how)
{
  char error[256];
  bool scripts = false;
  for (uint32_t p = 0; p < set->properties; p++)
    scripts |= set->property[p].script[HANDLED_CATEGORY] || set->property[p].script[HANDLED_DEADLOCK];
  if (scripts && !property_scripts_open(error, sizeof error))
    refuse(error);
  if (must_be_in_front(set) && !is_in_front())
    refuse("another library stands between the program and libheddle-enforce.so, a sanitizer's perhaps, so not all is "
           "seen; start the program by heddle enforce, or with LD_PRELOAD=libheddle-enforce.so");
  order_threads_begin();
  if (!property_calls_begin(set, functions, count, error, sizeof error))
    refuse(error);
  if (!property_keep(set, how))
    refuse("no memory is left for the monitors of the properties");
  pthread_atfork(NULL, NULL, begin_child);
  begin_watching();
}

/* ---- from heddle enforce ---- */

/* "5 LD_PRELOAD's old value": what the program starts must not find it. */
static int take_descriptor(void)
{
  const char *text = getenv(PROPERTY_PROGRAM_VARIABLE), *rest = text ? strchr(text, ' ') : NULL;
  int fd = text ? atoi(text) : -1;
  if (rest && rest[1])
    setenv("LD_PRELOAD", rest + 1, 1);
  else if (text)
    unsetenv("LD_PRELOAD");
  unsetenv(PROPERTY_PROGRAM_VARIABLE);
  return fd;
}

static struct property_program *map_program(int fd)
{
  struct stat status;
  struct property_program *p = MAP_FAILED;
  if (fstat(fd, &status) == 0 && (size_t)status.st_size == sizeof *p)
    p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED || p->size != sizeof *p)
    refuse("libheddle-enforce.so is of another version than heddle");
  return p;
}

static void keep_given(struct property_program *p)
{
  static struct called_function functions[WATCHED_CALLS];
  uintptr_t base = program_base();
  for (uint32_t i = 0; i < p->functions; i++) {
    functions[i].name = p->function[i].name;
    functions[i].code = p->function[i].sled ? (unsigned char *)(base + p->function[i].sled) : NULL;
  }
  for (uint32_t i = 0; i < p->set.properties; i++)
    for (unsigned what = 0; what < HANDLED; what++)
      if (p->handler[i][what])
        property_set_handler(i, what, (hd_property_handler *)(base + p->handler[i][what]));
  if (p->without_sleeps)
    property_calls_without_sleeps();
  if (p->explores)
    choices_begin(&p->choices);
  verbose = p->verbose;
  keep(&p->set, functions, p->functions, p->passive ? KEEPING_PASSIVE : KEEPING_ACTIVE);
}

/* ---- from the program itself ---- */

__attribute__((visibility("default"))) void hd__spec(const struct hd_spec *spec)
{
  linked = spec;
}

static void keep_linked(void)
{
  static struct property_set set;
  static struct called_function functions[WATCHED_CALLS];
  const char *mode = getenv("HEDDLE_ENFORCE_MODE");
  if (linked->version != HD_SPEC_VERSION || !property_unpack(linked->bytes, linked->size, &set) ||
      linked->functions > WATCHED_CALLS)
    refuse("the specification that is linked was written by another version of heddle; write it again (heddle spec)");
  for (uint32_t i = 0; i < linked->functions; i++) {
    functions[i].name = linked->function[i].name;
    unsigned char *code = (unsigned char *)linked->function[i].code;
    functions[i].code = code && property_call_is_own(code) ? code : NULL;
  }
  for (uint32_t i = 0; i < set.properties; i++)
    for (unsigned what = 0; what < HANDLED; what++)
      property_set_handler(i, what, linked->handler[i][what]);
  verbose = getenv("HEDDLE_ENFORCE_VERBOSE");
  keep(&set, functions, linked->functions, mode && !strcmp(mode, "passive") ? KEEPING_PASSIVE : KEEPING_ACTIVE);
}

void property_start(void)
{
  int fd = take_descriptor();
  if (fd >= 0)
    keep_given(map_program(fd));
  else if (linked)
    keep_linked();
}

void property_stop(void)
{
  if (verbose)
    property_end();
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files (.hd): a schedule with all that is needed to run it again, as text a person can read and edit.
 *
 *   heddle schedule 1
 *   program   ./bank
 *   folder    ..
 *   arg       --fast
 *   test      cmocka counter.adds
 *   build     4b825dc642cb6eb9a060e54bf8d69288
 *   signature      8f14…e2
 *   points    memory
 *   reset     snapshot
 *   found-by  pos seed 1 execution 17
 *   bug       assertion 9f3a0c1d2e3f4a5b "total == 200" bank.c:41
 *   trace     0123456789abcdef
 *   threads   main T1 T2
 *
 *   # thread  operations  then is about to
 *   main      12          join        bank+0x1234                # bank.c:35
 *   T1        5           write       bank+0x11f3     preempted  # bank.c:23
 *   choice    1 of 3
 *   T2        20          exit
 *   end       3
 *
 * A `#` outside quotes starts a comment. Words with blanks, quotes, `#` or control characters are in double quotes,
 * with C's escapes. Only the first line, `program` and `end` are needed: what a person leaves out has its default, a
 * segment without an address is not checked against one, and without `threads` a thread is known from its first use.
 * `end` carries the number of segments, so that a file cut short is noticed. Choices are one list, in order, wherever
 * they stand. Unknown and repeated keys are errors. A change that older readers would misread bumps the version.
 *
 * Paths are those of the folder heddle was started in, which `folder` names as seen from the folder of the file.
 * `signature` tells whether it was this user's heddle that wrote down what to run (cli/find/signature.h): a file by
 * itself runs nothing.
 *
 * Nothing here starts a program or looks at one; addresses are translated by the caller's
 * functions. */
#ifndef HEDDLE_TRACE_SCHEDULE_FILE_H
#define HEDDLE_TRACE_SCHEDULE_FILE_H

#include "core/bug.h"
#include "core/control.h"
#include "core/subset.h"
#include "debuginfo/symbols.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_FILE_VERSION 1
#define SCHEDULE_SIGNATURE_SIZE 65 /* hexadecimal digits and their end */

struct schedule_file {
  char *program; /* malloc'ed, as are all that follow */
  char **args;   /* not NULL-terminated, without the program; NULL when there are none */
  size_t arg_count;
  uint32_t framework;                      /* enum test_framework; FRAMEWORK_NONE: not a single test */
  char *test;                              /* its name; NULL for none */
  char *input;                             /* file given as standard input; NULL for none */
  char *folder;                            /* heddle was started in, from that of the file; NULL: not known */
  char signature[SCHEDULE_SIGNATURE_SIZE]; /* empty: none */
  char *calls;                             /* functions whose calls are watched (watch_list.h); NULL for none */
  char *spec, *specs;                      /* --spec, as an absolute path, and --specs; NULL for none */
  struct subset *kept;                     /* what is left of a test whose calls these are (parts.h); NULL: all */
  char fingerprint[FINGERPRINT_SIZE];      /* empty: not checked */
  bool instrumented;                       /* points: memory (true) or calls */
  bool has_bug;                            /* the bug below is set */
  bool spurious;
  bool real_files;      /* the program changed the files themselves */
  bool any_exit;        /* any exit status is right; else the one below */
  uint32_t exit_status; /* 0 … 255 */
  uint32_t reset;       /* enum reset_mode */
  uint32_t races;       /* enum race_mode */
  uint32_t leaks;       /* enum race_mode */
  uint64_t max_steps;   /* 0: heddle's default */
  uint64_t max_memory;  /* 0: heddle's default */
  uint64_t seed;        /* of the session that found it */
  struct {
    uint32_t kind; /* enum bug_kind */
    uint64_t key;
    char message[sizeof((struct bug *)0)->text];
    char where[sizeof((struct bug *)0)->where];
  } bug;
  struct schedule_record *record; /* strategy, execution, trace hash, threads, segments, choices */
};

/* How addresses of code are written and found again. Any of the functions may be NULL. */
struct schedule_places {
  void *arg;
  bool (*to_module)(void *arg, uintptr_t pc, const char **module, uint64_t *offset); /* false: left out of the file */
  bool (*to_address)(void *arg, const char *module, uint64_t offset, uintptr_t *pc); /* false: pc 0, not checked */
  bool (*comment)(void *arg, uintptr_t pc, char *out, size_t n); /* file:line behind the segment; false: none */
};

/* The places of a program whose symbols are open (s may be NULL: no places). */
struct schedule_places schedule_places_of(struct symbols *s);

/* Room for a schedule with its header filled in and the rest zero; NULL when there is no memory or it would not fit
 * into the control mapping. Freed with free(). */
struct schedule_record *schedule_record_new(uint32_t threads, uint32_t segments, uint32_t choices);

/* A malloc'ed copy of a record that lies elsewhere (in the pool); NULL when its sizes contradict each other, it does
 * not fit into `available` bytes, or there is no memory. */
struct schedule_record *schedule_record_copy(const struct schedule_record *record, uint64_t available);

/* An empty file: all defaults, no record. */
void schedule_file_init(struct schedule_file *f);
void schedule_file_free(struct schedule_file *f);

/* Appends an argument or sets a string (copies). False when there is no memory; f stays valid. */
bool schedule_file_add_arg(struct schedule_file *f, const char *arg);
bool schedule_file_set_program(struct schedule_file *f, const char *program);
bool schedule_file_set_input(struct schedule_file *f, const char *input);
bool schedule_file_set_test(struct schedule_file *f, enum test_framework framework, const char *test);
bool schedule_file_set_calls(struct schedule_file *f, const char *calls);
bool schedule_file_set_spec(struct schedule_file *f, const char *spec);
bool schedule_file_set_specs(struct schedule_file *f, const char *specs);
bool schedule_file_set_kept(struct schedule_file *f, const struct subset *kept);
bool schedule_file_set_folder(struct schedule_file *f, const char *folder);

/* Writes atomically. False, with one line in error, when f is inconsistent (no program or record, a thread table that
 * is no tree) or the file cannot be written; an old file then stays as it was. */
bool schedule_file_write(const struct schedule_file *f, const char *path, const struct schedule_places *places,
                         char *error, size_t error_size);

/* The text itself, malloc'ed, NUL-terminated; NULL on failure as above. */
char *schedule_file_format(const struct schedule_file *f, const struct schedule_places *places, char *error,
                           size_t error_size);

/* Reads a file into *f (initialised by this call, to be freed when it returns true). False, with one line in error such
 * as `bank-1.hd:17: "12x" is not a number of operations`, and *f empty. */
bool schedule_file_read(struct schedule_file *f, const char *path, const struct schedule_places *places, char *error,
                        size_t error_size);

/* The text of a file, malloc'ed; NULL with one line in error. */
char *schedule_file_load(const char *path, size_t *length, char *error, size_t error_size);

/* The same from memory; name is what errors call the file. */
bool schedule_file_parse(struct schedule_file *f, const char *name, const char *text, size_t length,
                         const struct schedule_places *places, char *error, size_t error_size);

/* Segments that ended by preemption, the last segment aside (it ends with the execution). */
uint32_t schedule_preemptions(struct schedule_record *record);

#endif

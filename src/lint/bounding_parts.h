/* SPDX-License-Identifier: Apache-2.0
 *
 * What the patterns share. Of no concern outside of bounding*.c and seeming_limits.c.
 */
#ifndef HEDDLE_LINT_BOUNDING_PARTS_H
#define HEDDLE_LINT_BOUNDING_PARTS_H

#include "lint/bounding.h"

/* What was asked before of how an object changes in the loop: conditions of many parts ask the same of each. */
#define CHANGES_SEEN 64
struct changes_seen {
  bool known;
  unsigned level;
  struct c_object object;
  struct changes changes;
};

struct judging {
  const struct whole_program *program;
  const struct bound_question *question;
  struct conditions *conditions;
  const struct condition *whole;     /* under which the creation is reached; NULL: it was not asked for yet */
  struct stretch stretch[PATH_MOST]; /* by level: functions between, and the loop */
  unsigned char *reached;            /* functions that the loop reaches, made when it is asked for */
  struct changes_seen *seen;         /* CHANGES_SEEN of them */
  unsigned depth;                    /* of questions that lead to others */
  bool failed;
};

/* What one part of the condition does. */
struct bound_answer {
  bool total, live;
  unsigned pattern;
  char why[REASON_SIZE];
};

static inline bool may_use(const struct judging *j, unsigned pattern)
{
  return j->question->patterns >> pattern & 1;
}

static inline struct lint_loop loop_of_level(const struct judging *j, unsigned level)
{
  return level == j->question->level ? j->question->loop
                                     : loop_of_function(j->program, j->question->step[level].function, LOOP_CALLBACK);
}

/* ---- values (bounding_values.c) ---- */

enum value_course { VALUE_CONSTANT, VALUE_INCREASING, VALUE_DECREASING, VALUE_OTHER };

struct turn_value {
  enum value_course course;
  bool configured;       /* a constant by pattern 9 */
  char why[REASON_SIZE]; /* OTHER: why it is neither */
};

struct turn_value course_of(struct judging *j, struct code_place code, unsigned level);

/* All changes of an object in the loop and on the way to the creation. */
struct changes changes_in_loop(const struct judging *j, const struct c_object *object, unsigned level);

/* The function, outside of the loop, that changes the object while the loop runs: it is called from it, or runs in a
 * thread. PROGRAM_NONE: none. wanted: only some of them. */
enum change_wanted { CHANGE_ANY, CHANGE_NOT_UP, CHANGE_NOT_DOWN, CHANGE_COUNTED };
uint32_t changed_elsewhere(struct judging *j, const struct c_object *object, enum change_wanted wanted);
/* Makes j->reached; false: no memory left. */
bool mark_reached(struct judging *j);

/* Whether a collection is used by several threads: where it is used a lock is taken, or it runs in a thread. */
bool is_shared(const struct judging *j, uint32_t symbol);
/* Whether a thread puts something there, or into that member of it: of what is only walked through, that alone
 * matters. */
bool is_filled_by_others(const struct judging *j, uint32_t symbol, uint32_t member);

/* A call of that word below the loop's nodes whose object has that text; at: where, may be NULL. */
bool loop_has(const struct judging *j, enum lint_word word, const char *text, unsigned level, struct code_place *at);
/* The object of a call that means the word; false: it does not mean it. */
bool object_of_word(const struct whole_program *p, struct code_place call, enum lint_word word, char text[OBJECT_TEXT]);

/* ---- patterns ---- */

/* 1 and 2: the whole loop is a walk (bounding_walks.c). why: if it is one that is not bounded. */
bool loop_is_walk(struct judging *j, unsigned *pattern, char *why);
/* 2: a condition that is asked of a walk. */
bool asks_walk(struct judging *j, const struct condition *simple);

/* 3 to 6, 8 and retries (bounding_patterns.c). */
struct bound_answer simple_answer(struct judging *j, const struct condition *simple);

/* Any condition (bounding.c). */
struct bound_answer bounding(struct judging *j, const struct condition *condition);

/* What a caller on the path gives for a parameter of the function of that level; none: it is no parameter. */
struct code_place argument_for(const struct judging *j, const struct c_object *o, unsigned level);

/* The function that the created thread runs; PROGRAM_NONE: it is not known. */
uint32_t start_of(const struct judging *j);
/* 7 and 10, of the whole loop, and 8 of a comparison (bounding_live.c). */
bool has_slots(struct judging *j, char *why);
bool asks_itself(struct judging *j, char *why);
/* 7, of a table (bounding_table.c). */
bool takes_place(struct judging *j, char *why);
bool joins_in_turn(struct judging *j, char *why);
/* Whether a node of that level is in a loop, inside of the one that is judged, that the other is not in. */
bool is_in_other_loop(const struct judging *j, unsigned level, uint32_t node, uint32_t other);
/* Whether the condition asks only for what the creation returned. */
bool asks_result(const struct judging *j, const struct condition *c, unsigned level);
bool counts_threads(struct judging *j, struct code_place counter, struct code_place limit, unsigned level, char *why);

bool is_literal_zero(const struct whole_program *p, struct code_place c); /* bounding_patterns.c */

/* ---- what is seen of a loop without a bound ---- */

bool comes_from_outside(struct judging *j, struct chosen_outside *outside); /* bounding_outside.c */
bool seems_limited(struct judging *j, char *why);                           /* seeming_limits.c */
bool seems_counted(struct judging *j, unsigned level, char *why);           /* seeming_counters.c */
bool names_limit(const char *text);                                         /* limit_names.c */

/* Of a simple condition on the way (seeming_places.c). */
bool asks_for_place(struct judging *j, const struct condition *simple, char *why);
bool asks_for_found(struct judging *j, const struct condition *simple, char *why);
bool asks_for_index(struct judging *j, const struct condition *simple, char *why);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions that several threads hold (std::exception_ptr, futures): the C++ library counts who does, by atomic
 * updates in code that has no hooks, and whoever lets go last destroys the exception and frees its memory. The same of
 * the text that copies of a std::runtime_error or std::logic_error share. Each change of such a count is a step.
 *
 * All of the library's own functions come to these through its table of calls, so that what it does itself is seen too.
 */
#include "worlds/threads/libc/announce.h"
#include <unwind.h>

/* The places of the library's binary interface, from the exception's object back. */
#define COUNT_BEFORE_OBJECT 128
#define DEPENDENT_BEFORE_OBJECT 112 /* in a rethrown one: where the pointer to the exception itself is */
#define OF_CXX UINT64_C(0x474e5543432b2b00)
#define OF_CXX_DEPENDENT (OF_CXX | 1)

static void changes_holders(const void *object, uintptr_t pc)
{
  if (object)
    updates_atomically((const char *)object - COUNT_BEFORE_OBJECT, sizeof(int32_t), pc);
}

/* An exception_ptr is a pointer to the object. */
#define HOLDS(name)                                                                                                    \
  void name(void *const *pointer);                                                                                     \
  EXPORT void name(void *const *pointer)                                                                               \
  {                                                                                                                    \
    changes_holders(*pointer, CALLER());                                                                               \
    REAL(name)(pointer);                                                                                               \
  }

HOLDS(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv)
HOLDS(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)
HOLDS(_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE)

/* The last handler of an exception ends, or of one that was rethrown from a pointer. */
EXPORT void _Unwind_DeleteException(struct _Unwind_Exception *exception)
{
  const char *object = (const char *)(exception + 1);
  if (exception->exception_class == OF_CXX)
    changes_holders(object, CALLER());
  else if (exception->exception_class == OF_CXX_DEPENDENT)
    changes_holders(*(void *const *)(object - DEPENDENT_BEFORE_OBJECT), CALLER());
  REAL(_Unwind_DeleteException)(exception);
}

/* ---- texts ---- */

struct error {
  const void *functions;
  const char *text;
};

/* What is before the text; an empty one is nobody's. */
struct text_head {
  size_t length, room;
  int32_t count;
};

static void changes_text_holders(const struct error *error, uintptr_t pc)
{
  const struct text_head *head = (const struct text_head *)error->text - 1;
  if (head->length)
    updates_atomically(&head->count, sizeof head->count, pc);
}

#define COPIES(name)                                                                                                   \
  void name(struct error *error, const struct error *other);                                                           \
  EXPORT void name(struct error *error, const struct error *other)                                                     \
  {                                                                                                                    \
    changes_text_holders(other, CALLER());                                                                             \
    REAL(name)(error, other);                                                                                          \
  }

#define DESTROYS(name)                                                                                                 \
  void name(struct error *error);                                                                                      \
  EXPORT void name(struct error *error)                                                                                \
  {                                                                                                                    \
    changes_text_holders(error, CALLER());                                                                             \
    REAL(name)(error);                                                                                                 \
  }

#define ASSIGNS(name)                                                                                                  \
  void *name(struct error *error, const struct error *other);                                                          \
  EXPORT void *name(struct error *error, const struct error *other)                                                    \
  {                                                                                                                    \
    changes_text_holders(other, CALLER());                                                                             \
    changes_text_holders(error, CALLER());                                                                             \
    return REAL(name)(error, other);                                                                                   \
  }

COPIES(_ZNSt11logic_errorC1ERKS_)
COPIES(_ZNSt11logic_errorC2ERKS_)
ASSIGNS(_ZNSt11logic_erroraSERKS_)
DESTROYS(_ZNSt11logic_errorD1Ev)
DESTROYS(_ZNSt11logic_errorD2Ev)
COPIES(_ZNSt13runtime_errorC1ERKS_)
COPIES(_ZNSt13runtime_errorC2ERKS_)
ASSIGNS(_ZNSt13runtime_erroraSERKS_)
DESTROYS(_ZNSt13runtime_errorD1Ev)
DESTROYS(_ZNSt13runtime_errorD2Ev)

/* An error is made from a text, or from a string of the program's. */
struct string {
  const char *text;
  size_t length;
};

static void reads_cause(const char *text, size_t length, uintptr_t pc)
{
  if (in_program(pc))
    reads(text, length, pc);
}

#define MADE_OF_TEXT(name)                                                                                             \
  void name(struct error *error, const char *text);                                                                    \
  EXPORT void name(struct error *error, const char *text)                                                              \
  {                                                                                                                    \
    if (hd_self && text)                                                                                               \
      reads_cause(text, REAL(strlen)(text) + 1, place_in_program(CALLER()));                                           \
    REAL(name)(error, text);                                                                                           \
  }

#define MADE_OF_STRING(name)                                                                                           \
  void name(struct error *error, const struct string *string);                                                         \
  EXPORT void name(struct error *error, const struct string *string)                                                   \
  {                                                                                                                    \
    if (hd_self) {                                                                                                     \
      uintptr_t pc = place_in_program(CALLER());                                                                       \
      reads_cause((const char *)string, sizeof *string, pc);                                                           \
      reads_cause(string->text, string->length, pc);                                                                   \
    }                                                                                                                  \
    REAL(name)(error, string);                                                                                         \
  }

MADE_OF_TEXT(_ZNSt11logic_errorC1EPKc)
MADE_OF_TEXT(_ZNSt11logic_errorC2EPKc)
MADE_OF_TEXT(_ZNSt13runtime_errorC1EPKc)
MADE_OF_TEXT(_ZNSt13runtime_errorC2EPKc)
MADE_OF_STRING(_ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
MADE_OF_STRING(_ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
MADE_OF_STRING(_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
MADE_OF_STRING(_ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of characters in the C++ library, which has no hooks: what goes into a stream or comes out of one changes its
 * buffer, where a look at it (str()) is seen. Two threads that use one without a lock are a data race; but for the
 * standard streams, which are safe together. Who reads from the standard input first matters all the same.
 *
 * Only what takes a stream and words is here: no functions of wide characters, none of long double.
 */
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"

/* The places of the library's binary interface: in the table of a stream's functions, where its basic_ios lies; in
 * that, how it writes numbers, and where the buffer is; in that, the six pointers into what it holds. */
#define IOS_OFFSET (-3)
#define PLAN_IN_IOS 8 /* how it writes numbers: precision, width, flags */
#define PLAN_SIZE 20
#define STATE_IN_IOS 28 /* whether it failed, and what it then throws */
#define STATE_SIZE 8
#define TIE_IN_IOS 216
#define TIE_SIZE 10 /* what is flushed before, and what fills the width */
#define BUFFER_IN_IOS 232
#define POINTERS_IN_BUFFER 8
#define POINTERS_SIZE 48

static uint64_t standard_input; /* only its address is of interest */

/* Where they are in a program that has them: in the library, or copied to the program. */
#define STANDARD(name) extern char name[] __attribute__((weak, visibility("default")))
STANDARD(_ZSt3cin);
STANDARD(_ZSt4cout);
STANDARD(_ZSt4cerr);
STANDARD(_ZSt4clog);

static const char *ios_of(const void *stream)
{
  const long *functions = *(const long *const *)stream;
  return (const char *)stream + functions[IOS_OFFSET];
}

/* What a change does depends on what is there, and on flags, which the pointers do not say. */
static void use_buffer(const char *buffer, enum op_kind kind, uintptr_t pc)
{
  if (!hd_self || !buffer || !in_program(pc))
    return;
  const char *pointers = buffer + POINTERS_IN_BUFFER;
  if (kind == OP_WRITE && rt.engine->threads > 1)
    hidden_state_stands_at(pointers);
  memory_range(pointers, POINTERS_SIZE, kind, pc);
}

static bool is_standard_output(const void *stream)
{
  return stream == _ZSt4cout || stream == _ZSt4cerr || stream == _ZSt4clog;
}

static void use_stream(const void *stream, enum op_kind kind, uintptr_t pc)
{
  if (likely(!hd_self) || !in_program(pc) || is_standard_output(stream))
    return;
  if (stream == _ZSt3cin) {
    memory_access(&standard_input, sizeof standard_input, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
    return;
  }
  const char *ios = ios_of(stream);
  if (kind == OP_WRITE)
    memory_range(ios + PLAN_IN_IOS, PLAN_SIZE, OP_READ, pc);
  memory_range(ios + BUFFER_IN_IOS, sizeof(void *), OP_READ, pc);
  memory_range(ios + STATE_IN_IOS, STATE_SIZE, kind, pc);
  use_buffer(*(const char *const *)(ios + BUFFER_IN_IOS), kind, pc);
}

/* A part of what every stream has, by the stream or by that part itself. */
static void use_ios(const char *ios, size_t place, size_t size, enum op_kind kind, uintptr_t pc)
{
  if (likely(!hd_self) || !in_program(pc))
    return;
  if (_ZSt3cin && ios == ios_of(_ZSt3cin))
    memory_access(&standard_input, sizeof standard_input, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
  else if (!(_ZSt4cout && (ios == ios_of(_ZSt4cout) || ios == ios_of(_ZSt4cerr) || ios == ios_of(_ZSt4clog))))
    memory_range(ios + place, size, kind, pc);
}

/* A call that comes back to us: the library's functions jump to each other, and what they call is not to look like the
 * program's call once more. */
#define RETURN(call)                                                                                                   \
  __typeof__(call) result = call;                                                                                      \
  __asm__ volatile("" : "+r"(result));                                                                                 \
  return result

/* Arguments are words, of which there may be fewer. */
#define CHANGES(name)                                                                                                  \
  long name(void *stream, long a, long b, long c);                                                                     \
  EXPORT long name(void *stream, long a, long b, long c)                                                               \
  {                                                                                                                    \
    use_stream(stream, OP_WRITE, CALLER());                                                                            \
    RETURN(REAL(name)(stream, a, b, c));                                                                               \
  }

#define CHANGES_BY_DOUBLE(name)                                                                                        \
  long name(void *stream, double number);                                                                              \
  EXPORT long name(void *stream, double number)                                                                        \
  {                                                                                                                    \
    use_stream(stream, OP_WRITE, CALLER());                                                                            \
    RETURN(REAL(name)(stream, number));                                                                                \
  }

#define CHANGES_BY_FLOAT(name)                                                                                         \
  long name(void *stream, float number);                                                                               \
  EXPORT long name(void *stream, float number)                                                                         \
  {                                                                                                                    \
    use_stream(stream, OP_WRITE, CALLER());                                                                            \
    RETURN(REAL(name)(stream, number));                                                                                \
  }

/* Of a stream's part that is called basic_ios. */
#define OF_IOS(name, place, size, kind)                                                                                \
  long name(char *ios, long a);                                                                                        \
  EXPORT long name(char *ios, long a)                                                                                  \
  {                                                                                                                    \
    use_ios(ios, place, size, kind, CALLER());                                                                         \
    RETURN(REAL(name)(ios, a));                                                                                        \
  }

/* Of a stream. */
#define OF_PLAN(name, place, size)                                                                                     \
  long name(char *stream, long a);                                                                                     \
  EXPORT long name(char *stream, long a)                                                                               \
  {                                                                                                                    \
    if (hd_self)                                                                                                       \
      use_ios(ios_of(stream), place, size, OP_WRITE, CALLER());                                                        \
    RETURN(REAL(name)(stream, a));                                                                                     \
  }

/* A string: the place for it comes first. */
#define GIVES_STRING(name, kind)                                                                                       \
  void *name(void *string, const void *stream);                                                                        \
  EXPORT void *name(void *string, const void *stream)                                                                  \
  {                                                                                                                    \
    use_stream(stream, kind, CALLER());                                                                                \
    RETURN(REAL(name)(string, stream));                                                                                \
  }

/* ---- output ---- */

CHANGES(_ZNSolsEb)
CHANGES(_ZNSolsEs)
CHANGES(_ZNSolsEt)
CHANGES(_ZNSolsEi)
CHANGES(_ZNSolsEj)
CHANGES(_ZNSolsEl)
CHANGES(_ZNSolsEm)
CHANGES(_ZNSolsEx)
CHANGES(_ZNSolsEy)
CHANGES(_ZNSolsEPKv)
CHANGES_BY_DOUBLE(_ZNSolsEd)
CHANGES_BY_FLOAT(_ZNSolsEf)
CHANGES(_ZNSolsEDn)
CHANGES(_ZNSo9_M_insertIbEERSoT_)
CHANGES(_ZNSo9_M_insertIlEERSoT_)
CHANGES(_ZNSo9_M_insertImEERSoT_)
CHANGES(_ZNSo9_M_insertIxEERSoT_)
CHANGES(_ZNSo9_M_insertIyEERSoT_)
CHANGES(_ZNSo9_M_insertIPKvEERSoT_)
CHANGES_BY_DOUBLE(_ZNSo9_M_insertIdEERSoT_)
CHANGES(_ZNSo3putEc)
CHANGES(_ZNSo5writeEPKcl)
CHANGES(_ZNSo5flushEv)
CHANGES(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l)
CHANGES(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc)
CHANGES(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c)
CHANGES(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE)
CHANGES(_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
CHANGES(_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
CHANGES(_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)

/* ---- what a stream is like ---- */

OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE10exceptionsEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEEntEv, STATE_IN_IOS, STATE_SIZE, OP_READ)
OF_IOS(_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate, STATE_IN_IOS, STATE_SIZE, OP_WRITE)
OF_IOS(_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate, STATE_IN_IOS, STATE_SIZE, OP_WRITE)
OF_IOS(_ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate, STATE_IN_IOS, STATE_SIZE, OP_WRITE)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv, BUFFER_IN_IOS, sizeof(void *), OP_READ)
OF_IOS(_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E, BUFFER_IN_IOS, sizeof(void *), OP_WRITE)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE3tieEv, TIE_IN_IOS, TIE_SIZE, OP_READ)
OF_IOS(_ZNSt9basic_iosIcSt11char_traitsIcEE3tieEPSo, TIE_IN_IOS, TIE_SIZE, OP_WRITE)
OF_IOS(_ZNKSt9basic_iosIcSt11char_traitsIcEE4fillEv, TIE_IN_IOS, TIE_SIZE, OP_READ)
OF_IOS(_ZNSt9basic_iosIcSt11char_traitsIcEE4fillEc, TIE_IN_IOS, TIE_SIZE, OP_WRITE)
OF_PLAN(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw, PLAN_IN_IOS, PLAN_SIZE)
OF_PLAN(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_Setbase, PLAN_IN_IOS, PLAN_SIZE)
OF_PLAN(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St12_Setiosflags, PLAN_IN_IOS, PLAN_SIZE)
OF_PLAN(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, PLAN_IN_IOS, PLAN_SIZE)
OF_PLAN(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St14_Resetiosflags, PLAN_IN_IOS, PLAN_SIZE)
OF_PLAN(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, TIE_IN_IOS, TIE_SIZE)

/* ---- input ---- */

CHANGES(_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_)

CHANGES(_ZNSirsERb)
CHANGES(_ZNSirsERs)
CHANGES(_ZNSirsERt)
CHANGES(_ZNSirsERi)
CHANGES(_ZNSirsERj)
CHANGES(_ZNSirsERl)
CHANGES(_ZNSirsERm)
CHANGES(_ZNSirsERx)
CHANGES(_ZNSirsERy)
CHANGES(_ZNSirsERf)
CHANGES(_ZNSirsERd)
CHANGES(_ZNSi10_M_extractIbEERSiRT_)
CHANGES(_ZNSi10_M_extractIjEERSiRT_)
CHANGES(_ZNSi10_M_extractIlEERSiRT_)
CHANGES(_ZNSi10_M_extractImEERSiRT_)
CHANGES(_ZNSi10_M_extractItEERSiRT_)
CHANGES(_ZNSi10_M_extractIxEERSiRT_)
CHANGES(_ZNSi10_M_extractIyEERSiRT_)
CHANGES(_ZNSi10_M_extractIfEERSiRT_)
CHANGES(_ZNSi10_M_extractIdEERSiRT_)
CHANGES(_ZNSi3getEv)
CHANGES(_ZNSi3getERc)
CHANGES(_ZNSi4peekEv)
CHANGES(_ZNSi4readEPcl)
CHANGES(_ZNSi6ignoreEli)
CHANGES(_ZNSi7getlineEPclc)
CHANGES(_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_)
CHANGES(_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE)
CHANGES(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE)
CHANGES(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_)

/* ---- streams in memory ---- */

GIVES_STRING(_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
GIVES_STRING(_ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
GIVES_STRING(_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
GIVES_STRING(_ZNKRSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
GIVES_STRING(_ZNKRSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
GIVES_STRING(_ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
GIVES_STRING(_ZNOSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_WRITE)
GIVES_STRING(_ZNOSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_WRITE)
GIVES_STRING(_ZNOSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv, OP_WRITE)
CHANGES(_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
CHANGES(_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
CHANGES(_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
CHANGES(_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE)
CHANGES(_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE)
CHANGES(_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE)

/* Made from a text: what it is given is read. */
#define MADE_OF_STRING(name, kind)                                                                                     \
  void name(void *stream, const char *const *string, long a, long b);                                                  \
  EXPORT void name(void *stream, const char *const *string, long a, long b)                                            \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    if (hd_self && in_program(pc)) {                                                                                   \
      memory_range(string, 2 * sizeof *string, kind, pc);                                                              \
      memory_range(string[0], (size_t)string[1], OP_READ, pc);                                                         \
    }                                                                                                                  \
    REAL(name)(stream, string, a, b);                                                                                  \
  }

MADE_OF_STRING(
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode,
    OP_READ)
MADE_OF_STRING(
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode,
    OP_WRITE)
MADE_OF_STRING(
    _ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode,
    OP_READ)
MADE_OF_STRING(
    _ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode,
    OP_WRITE)
MADE_OF_STRING(
    _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode,
    OP_READ)
MADE_OF_STRING(
    _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode,
    OP_WRITE)

/* Of the buffer itself, where the compiler has put the stream's own functions in line. */
#define BUFFER_STR _ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv
#define BUFFER_SET_STR _ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE
#define LIBRARY(name) REAL(name) /* which makes a text of the name */

void *BUFFER_STR(void *string, const char *buffer);
EXPORT void *BUFFER_STR(void *string, const char *buffer)
{
  use_buffer(buffer, OP_READ, CALLER());
  return LIBRARY(BUFFER_STR)(string, buffer);
}

void BUFFER_SET_STR(char *buffer, const void *string);
EXPORT void BUFFER_SET_STR(char *buffer, const void *string)
{
  use_buffer(buffer, OP_WRITE, CALLER());
  LIBRARY(BUFFER_SET_STR)(buffer, string);
}

/* What C++20 has besides. */
#define BUFFER_GIVES(name, kind)                                                                                       \
  void *name(void *string, const char *buffer);                                                                        \
  EXPORT void *name(void *string, const char *buffer)                                                                  \
  {                                                                                                                    \
    use_buffer(buffer, kind, CALLER());                                                                                \
    RETURN(REAL(name)(string, buffer));                                                                                \
  }

#define BUFFER_CHANGES(name)                                                                                           \
  long name(char *buffer, long a, long b, long c);                                                                     \
  EXPORT long name(char *buffer, long a, long b, long c)                                                               \
  {                                                                                                                    \
    use_buffer(buffer, OP_WRITE, CALLER());                                                                            \
    RETURN(REAL(name)(buffer, a, b, c));                                                                               \
  }

BUFFER_GIVES(_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv, OP_READ)
BUFFER_GIVES(_ZNOSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv, OP_WRITE)
BUFFER_CHANGES(_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE)
BUFFER_CHANGES(_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE7_M_syncEPcmm)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions of the C++ library a program may call besides those that the runtime defines: those that come to us
 * through functions of libc, that make or throw or destroy something which is no other thread's yet or any more, or
 * that only look at what nobody changes. All others are named, and are a loss as soon as there is a second thread, as
 * those of libc are (library_calls.c). What the library's headers define is compiled into the program, and of no
 * concern.
 */
#include "worlds/threads/libc/cxx_calls.h"

/* Patterns of mangled names: a star is any text. */
static const char *const harmless[] = {
    "__*",
    /* memory */
    "_Zn[wa]m*",
    "_Zd[la]P*",
    "_ZNSa*",
    "_ZNKSa*",
    /* exceptions; what is thrown has what it was given in a text of its own */
    "_ZSt*__throw_*",
    "_ZSt9terminatev",
    "_ZSt10unexpectedv",
    "_ZSt17current_exceptionv",
    "_ZSt18uncaught_exceptionv",
    "_ZSt19uncaught_exceptionsv",
    "_ZSt21__glibcxx_assert_fail*",
    "_ZN*St15__exception_ptr*",
    "_ZN*St16nested_exception*",
    "_ZN*St9exception[CD]*",
    "_ZN*St13bad_exception[CD]*",
    "_ZN*St9bad_alloc[CD]*",
    "_ZN*St20bad_array_new_length[CD]*",
    "_ZN*St8bad_cast[CD]*",
    "_ZN*St10bad_typeid[CD]*",
    "_ZN*St12bad_weak_ptr[CD]*",
    "_ZN*St17bad_function_call[CD]*",
    "_ZN*St11logic_error[CD]*",
    "_ZN*St12domain_error[CD]*",
    "_ZN*St12length_error[CD]*",
    "_ZN*St12out_of_range[CD]*",
    "_ZN*St16invalid_argument[CD]*",
    "_ZN*St12future_error[CD]*",
    "_ZN*St13runtime_error[CD]*",
    "_ZN*St11range_error[CD]*",
    "_ZN*St14overflow_error[CD]*",
    "_ZN*St15underflow_error[CD]*",
    "_ZN*St12system_error[CD]*",
    "_ZNKSt*4whatEv",
    /* errors and types */
    "_ZSt15future_categoryv",
    "_ZN*St3_V2*categor*",
    "_ZNKSt10error_code*",
    "_ZNKSt15error_condition*",
    "_ZN*St9type_info*",
    "_ZN*10__cxxabiv1*",
    "_ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info",
    /* threads: all of it by functions of libc and system calls */
    "_ZNSt6thread*",
    "_ZNSt11this_thread*",
    "_ZNSt18condition_variable*",
    "_ZSt25notify_all_at_thread_exit*",
    "_ZNSt13__future_base*",
    "_ZNSt28__atomic_futex_unsigned_base*",
    "_ZSt11__once_call",
    "_ZSt16__get_once_mutexv",
    "_ZSt27__set_once_functor_lock_ptr*",
    "_ZNSt10_Sp_locker*",
    "_ZNSt6chrono3_V212*_clock3nowEv",
    "_ZNSt13random_device*",
    /* streams of char begin and end, and call what they are given */
    "_ZNSt8ios_base4Init*",
    "_ZNSt8ios_base[CD]*",
    "_ZNSt9basic_iosIc*E4initE*",
    "_ZNSt9basic_iosIc*E[CD]*",
    "_ZNSt15basic_streambufIc*E[CD]*",
    "_ZNSo[CD]*",
    "_ZNSi[CD]*",
    "_ZNSd[CD]*",
    "_ZNSt7__cxx11*basic_*streamIc*EC[12]Ev",
    "_ZNSt7__cxx11*basic_*streamIc*EC[12]ESt13_Ios_Openmode",
    "_ZNSt7__cxx11*basic_*streamIc*ED[012]Ev",
    "_ZNSt7__cxx11*basic_stringbufIc*E[CD][012]Ev",
    "_ZNKSt7__cxx11*basic_*stringstreamIc*E5rdbufEv",
    "_ZNSolsEPF*",
    "_ZNSirsEPF*",
    "_ZNKSt9basic_iosIc*E5widenEc",
    "_ZNKSt5ctypeIcE13_M_widen_initEv",
    /* what never changes, and what a path lets go of that is its own */
    "_ZNSt6locale7classicEv",
    "_ZNSt3pmr19new_delete_resourceEv",
    "_ZNSt3pmr20null_memory_resourceEv",
    "_ZNSt3pmr15memory_resource[CD]*",
    "_ZNSt10filesystem7__cxx114path5_ListC1Ev",
    "_ZNKSt10filesystem7__cxx114path5_List13_Impl_deleterclE*",
};

/* Whether a set of characters in brackets has this one; *after becomes what follows it. */
static bool in_set(const char *set, char c, const char **after)
{
  bool found = false;
  for (set++; *set != ']'; set++)
    found |= *set == c;
  *after = set + 1;
  return found;
}

static bool matches(const char *pattern, const char *name)
{
  for (; *pattern; name++) {
    if (*pattern == '*') {
      while (*name && !matches(pattern + 1, name))
        name++;
      return *name || !pattern[1];
    }
    const char *after = pattern + 1;
    if (!*name || !(*pattern == '[' ? in_set(pattern, *name, &after) : *pattern == *name))
      return false;
    pattern = after;
  }
  return !*name;
}

bool cxx_call_is_harmless(const char *name)
{
  for (unsigned i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (matches(harmless[i], name))
      return true;
  return false;
}

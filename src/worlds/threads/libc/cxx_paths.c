/* SPDX-License-Identifier: Apache-2.0
 *
 * std::filesystem::path: what the C++ library does with a path in code that has no hooks reads or writes the object, so
 * that two threads that use one without a lock are a data race. What it is made of in the headers, a string and the
 * list of its parts, is compiled into the program.
 */
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/hidden_state.h"

#define PATH_SIZE 40
#define LIST_SIZE 8 /* the parts, behind the text */

static void reads_path(const void *path, size_t size, uintptr_t pc)
{
  reads_for(hd_self ? path : NULL, size, pc);
}

/* What is there may look the same afterwards. */
static void writes_path(const void *path, size_t size, uintptr_t pc)
{
  if (!hd_self || !in_program(pc))
    return;
  if (rt.engine->threads > 1)
    for (size_t at = 0; at < size; at += 16)
      hidden_state_stands_at((const char *)path + at);
  updates(path, size, pc);
}

/* Arguments are words, of which there may be fewer; a result that is an object has its place before them. */
#define DEFINE(name, ...)                                                                                              \
  long name(void *a, void *b, void *c, long d);                                                                        \
  EXPORT long name(void *a, void *b, void *c, long d)                                                                  \
  {                                                                                                                    \
    __VA_ARGS__;                                                                                                       \
    long result = REAL(name)(a, b, c, d);                                                                              \
    __asm__ volatile("" : "+r"(result)); /* a call that comes back to us: the library's functions jump to others */    \
    return result;                                                                                                     \
  }

#define LOOKS(name) DEFINE(name, reads_path(a, PATH_SIZE, CALLER()))
#define GIVES(name) DEFINE(name, reads_path(b, PATH_SIZE, CALLER()))
#define GIVES_OF_TWO(name) DEFINE(name, reads_path(b, PATH_SIZE, CALLER()); reads_path(c, PATH_SIZE, CALLER()))
#define CHANGES(name) DEFINE(name, writes_path(a, PATH_SIZE, CALLER()))
#define CHANGES_BY_PATH(name) DEFINE(name, reads_path(b, PATH_SIZE, CALLER()); writes_path(a, PATH_SIZE, CALLER()))
/* By the text that begins at c and has b bytes. */
#define CHANGES_BY_TEXT(name)                                                                                          \
  DEFINE(name, reads_for(hd_self ? c : NULL, (size_t)b, CALLER()); writes_path(a, PATH_SIZE, CALLER()))

LOOKS(_ZNKSt10filesystem7__cxx114path12has_filenameEv)
LOOKS(_ZNKSt10filesystem7__cxx114path13has_root_nameEv)
LOOKS(_ZNKSt10filesystem7__cxx114path13has_root_pathEv)
LOOKS(_ZNKSt10filesystem7__cxx114path15has_parent_pathEv)
LOOKS(_ZNKSt10filesystem7__cxx114path17has_relative_pathEv)
LOOKS(_ZNKSt10filesystem7__cxx114path18has_root_directoryEv)
DEFINE(_ZNKSt10filesystem7__cxx114path7compareERKS1_, reads_path(a, PATH_SIZE, CALLER());
       reads_path(b, PATH_SIZE, CALLER()))
GIVES(_ZNKSt10filesystem7__cxx114path11parent_pathEv)
GIVES(_ZNKSt10filesystem7__cxx114path13relative_pathEv)
GIVES(_ZNKSt10filesystem7__cxx114path14root_directoryEv)
GIVES(_ZNKSt10filesystem7__cxx114path16lexically_normalEv)
GIVES(_ZNKSt10filesystem7__cxx114path9root_nameEv)
GIVES(_ZNKSt10filesystem7__cxx114path9root_pathEv)
GIVES_OF_TWO(_ZNKSt10filesystem7__cxx114path18lexically_relativeERKS1_)
GIVES_OF_TWO(_ZNKSt10filesystem7__cxx114path19lexically_proximateERKS1_)
CHANGES(_ZNSt10filesystem7__cxx114path14_M_split_cmptsEv)
CHANGES(_ZNSt10filesystem7__cxx114path15remove_filenameEv)
CHANGES_BY_PATH(_ZNSt10filesystem7__cxx114path16replace_filenameERKS1_)
CHANGES_BY_PATH(_ZNSt10filesystem7__cxx114path17replace_extensionERKS1_)
CHANGES_BY_PATH(_ZNSt10filesystem7__cxx114pathaSERKS1_)
CHANGES_BY_PATH(_ZNSt10filesystem7__cxx114pathdVERKS1_)
CHANGES_BY_PATH(_ZNSt10filesystem7__cxx114pathpLERKS1_)
CHANGES_BY_TEXT(_ZNSt10filesystem7__cxx114path9_M_appendESt17basic_string_viewIcSt11char_traitsIcEE)
CHANGES_BY_TEXT(_ZNSt10filesystem7__cxx114path9_M_concatESt17basic_string_viewIcSt11char_traitsIcEE)

/* The list of parts alone. */
DEFINE(_ZNKSt10filesystem7__cxx114path5_List5beginEv, reads_path(a, LIST_SIZE, CALLER()))
DEFINE(_ZNKSt10filesystem7__cxx114path5_List3endEv, reads_path(a, LIST_SIZE, CALLER()))
DEFINE(_ZNSt10filesystem7__cxx114path5_ListC1ERKS2_, reads_path(b, LIST_SIZE, CALLER());
       writes_path(a, LIST_SIZE, CALLER()))

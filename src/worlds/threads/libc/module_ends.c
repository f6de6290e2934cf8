/* SPDX-License-Identifier: Apache-2.0
 *
 * The destructors of modules, which the dynamic linker calls at the end of the program. It sorts all modules for that
 * and marks each, in pages that every execution would have to put back. Where the program is the only module whose
 * destructors anybody can tell from their absence, there is nothing to sort: then they are called here.
 */
#include "worlds/threads/libc/module_ends.h"
#include "core/system_library.h"
#include "worlds/threads/runtime.h"
#include <link.h>

static struct {
  void (*by_linker)(void);
  const struct link_map *last; /* of those that were loaded with the program, and so are never unloaded */
  bool quiet;                  /* all but the program itself */
} modules;

/* A module of ours, or of the C library and its kin. What it does at its end is about its own memory alone. */
static bool is_quiet(const struct link_map *m)
{
  return m->l_ld == _DYNAMIC || ends_quietly(m->l_name);
}

void module_ends_boot(void)
{
  modules.quiet = _r_debug.r_map;
  for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
    modules.last = m;
    modules.quiet = modules.quiet && (m == _r_debug.r_map || is_quiet(m));
  }
}

void module_ends_by(void (*linker)(void))
{
  modules.by_linker = linker;
}

static void run_destructors(const struct link_map *m)
{
  void (**array)(void) = NULL, (*last)(void) = NULL;
  size_t count = 0;
  for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_FINI_ARRAY)
      array = (void (**)(void))(m->l_addr + d->d_un.d_ptr);
    else if (d->d_tag == DT_FINI_ARRAYSZ)
      count = d->d_un.d_val / sizeof *array;
    else if (d->d_tag == DT_FINI)
      last = (void (*)(void))(m->l_addr + d->d_un.d_ptr);
  }
  while (count-- > 0)
    array[count]();
  if (last)
    last();
}

void modules_end(void)
{
  bool alone = hd_self && modules.quiet && !modules.last->l_next && _r_debug.r_version == 1; /* one name space */
  if (alone)
    run_destructors(_r_debug.r_map);
  else
    modules.by_linker();
}

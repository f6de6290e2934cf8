/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries that need no hooks, known by their names; see the header.
 */
#include "core/system_library.h"
#include <stddef.h>

/* libc's own comparisons are hooks in the runtime. */
static bool starts_with(const char *text, const char *start)
{
  while (*start && *text == *start)
    text++, start++;
  return !*start;
}

static const char *base_name(const char *path)
{
  const char *name = path;
  for (const char *p = path; *p; p++)
    if (*p == '/')
      name = p + 1;
  return name;
}

static bool starts_with_any(const char *name, const char *const *starts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (starts_with(name, starts[i]))
      return true;
  return false;
}

bool is_system_library(const char *path)
{
  static const char *const starts[] = {
      "ld-linux",          "linux-vdso", "libc.so",      "libm.so",      "libmvec.so",   "libpthread.so", "libdl.so",
      "librt.so",          "libutil.so", "libresolv.so", "libanl.so",    "libnsl.so",    "libnss_",       "libgcc_s.so",
      "libstdc++.so",      "libc++",     "libcheck.so",  "libcmocka.so", "libcriterion", "libgtest",      "libubsan.so",
      "libclang_rt.ubsan_"};
  const char *name = base_name(path);
  for (const char *at = path; at < name; at++)
    if (starts_with(at, "/gconv/")) /* the C library's converters of character sets */
      return true;
  return starts_with_any(name, starts, sizeof starts / sizeof *starts);
}

bool ends_quietly(const char *path)
{
  static const char *const starts[] = {"ld-linux",      "linux-vdso", "libc.so",  "libm.so",    "libmvec.so",
                                       "libpthread.so", "libdl.so",   "librt.so", "libgcc_s.so"};
  return starts_with_any(base_name(path), starts, sizeof starts / sizeof *starts);
}

bool is_system_object(const char *path)
{
  static const char *const starts[] = {
      "crt1.o",       "Scrt1.o",          "gcrt1.o",     "rcrt1.o",           "crti.o",   "crtn.o",
      "crtbegin",     "crtend",           "crtfastmath", "crtprec",           "libgcc.a", "libgcc_eh.a",
      "libc.a",       "libc_nonshared.a", "libpthread",  "libdl.a",           "librt.a",  "libm.a",
      "libm-",        "libmvec.a",        "libutil.a",   "libresolv.a",       "libanl.a", "libclang_rt.",
      "libstdc++",    "libsupc++.a",      "libc++",      "libatomic.a",       "libcheck", "libcmocka",
      "libcriterion", "libgtest",         "libgmock",    "libssp_nonshared.a"};
  return starts_with_any(base_name(path), starts, sizeof starts / sizeof *starts);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A broken invariant, outside the tested process: one line, and the end.
 */
#include "core/invariant.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FAILED = 3 };

void invariant_broken(const char *what, const char *file, int line)
{
  const char *folder = strstr(file, "src/");
  fflush(NULL);
  dprintf(2, "heddle: a mistake in heddle itself: %s (%s:%d); please report it\n", what, folder ? folder : file, line);
  _exit(FAILED);
}

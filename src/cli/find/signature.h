/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures of schedule files: what makes a file one of this user's own.
 *
 * A schedule file names a program and its arguments, and may come from anybody: by mail, as part of a repository, as a
 * whole heddle-out in an archive. So it does not decide what runs. When heddle writes one, for a program that the
 * person at the terminal named, it signs it: a keyed hash over all that decides what runs and where. The key is made
 * once, from the kernel's randomness, and lies in a private folder of the user (below), so nobody else can sign a
 * command, and nothing that is unpacked can bring a key along.
 *
 * The signature covers the folder, the program's absolute path, its name (argv[0]), its arguments, the test, and what
 * it reads: a file that was sent away and comes back in a folder of somebody else's runs nothing there. It does not
 * cover the schedule, which may be edited, nor the program's contents: it may be rebuilt.
 *
 * The key: $XDG_STATE_HOME/heddle/key, else ~/.local/state/heddle/key, else (no home that can be written to)
 * $XDG_RUNTIME_DIR/heddle/key or /tmp/heddle-UID/key. It counts only if the file and its folder belong to this user and
 * others can neither read the one nor write to the other.
 */
#ifndef HEDDLE_CLI_SIGNATURE_H
#define HEDDLE_CLI_SIGNATURE_H

#include "schedule/schedule_file.h"
#include <stdbool.h>
#include <stddef.h>

/* All that decides what a schedule file makes heddle run. */
struct signed_command {
  const char *folder;               /* absolute, resolved */
  const char *program;              /* absolute, its folder resolved */
  const struct schedule_file *file; /* argv[0], arguments, test */
  const void *input;                /* what it reads */
  size_t input_bytes;
};

/* Where this user's heddle keeps what nobody else may write: that of the key. malloc'ed; NULL: there is no such place.
 */
char *private_folder(void);

/* False: there is no place for a key. */
bool signature_make(const struct signed_command *command, char signature[SCHEDULE_SIGNATURE_SIZE]);

bool signature_fits(const struct signed_command *command, const char signature[SCHEDULE_SIGNATURE_SIZE]);

#endif

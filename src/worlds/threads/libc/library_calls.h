/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the C and the C++ library whose accesses to memory nobody sees.
 */
#ifndef HEDDLE_RUNTIME_LIBRARY_CALLS_H
#define HEDDLE_RUNTIME_LIBRARY_CALLS_H

#include <link.h>
#include <stdint.h>

struct code {
  uintptr_t start, end;
};

struct libraries {
  struct code c, cxx;
};

/* Adds those that the module calls to the list in the control block. */
void note_unseen_calls(const struct dl_phdr_info *module, const struct libraries *libraries);

/* There is a second thread, which may meet such a call. */
void note_unseen_calls_loss(void);

#endif

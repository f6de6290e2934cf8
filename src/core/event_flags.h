/* SPDX-License-Identifier: Apache-2.0
 *
 * What is special about an event of a recorded run: what the recorder and the analyses agree on.
 */
#ifndef HEDDLE_CORE_EVENT_FLAGS_H
#define HEDDLE_CORE_EVENT_FLAGS_H

enum {
  EVENT_FAILED = 1,  /* an attempt that did not succeed: trylock of a held lock, a wait that timed out */
  EVENT_NESTED = 2,  /* of a lock that the thread holds already, or still: no analysis of locks sees these */
  EVENT_PENDING = 4, /* at the end of the run the thread stood before this operation and could not perform it */
  EVENT_HIDDEN = 8,  /* the lock that a condition wait takes again */
  EVENT_TIMED = 16,  /* the operation has a timeout: it cannot block for ever */
  EVENT_VALUE = 32,  /* its value is known */
  EVENT_LATE = 64    /* on its way to the file only: it came before others that were told already */
};

#endif

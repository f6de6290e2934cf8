/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread of our own that watches a test with a pinned bug: an interleaving that has become impossible lets go of
 * whoever is held, a deadlock fails, and so does a test that does not end.
 */
#ifndef HEDDLE_ENFORCE_ORDER_WATCH_H
#define HEDDLE_ENFORCE_ORDER_WATCH_H

/* Before main. seconds: the test may take. */
void order_watch_pin(unsigned seconds);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of a server that are read all the time and changed rarely: readers take no lock.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

struct settings {
  int workers; /* threads */
  int backlog; /* requests that may wait */
};

/* One writer at a time. */
void settings_change(struct settings to);

/* Never a mixture of two changes. */
struct settings settings_read(void);

#endif

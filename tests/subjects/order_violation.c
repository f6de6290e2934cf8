/* SPDX-License-Identifier: Apache-2.0
 *
 * Main starts the driver thread, and then opens the device. Most of the time the new thread takes longer to start
 * than main to get there. If it does not, it drives a device that is still NULL.
 *
 * verdict: crash
 * threads: 2
 */
#include <pthread.h>
#include <stdatomic.h>

struct device {
  atomic_int speed;
};

static struct device motor;
static _Atomic(struct device *) device;

static void *driver(void *arg)
{
  struct device *mine = device;

  mine->speed = 5;
  return arg;
}

int main(void)
{
  pthread_t thread;

#ifdef FIXED
  device = &motor;
#endif
  pthread_create(&thread, NULL, driver, NULL);
#ifndef FIXED
  device = &motor; /* too late, perhaps */
#endif
  pthread_join(thread, NULL);
  return 0;
}

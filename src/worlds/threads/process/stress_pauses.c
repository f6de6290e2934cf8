/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses, see the header. There is no state to share between threads and so nothing that orders them: chance comes from
 * the processor's clock. Makes system calls only and leaves errno alone.
 */
#include "worlds/threads/process/stress_pauses.h"
#include "core/rng.h"
#include "worlds/threads/runtime.h"
#include <sys/syscall.h>
#include <x86intrin.h>

#define SLEEP_ONE_IN 8      /* a yield does nothing while cores are idle; a sleep always lets others go on */
#define SLEEP_LONGEST 50000 /* nanoseconds; the kernel adds about as much */

uint32_t hd_stress;

void stress_boot(const char *percent)
{
  uint32_t n = 0;
  for (; *percent >= '0' && *percent <= '9' && n <= 100; percent++)
    n = n * 10 + (uint32_t)(*percent - '0');
  hd_stress = n < 100 ? n : 100;
}

void stress_pause(void)
{
  uint64_t stream = __rdtsc() ^ (uintptr_t)&stream;
  if (rng_below(&stream, 100) >= hd_stress)
    return;
  if (rng_below(&stream, SLEEP_ONE_IN)) {
    sys(SYS_sched_yield);
    return;
  }
  struct timespec time = {.tv_nsec = rng_below(&stream, SLEEP_LONGEST)};
  sys(SYS_nanosleep, &time, NULL);
}

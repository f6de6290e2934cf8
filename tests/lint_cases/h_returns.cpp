/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks of C++ that are kept.
 */
#include <shared_mutex>

static std::shared_mutex mutex;
static int total;

int reads(int more)
{
  mutex.lock_shared();
  if (more < 0)
    return -1; /* ! lock-kept */
  const int now = total;
  mutex.unlock_shared();
  return now;
}

int reads_well(int more)
{
  mutex.lock_shared();
  if (more < 0) {
    mutex.unlock_shared();
    return -1; /* right lock-kept */
  }
  const int now = total;
  mutex.unlock_shared();
  return now;
}

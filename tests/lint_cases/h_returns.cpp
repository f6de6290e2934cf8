/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks of C++ that are kept.
 */
#include <mutex>
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

static std::mutex plain;

void throws(int more)
{
  plain.lock();
  if (more < 0)
    throw more; /* ! lock-kept */
  total += more;
  plain.unlock();
}

void catches(int more)
{
  plain.lock();
  try {
    if (more < 0)
      throw more; /* right lock-kept */
    total += more;
  } catch (int) {
    total = 0;
  }
  plain.unlock();
}

void throws_with_a_guard(int more)
{
  std::lock_guard<std::mutex> guard(plain);
  if (more < 0)
    throw more; /* right lock-kept */
  total += more;
}

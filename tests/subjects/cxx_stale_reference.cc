/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader finds the first element of a vector under the lock, and reads it after the lock is released. Meanwhile the
 * writer, under the lock too, appends; the vector moves to larger memory, and the reader's reference points to what
 * it has left behind. The twin takes a copy.
 *
 * verdict: memory
 * also: race
 * threads: 2
 */
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> scores;

#ifdef FIXED
using score = int;
#else
using score = int &;
#endif

static score first()
{
  std::lock_guard<std::mutex> guard(lock);
  return scores.front();
}

int main()
{
  scores.push_back(7);
  std::thread reader([] { assert(first() == 7); });

  {
    std::lock_guard<std::mutex> guard(lock);
    scores.push_back(8); /* capacity was 1 */
  }
  reader.join();
  return 0;
}

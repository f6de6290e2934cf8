/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 4 and the size of a collection in C++.
 */
#include <deque>
#include <thread>
#include <vector>

static void work()
{
}

void start_jobs(std::deque<int> &jobs)
{
  while (!jobs.empty()) { /* = bounded 4 */
    jobs.pop_front();
    std::thread(work).detach();
  }
}

void start_and_add(std::deque<int> &jobs)
{
  while (!jobs.empty()) { /* = possible, also adds to 'jobs' */
    jobs.pop_front();
    std::thread(work).detach();
    jobs.push_back(1);
  }
}

void fill_pool(std::vector<int> &ids, size_t most)
{
  while (ids.size() < most) { /* = bounded 5 */
    std::thread(work).detach();
    ids.push_back(1);
  }
}

void fill_and_empty(std::vector<int> &ids, size_t most)
{
  while (ids.size() < most) { /* = possible, both filled and emptied */
    std::thread(work).detach();
    ids.push_back(1);
    ids.pop_back();
  }
}

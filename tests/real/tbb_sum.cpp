// SPDX-License-Identifier: Apache-2.0
//
// Intel TBB: parallel_reduce and a concurrent queue. Its workers spin, yield and sleep on futexes.
#include <iostream>
#include <tbb/blocked_range.h>
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

int main()
{
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  int sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 8, 2), 0,
      [](const tbb::blocked_range<int> &r, int start) {
        for (int i = r.begin(); i != r.end(); i++)
          start += i;
        return start;
      },
      [](int a, int b) { return a + b; });
  tbb::concurrent_queue<int> queue;
  tbb::parallel_for(0, 4, [&](int i) { queue.push(i); });
  int popped = 0, item;
  while (queue.try_pop(item))
    popped += item;
  std::cout << "sum " << sum << " popped " << popped << std::endl;
  return sum == 28 && popped == 6 ? 0 : 1;
}

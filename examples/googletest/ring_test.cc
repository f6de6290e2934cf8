// SPDX-License-Identifier: Apache-2.0
//
// Tests of the ring buffer, with GoogleTest.
#include "ring.h"
#include <gtest/gtest.h>
#include <thread>

TEST(Ring, IsEmptyAtFirst)
{
  Ring<int, 2> ring;
  EXPECT_FALSE(ring.pop().has_value());
}

TEST(Ring, HoldsAsMuchAsItSays)
{
  Ring<int, 2> ring;
  EXPECT_TRUE(ring.push(1));
  EXPECT_TRUE(ring.push(2));
  EXPECT_FALSE(ring.push(3));
  EXPECT_EQ(ring.pop(), 1);
}

TEST(Ring, HandsOverWhatWasPushed)
{
  Ring<int, 2> ring;
  std::thread producer([&ring] {
    ring.push(1);
    ring.push(2);
  });
  int next = 1;
  for (int tries = 0; tries < 3; tries++)
    if (const auto value = ring.pop()) {
      EXPECT_EQ(*value, next);
      next++;
    }
  producer.join();
}

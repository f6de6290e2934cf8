// SPDX-License-Identifier: Apache-2.0
//
// A ring buffer for one producer and one consumer, without locks. The bug: the producer announces an element before it
// has written it. With FIXED it is the other way round.
#ifndef RING_H
#define RING_H

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

template <typename T, std::size_t Capacity> class Ring {
public:
  // False when it is full.
  bool push(T value)
  {
    const std::size_t at = written_.load();
    if (at - taken_.load() == Capacity)
      return false;
#ifdef FIXED
    slots_[at % Capacity] = value;
    written_.store(at + 1);
#else
    written_.store(at + 1);
    slots_[at % Capacity] = value;
#endif
    return true;
  }

  // Nothing when it is empty.
  std::optional<T> pop()
  {
    const std::size_t at = taken_.load();
    if (at == written_.load())
      return std::nullopt;
    T value = slots_[at % Capacity];
    taken_.store(at + 1);
    return value;
  }

private:
  std::array<T, Capacity> slots_{};
  std::atomic<std::size_t> written_{0}, taken_{0};
};

#endif

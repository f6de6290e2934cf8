/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands before the C++ library's header of the same name when heddle c++ compiles: std::atomic<std::shared_ptr> guards its
 * pointer by a bit that load(), wait() and an exchange that fails give back relaxed, by fetch_sub(), which to the letter of
 * the standard orders nothing. That is the library's affair, not a race of the program that loads: here the bit orders what
 * it guards.
 */
#pragma GCC system_header
#include <bits/atomic_base.h>
#pragma push_macro("fetch_sub")
#define fetch_sub(number, order) fetch_sub(number, (void(order), memory_order_seq_cst))
#include_next <bits/shared_ptr_atomic.h>
#pragma pop_macro("fetch_sub")

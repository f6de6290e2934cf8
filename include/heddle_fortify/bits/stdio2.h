/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's header of this name, with calls of its own functions; see checked_calls.h.
 */
#pragma GCC system_header
#include "../checked_calls.h"
#include_next <bits/stdio2.h>

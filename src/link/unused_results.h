/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in a function nobody reads the result of a call: what the disassembler says of it.
 */
#ifndef HEDDLE_LINK_UNUSED_RESULTS_H
#define HEDDLE_LINK_UNUSED_RESULTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Return addresses of calls of the functions at these addresses whose result, if it is a number or a pointer, nobody
 * reads, in the disassembly of one function (objdump -d --no-show-raw-insn). At most `most` of them; how many. What is
 * not understood counts as read. */
size_t unused_results(FILE *disassembly, const uint64_t *function, size_t functions, uint64_t *result, size_t most);

#endif

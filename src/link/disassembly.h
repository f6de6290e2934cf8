/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether code without hooks needs any: what the disassembler says of it.
 */
#ifndef HEDDLE_LINK_DISASSEMBLY_H
#define HEDDLE_LINK_DISASSEMBLY_H

#include <stdbool.h>
#include <stdio.h>

/* Whether some instruction of a disassembly (objdump -d --no-show-raw-insn) accesses memory that others could access,
 * too: any but the function's own frame, as long as no address in that is taken. */
bool disassembly_accesses(FILE *text);

#endif

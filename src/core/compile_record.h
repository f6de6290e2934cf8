/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program knows the commands that compiled it: `heddle cc` tells them to its assembler in the environment, which
 * puts each into a section of the object file, and the linker brings those together in the program. A record is words,
 * each with its final 0: the folder, then the command; an empty word ends it. */
#ifndef HEDDLE_CORE_COMPILE_RECORD_H
#define HEDDLE_CORE_COMPILE_RECORD_H

/* The record in the environment, where words end in this instead. */
#define COMPILE_RECORD_ENV "HEDDLE_COMPILE_RECORD"
#define COMPILE_RECORD_END '\001'

#define COMPILE_RECORD_SECTION ".heddle.commands"

#endif

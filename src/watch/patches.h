/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a program that are brought to us, while it is loaded and before it runs: the room for a call that a function
 * begins with (core/sled.h) becomes a call of a stub, and where the program keeps the address of a library's function,
 * that of a stub is put. Stubs lie within reach of a near call of the program, in a mapping of their own, and go on in
 * watch_entry.S with all arguments still in their registers.
 *
 * Used by libheddle.so and by libheddle-enforce.so; each defines the three functions at the end, and how memory is
 * mapped and protected in its process.
 */
#ifndef HEDDLE_WATCH_PATCHES_H
#define HEDDLE_WATCH_PATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patching {
  /* Private memory just there that can be written, unless there is something already: whether there was room. */
  bool (*map)(uintptr_t at, size_t size);
  /* PROT_READ and so on of whole pages. */
  bool (*protect)(uintptr_t at, size_t size, int how);
  /* The function of that name, where tables of functions may still be empty; NULL: they are full. */
  uintptr_t (*resolve)(const char *name);
  uintptr_t base; /* what the addresses of the program have more than its file says */
  char *stubs;
  size_t stub_bytes;
};

/* What the addresses of the program have more than its file says. */
uintptr_t program_base(void);
/* Whether that is the program itself, and not a library. */
bool is_in_program(uintptr_t addr);

/* Room for so many stubs. False: there is none near the program. */
bool patches_begin(struct patching *p, uint32_t stubs);
/* Calls of the function whose room for a call is there; nothing if there is none. False: code cannot be changed. */
bool patch_function(struct patching *p, uint32_t number, unsigned char *sled);
/* Calls of a library's function by what the program is made of. False: its table of functions cannot be changed. */
bool patch_library(struct patching *p, uint32_t number, const char *name);
/* From now on the stubs are code. */
void patches_end(struct patching *p);

/* Registers of a call. */
struct saved_registers {
  uintptr_t argument[6];
  /* the others are of no interest */
};

/* A function was called; its return address is in the slot. True: it is to return at once. */
bool watch_called(uint32_t number, const struct saved_registers *saved, uintptr_t *return_slot);
/* One whose return address was replaced by watch_return returns: where to. */
uintptr_t watch_returns(const uintptr_t *slot);
/* And with what. */
void watch_returned(uintptr_t result, uintptr_t pc);

extern const char watch_entry[], watch_return[];

#endif

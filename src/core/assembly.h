/* SPDX-License-Identifier: Apache-2.0
 *
 * What `as` (src/assemble) and the runtime agree on: before an instruction of inline assembly that accesses memory
 * stands
 *
 *     pushq   %rdi
 *     leaq    OPERAND, %rdi
 *     pushq   $WORD
 *     call    *__heddle_asm@GOTPCREL(%rip)
 *     leaq    8(%rsp), %rsp
 *     popq    %rdi
 *
 * with the number of a bit below %rdi if ASSEMBLY_BIT is set. All registers and flags are kept. The word says what the
 * instruction does, and which registers matter: what nobody will read is no part of the thread's
 * state. */
#ifndef HEDDLE_RUNTIME_ASSEMBLY_H
#define HEDDLE_RUNTIME_ASSEMBLY_H

/* rax rcx rdx rsi rdi r8 r9 r10 r11: what a call may change. The lowest bits of the word say which of them are live. */
#define ASSEMBLY_REGISTERS 9
#define ASSEMBLY_FLAGS_LIVE (1u << 9)
#define ASSEMBLY_SCALARS_LIVE ((1u << 10) - 1)
#define ASSEMBLY_FLOATS_LIVE (1u << 10) /* of the x87 */
#define ASSEMBLY_BIT (1u << 11)
#define ASSEMBLY_SIZE_SHIFT 12         /* three bits: of the access, its logarithm */
#define ASSEMBLY_KIND_SHIFT 15         /* three bits */
#define ASSEMBLY_VECTOR_SHIFT 18       /* xmm0 to xmm7, one bit each */
#define ASSEMBLY_UPPER_LIVE (1u << 26) /* some of xmm8 to xmm15 */
#define ASSEMBLY_WIDE_LIVE (1u << 27)  /* longer vectors, masks, and what else there may be */
#define ASSEMBLY_PLAIN (1u << 28) /* a compiler's: an access like others; the thread's own stack is nobody else's */
#define ASSEMBLY_EXTENDED_LIVE (ASSEMBLY_FLOATS_LIVE | 0x3ffu << ASSEMBLY_VECTOR_SHIFT) /* any of these */
#define ASSEMBLY_ALL_LIVE (ASSEMBLY_SCALARS_LIVE | ASSEMBLY_EXTENDED_LIVE)

enum assembly_kind {
  ASSEMBLY_LOAD,
  ASSEMBLY_STORE,
  ASSEMBLY_UPDATE,
  ASSEMBLY_COMPARE,
  ASSEMBLY_FENCE,
  ASSEMBLY_COPY, /* from %rsi to %rdi, of the size times %rcx */
  ASSEMBLY_FILL,
  ASSEMBLY_UNSEEN /* %rdi: a text with the place of an instruction that accesses memory we do not know */
};

/* What stands for the size of a fence: one that later loads wait at for earlier stores (mfence), or at which they do
 * not (lfence, sfence). */
enum { FENCE_OF_SOME = 1, FENCE_OF_ALL = 2 };

/* Where no hook can be, the object file has a note of this owner with such a text. */
#define ASSEMBLY_NOTE "heddle"
#define ASSEMBLY_NOTE_TYPE 1
/* The same for a part of a program or library that has code without hooks, with its name: from `ld` (src/ld). */
#define UNHOOKED_NOTE_TYPE 2

/* The hook's last bytes: whatever comes behind them is seen. */
#define ASSEMBLY_HOOK_END                                                                                              \
  {                                                                                                                    \
    0x48, 0x8d, 0x64, 0x24, 0x08, 0x5f                                                                                 \
  }
#define ASSEMBLY_BIT_HOOK_END                                                                                          \
  {                                                                                                                    \
    0x48, 0x8d, 0x64, 0x24, 0x10, 0x5f                                                                                 \
  }

/* ---- in the runtime ---- */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text of an instruction that accesses memory unseen, for the verdict: the first one is kept. */
void assembly_unseen(const char *where);
/* Looks for such texts in the notes of a module, and for parts of it that have no hooks
 * (worlds/threads/memory/hooked_modules.h). */
void assembly_read_notes(uintptr_t at, size_t size);
/* Whether the instruction there has a hook. */
bool assembly_is_hooked(const unsigned char *instruction);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The way from the first instruction of a watched function into the runtime and back (watch.c). All registers that can
 * hold arguments are as they were when the function goes on; of vectors the lower 16 bytes. Frames are linked as if
 * the function's caller had called us, with what is saved below: worlds/threads/memory/spinning.c looks at all that is above.
 */
        .text

        .set    SAVED, 216

/* From a stub: the function's number, the address behind the sled, and the caller's are on the stack. */
        .globl  watch_entry
        .hidden watch_entry
        .type   watch_entry, @function
        .p2align 4
watch_entry:
        .cfi_startproc
        .cfi_def_cfa_offset 24
        pushq   16(%rsp)
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_offset rbp, -40
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        subq    $SAVED, %rsp
        andq    $-16, %rsp              /* compilers do not align it for functions that they know not to care */
        movq    %rdi, 0(%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        movq    %rax, 48(%rsp)
        movq    %r10, 56(%rsp)
        movq    %r11, 64(%rsp)
        movups  %xmm0, 80(%rsp)
        movups  %xmm1, 96(%rsp)
        movups  %xmm2, 112(%rsp)
        movups  %xmm3, 128(%rsp)
        movups  %xmm4, 144(%rsp)
        movups  %xmm5, 160(%rsp)
        movups  %xmm6, 176(%rsp)
        movups  %xmm7, 192(%rsp)
        movl    16(%rbp), %edi
        movq    %rsp, %rsi
        leaq    32(%rbp), %rdx
        callq   watch_called
        movb    %al, 72(%rsp)
        movq    0(%rsp), %rdi
        movq    8(%rsp), %rsi
        movq    16(%rsp), %rdx
        movq    24(%rsp), %rcx
        movq    32(%rsp), %r8
        movq    40(%rsp), %r9
        movq    48(%rsp), %rax
        movq    56(%rsp), %r10
        movq    64(%rsp), %r11
        movups  80(%rsp), %xmm0
        movups  96(%rsp), %xmm1
        movups  112(%rsp), %xmm2
        movups  128(%rsp), %xmm3
        movups  144(%rsp), %xmm4
        movups  160(%rsp), %xmm5
        movups  176(%rsp), %xmm6
        movups  192(%rsp), %xmm7
        cmpb    $0, 72(%rsp)
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa rsp, 32
        jne     left_out
        .cfi_remember_state
        addq    $16, %rsp
        .cfi_adjust_cfa_offset -16
        ret
left_out:                               /* back to the caller, as if the function had nothing to do */
        .cfi_restore_state
        addq    $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        .cfi_endproc
        .size   watch_entry, .-watch_entry

/* Where a creator returns to; its own return address is gone from the stack. */
        .globl  watch_return
        .hidden watch_return
        .type   watch_return, @function
        .p2align 4
watch_return:
        .cfi_startproc
        .cfi_undefined rip
        subq    $8, %rsp
        pushq   %rbp
        movq    %rsp, %rbp
        subq    $48, %rsp
        andq    $-16, %rsp
        movq    %rax, 0(%rsp)
        movq    %rdx, 8(%rsp)
        movups  %xmm0, 16(%rsp)
        movups  %xmm1, 32(%rsp)
        leaq    8(%rbp), %rdi
        callq   watch_returns
        movq    %rax, 8(%rbp)
        movq    0(%rsp), %rdi
        movq    %rax, %rsi
        callq   watch_returned
        movq    0(%rsp), %rax
        movq    8(%rsp), %rdx
        movups  16(%rsp), %xmm0
        movups  32(%rsp), %xmm1
        movq    %rbp, %rsp
        popq    %rbp
        ret
        .cfi_endproc
        .size   watch_return, .-watch_return

        .section .note.GNU-stack,"",@progbits

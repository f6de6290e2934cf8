/* SPDX-License-Identifier: Apache-2.0
 *
 * The way from a hook in inline assembly into the runtime and back (assembly.h, assembly.c). All registers are as they were
 * when the instruction goes on. What the program's thread has in those that a call may change is part of its state, so it
 * lies above a frame that looks as if the program had called us from there (spinning.c); vectors lie below.
 */
        .text

        .set    VECTOR_AREA, 2752 /* of xsave, up to the vectors of 64 bytes */
        .set    VECTOR_MASK, 0xe7
        .set    PLAIN, 1 << 28  /* assembly.h */
        .set    STACK_LOW, 40   /* of struct thread_state, checked in assembly.c */
        .set    STACK_SIZE, 48

/* From a hook: on the stack are the return address, the word, what is below %rdi, %rdi. In %rdi: the address. */
        .globl  __heddle_asm
        .type   __heddle_asm, @function
        .p2align 4
__heddle_asm:
        .cfi_startproc
        pushfq
        .cfi_adjust_cfa_offset 8
        cmpq    $0, hd_self(%rip)
        jne     1f
        cmpl    $0, hd_stress(%rip)
        jne     1f
        popfq
        .cfi_adjust_cfa_offset -8
        ret
/* A compiler's access of the thread's own stack, such as to the result of a function, is over soon. */
1:
        .cfi_adjust_cfa_offset 8
        testl   $PLAIN, 16(%rsp)
        je      6f
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        movq    hd_self(%rip), %rax
        testq   %rax, %rax
        je      7f
        subq    STACK_LOW(%rax), %rdi
        cmpq    STACK_SIZE(%rax), %rdi
        jae     8f
        popq    %rax
        .cfi_adjust_cfa_offset -8
        popfq
        .cfi_adjust_cfa_offset -8
        ret
8:
        .cfi_adjust_cfa_offset 16
        addq    STACK_LOW(%rax), %rdi
7:      popq    %rax
        .cfi_adjust_cfa_offset -8
6:      cld
        pushq   $0
        .cfi_adjust_cfa_offset 8
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        pushq   %r10
        .cfi_adjust_cfa_offset 8
        pushq   %r11
        .cfi_adjust_cfa_offset 8
        pushq   80(%rsp)
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_offset rbp, -104
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        andq    $-64, %rsp
        subq    $VECTOR_AREA, %rsp
        cmpb    $0, assembly_xsave(%rip)
        je      2f
        xorl    %eax, %eax
        movq    %rax, 512(%rsp)
        movq    %rax, 520(%rsp)
        movq    %rax, 528(%rsp)
        movq    %rax, 536(%rsp)
        movq    %rax, 544(%rsp)
        movq    %rax, 552(%rsp)
        movq    %rax, 560(%rsp)
        movq    %rax, 568(%rsp)
        movl    $VECTOR_MASK, %eax
        xorl    %edx, %edx
        xsave64 (%rsp)
        jmp     3f
2:      fxsave64 (%rsp)
3:      movq    %rbp, %rsi
        movq    %rsp, %rdx
        callq   assembly_hook
        cmpb    $0, assembly_xsave(%rip)
        je      4f
        movl    $VECTOR_MASK, %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        jmp     5f
4:      fxrstor64 (%rsp)
5:      movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa rsp, 96
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r11
        .cfi_adjust_cfa_offset -8
        popq    %r10
        .cfi_adjust_cfa_offset -8
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rax
        .cfi_adjust_cfa_offset -8
        leaq    8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        popfq
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   __heddle_asm, .-__heddle_asm

        .section .note.GNU-stack,"",@progbits

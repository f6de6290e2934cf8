/* SPDX-License-Identifier: Apache-2.0
 *
 * The switch between two fibers: callee-saved registers on the old stack, the stack pointer, and back. The TLS base is
 * the caller's business. Contexts that a copy of the process can go on from; the first frame of a fiber, at which unwinders stop, and the call of a signal handler on
 * another stack, through which they go on, or in a frame of the kernel's.
 */
        .text

/* void switch_fiber(void **save_sp, void *to_sp) */
        .globl  switch_fiber
        .hidden switch_fiber
        .type   switch_fiber, @function
        .p2align 4
switch_fiber:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   switch_fiber, .-switch_fiber

/* bool capture_context(struct context *context): fiber.h */
        .globl  capture_context
        .hidden capture_context
        .type   capture_context, @function
        .p2align 4
capture_context:
        .cfi_startproc
        movq    %rbx, 0(%rdi)
        movq    %rbp, 8(%rdi)
        movq    %r12, 16(%rdi)
        movq    %r13, 24(%rdi)
        movq    %r14, 32(%rdi)
        movq    %r15, 40(%rdi)
        leaq    8(%rsp), %rax
        movq    %rax, 48(%rdi)
        movq    (%rsp), %rax
        movq    %rax, 56(%rdi)
        stmxcsr 64(%rdi)
        fnstcw  68(%rdi)
        xorl    %eax, %eax
        ret
        .cfi_endproc
        .size   capture_context, .-capture_context

        .globl  resume_context
        .hidden resume_context
        .type   resume_context, @function
        .p2align 4
resume_context:
        .cfi_startproc
        .cfi_undefined rip
        movq    0(%rdi), %rbx
        movq    8(%rdi), %rbp
        movq    16(%rdi), %r12
        movq    24(%rdi), %r13
        movq    32(%rdi), %r14
        movq    40(%rdi), %r15
        movq    48(%rdi), %rsp
        ldmxcsr 64(%rdi)
        fldcw   68(%rdi)
        movl    $1, %eax
        jmpq    *56(%rdi)
        .cfi_endproc
        .size   resume_context, .-resume_context

/* void run_on_stack(void *top, void (*function)(void)) */
        .globl  run_on_stack
        .hidden run_on_stack
        .type   run_on_stack, @function
        .p2align 4
run_on_stack:
        .cfi_startproc
        .cfi_undefined rip
        movq    %rdi, %rsp
        callq   *%rsi
        ud2
        .cfi_endproc
        .size   run_on_stack, .-run_on_stack

/* The outermost frame: fiber_prepare() puts the entry function into r12. */
        .globl  fiber_first_frame
        .hidden fiber_first_frame
        .type   fiber_first_frame, @function
        .p2align 4
fiber_first_frame:
        .cfi_startproc
        .cfi_undefined rip
        nop
        xorl    %ebp, %ebp
        callq   *%r12
        ud2
        .cfi_endproc
        .size   fiber_first_frame, .-fiber_first_frame

/* void call_on_stack(void *top, void (*handler)(int, siginfo_t *, void *), int signal, siginfo_t *info, void *context) */
        .globl  call_on_stack
        .hidden call_on_stack
        .type   call_on_stack, @function
        .p2align 4
call_on_stack:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        movq    %rdi, %rsp
        movq    %rsi, %rax
        movl    %edx, %edi
        movq    %rcx, %rsi
        movq    %r8, %rdx
        callq   *%rax
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc
        .size   call_on_stack, .-call_on_stack

/* void enter_frame(void *frame, void (*handler)(int, siginfo_t *, void *), int signal, siginfo_t *info, void *context)
 * As the kernel enters a handler: its frame begins with where the handler returns to. */
        .globl  enter_frame
        .hidden enter_frame
        .type   enter_frame, @function
        .p2align 4
enter_frame:
        .cfi_startproc
        movq    %rdi, %rsp
        movq    %rsi, %rax
        movl    %edx, %edi
        movq    %rcx, %rsi
        movq    %r8, %rdx
        jmpq    *%rax
        .cfi_endproc
        .size   enter_frame, .-enter_frame

/* long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
 * From here to calls_end is the only place that the filter lets system calls through from. */
        .globl  raw_syscall
        .hidden raw_syscall
        .globl  raw_syscall_end
        .hidden raw_syscall_end
        .type   raw_syscall, @function
        .p2align 4
raw_syscall:
        .cfi_startproc
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
raw_syscall_end:
        ret
        .cfi_endproc
        .size   raw_syscall, .-raw_syscall

/* _Noreturn void park_thread(uint32_t *parked, uint32_t all)
 * One more thread is parked; the last of all wakes who waits for them, and each then sleeps for ever. From when it is
 * counted it writes nothing, not even to its stack, whose pages may be protected by then. */
        .globl  park_thread
        .hidden park_thread
        .type   park_thread, @function
        .p2align 4
park_thread:
        .cfi_startproc
        movl    $1, %eax
        lock xaddl %eax, (%rdi)
        incl    %eax
        cmpl    %esi, %eax
        jne     1f
        movl    $202, %eax      /* futex */
        movl    $129, %esi      /* FUTEX_WAKE_PRIVATE */
        movl    $1, %edx
        syscall
1:      leaq    never(%rip), %rdi
        movl    $128, %esi      /* FUTEX_WAIT_PRIVATE */
        xorl    %edx, %edx
        xorl    %r10d, %r10d
2:      movl    $202, %eax
        syscall
        jmp     2b
        .cfi_endproc
        .size   park_thread, .-park_thread

        .section .rodata
        .p2align 2
never:  .long   0
        .text

/* Where handlers of ours return to: by its name debuggers know the frame of a handler. */
        .globl  __restore_rt
        .hidden __restore_rt
        .globl  calls_end
        .hidden calls_end
        .type   __restore_rt, @function
        nop                     /* unwinders look up the instruction before it */
        .p2align 4
__restore_rt:
        movq    $15, %rax       /* rt_sigreturn */
        syscall
calls_end:
        nop
        .size   __restore_rt, .-__restore_rt

        .section .note.GNU-stack,"",@progbits

/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline assembly of many shapes by one thread: prints what each computes, which must be the same with hooks.
 */
#include <stdio.h>

int word = 5;
long words[4];
double number = 1.5;

static int loops(int times)
{
  int sum = 0;
  __asm__ volatile("1: addl word(%%rip), %0\n\tloop 1b" : "+r"(sum) : "c"((long)times) : "cc");
  return sum;
}
static int macro(void)
{
  int result;
  __asm__ volatile(".macro fetch to\n movl word(%%rip), \\to\n.endm\n fetch %0\n .purgem fetch" : "=r"(result));
  return result;
}
static int stack(void)
{
  long result;
  __asm__ volatile("pushq %1\n\tmovq (%%rsp), %0\n\taddq 0(%%rsp), %0\n\tincq (%%rsp)\n\tpopq words(%%rip)\n"
                   "\taddq words(%%rip), %0"
                   : "=&r"(result)
                   : "r"(7L)
                   : "memory", "cc");
  return (int)result;
}
static double vectors(void)
{
  double result;
  __asm__ volatile("movsd number(%%rip), %%xmm3\n\taddsd number(%%rip), %%xmm3\n\tmovsd %%xmm3, %0"
                   : "=m"(result)
                   :
                   : "xmm3");
  return result;
}
static int flags(int a)
{
  int result;
  __asm__ volatile("cmpl $3, %1\n\tmovl word(%%rip), %0\n\tjne 1f\n\tnegl %0\n1:" : "=&r"(result) : "r"(a) : "cc");
  return result;
}
static int updates(void)
{
  int x[3] = {1, 2, 3}, added = 4;
  __asm__ volatile("incl %0\n\taddl $5, %1\n\tnegl %2; xaddl %3, %2; shll $2, %0"
                   : "+m"(x[0]), "+m"(x[1]), "+m"(x[2]), "+r"(added)
                   :
                   : "cc");
  return x[0] * 1000 + x[1] * 100 + x[2] * 10 + added;
}
static int high_byte(void)
{
  unsigned value = 0x1234;
  __asm__ volatile("movb %%ah, word(%%rip)\n\tmovb word(%%rip), %%al" : "+a"(value) : : "memory");
  word = 5;
  return value & 255;
}
static int sections(void)
{
  __asm__ volatile(".byte 0xf3,0x90\n\tnop\n.pushsection .mine,\"aw\"\n.long 1,2\n.popsection");
  return 1;
}
static int thread_local_one(void)
{
  static __thread int own = 9;
  int result;
  __asm__ volatile("movl %1, %0" : "=r"(result) : "m"(own));
  return result;
}
static int many_registers(int a, int b, int c, int d, int e, int f)
{
  int result;
  __asm__ volatile("lock addl %6, word(%%rip)\n\tmovl word(%%rip), %0"
                   : "=&r"(result)
                   : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f)
                   : "memory", "cc");
  word = 5;
  return result + a + b + c + d + e;
}
static int indexed(const int *p)
{
  int result;
  __asm__ volatile("movl %c2(%1,%3,4), %0" : "=r"(result) : "r"(p), "i"(4), "r"(1L));
  return result;
}
static unsigned long compare(unsigned long expected)
{
  unsigned long at = 3;
  __asm__ volatile("lock cmpxchgq %2, %0" : "+m"(at), "+a"(expected) : "r"(8L) : "memory", "cc");
  return at * 10 + expected;
}
static double kept(double a, double b)
{
  for (int i = 0; i < 3; i++) {
    a = a * b + i;
    __asm__ volatile("lock incl word(%%rip)" : : : "memory", "cc");
  }
  word = 5;
  return a;
}
static char copied(void)
{
  char from[] = "abcdef", to[8];
  const char *source = from;
  char *target = to;
  unsigned long left = sizeof from;
  __asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(left) : : "memory");
  return to[4] + (char)left;
}

#define SHOW(call) printf("%s = %g\n", #call, (double)(call))

int main(void)
{
  const int p[] = {1, 2, 3, 4};
  SHOW(loops(3));
  SHOW(macro());
  SHOW(stack());
  SHOW(vectors());
  SHOW(flags(3));
  SHOW(flags(4));
  SHOW(updates());
  SHOW(high_byte());
  SHOW(sections());
  SHOW(thread_local_one());
  SHOW(many_registers(1, 2, 3, 4, 5, 6));
  SHOW(indexed(p));
  SHOW(compare(3));
  SHOW(compare(4));
  SHOW(kept(1.25, 3));
  SHOW(copied());
  return 0;
}

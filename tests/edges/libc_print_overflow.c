/* SPDX-License-Identifier: Apache-2.0
 *
 * What is printed does not fit into the block.
 *
 * verdict: find
 * kind: memory
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  char *text = malloc(8);
  sprintf(text, "%s %d", "number", 12345);
  int wrong = text[0] != 'n';
  free(text);
  return wrong;
}

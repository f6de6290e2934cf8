/* SPDX-License-Identifier: Apache-2.0
 *
 * A datagram server waits in recvfrom.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
 */
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  char byte;
  int server = socket(AF_INET, SOCK_DGRAM, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  return recvfrom(server, &byte, 1, 0, NULL, NULL) != 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A server waits in accept for a client that is no part of the program.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
 */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "served.sock"};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink("served.sock");
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  int client = accept(server, NULL, NULL);
  write(client, "x", 1);
  return 0;
}

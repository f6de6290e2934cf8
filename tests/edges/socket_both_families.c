/* SPDX-License-Identifier: Apache-2.0
 *
 * A socket that keeps to IPv6 leaves the same port to one of IPv4.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
  int four = socket(AF_INET, SOCK_STREAM, 0), six = socket(AF_INET6, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in any4 = {.sin_family = AF_INET, .sin_port = htons(16987)};
  struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(16987)};
  assert(!bind(four, (struct sockaddr *)&any4, sizeof any4) && !listen(four, 1));
  if (six < 0)
    return 0;
  assert(!setsockopt(six, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on));
  assert(!bind(six, (struct sockaddr *)&any6, sizeof any6) && !listen(six, 1));
  close(six);
  close(four);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * libmicrohttpd on the loopback interface: its own thread serves, ours asks twice over a plain socket.
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static enum MHD_Result answer(void *unused, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **state)
{
  (void)unused, (void)method, (void)version, (void)data, (void)size, (void)state;
  char page[64];
  snprintf(page, sizeof page, "%s", url);
  struct MHD_Response *r = MHD_create_response_from_buffer(strlen(page), page, MHD_RESPMEM_MUST_COPY);
  enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, r);
  MHD_destroy_response(r);
  return result;
}

/* The body of the answer is the path again. */
static int ask(int port, const char *path)
{
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr *)&to, sizeof to))
    return perror("connect"), 1;
  char text[1024];
  int n = snprintf(text, sizeof text, "GET %s HTTP/1.0\r\n\r\n", path);
  if (write(fd, text, n) != n)
    return 1;
  size_t used = 0;
  ssize_t got;
  while ((got = read(fd, text + used, sizeof text - 1 - used)) > 0)
    used += got;
  text[used] = 0;
  close(fd);
  char *body = strstr(text, "\r\n\r\n");
  return !body || strcmp(body + 4, path) != 0;
}

int main(void)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MODE, 0, NULL, NULL, answer, NULL,
                                               MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_END);
  if (!daemon)
    return 2;
  int port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
  int status = ask(port, "/a") | ask(port, "/b");
  MHD_stop_daemon(daemon);
  puts(status ? "wrong answer" : "you asked for /a and /b");
  return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Two daemons ask each other over sockets with names, each before it answers. In the twin one answers first.
 *
 * tell: deadlock: main and P1 each wait for a descriptor that will never be ready
 * tell: main waits to read from descriptor 5, the socket to /tmp/b\.sock \(daemons\.c:\d+\); nobody has accepted\s+the connection; its listener is open in main, descriptor 4, and in P1, descriptor 4
 */
#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int listen_at(const char *path)
{
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strcpy(a.sun_path, path);
  assert(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 4) == 0);
  return fd;
}

static int connect_to(const char *path)
{
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strcpy(a.sun_path, path);
  assert(connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
  return fd;
}

static void ask(const char *path)
{
  char answer;
  int fd = connect_to(path);
  write(fd, "?", 1);
  read(fd, &answer, 1);
  close(fd);
}

static void answer(int listener)
{
  char question;
  int fd = accept(listener, NULL, NULL);
  read(fd, &question, 1);
  write(fd, "!", 1);
  close(fd);
}

int main(void)
{
  int a = listen_at("/tmp/a.sock"), b = listen_at("/tmp/b.sock");
  pid_t child = fork();
  if (child == 0) {
    ask("/tmp/a.sock");
    answer(b);
    _exit(0);
  }
#ifdef FIXED
  answer(a);
  ask("/tmp/b.sock");
#else
  ask("/tmp/b.sock");
  answer(a);
#endif
  waitpid(child, NULL, 0);
  return 0;
}

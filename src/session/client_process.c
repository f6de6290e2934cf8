/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting and ending the client of a program; see the header. What it prints is not shown: it would be, thousands of
 * times.
 */
#include "session/client_process.h"
#include "session/child.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED (127 << 8) /* as the shell says it, in the words of waitpid */

static pid_t start(const struct target *target)
{
  char *argv[] = {"sh", "-c", (char *)target->client, NULL};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    return -1;
  struct child child = {.path = "/bin/sh",
                        .folder = target->folder,
                        .argv = argv,
                        .envp = environ,
                        .descriptor = {{null, STDIN_FILENO}, {null, STDOUT_FILENO}, {null, STDERR_FILENO}},
                        .descriptors = 3};
  pid_t pid = child_spawn(&child);
  close(null);
  return pid;
}

/* The session is its own (child.c), so that its group is what it started. Its leader is not reaped before, and keeps
 * the number. */
static int reap(struct client *client)
{
  int status = 0;
  kill(-client->pid, SIGKILL);
  while (waitpid(client->pid, &status, 0) < 0 && errno == EINTR)
    ;
  client->pid = 0;
  return status;
}

void client_end(struct client *client)
{
  if (client->pid)
    reap(client);
}

static bool has_ended(const struct client *client)
{
  siginfo_t ended = {.si_pid = 0};
  return waitid(P_PID, (id_t)client->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid;
}

void client_look(struct client *client, const struct target *target, struct control *control)
{
  switch (control->client.state) {
  case CLIENT_WANTED:
    client_end(client); /* of a process that is gone */
    client->pid = start(target);
    if (client->pid < 0) {
      client->pid = 0;
      control->client.status = NOT_STARTED;
    }
    control->client.state = client->pid ? CLIENT_RUNS : CLIENT_ENDED;
    return;
  case CLIENT_RUNS:
    if (client->pid && has_ended(client)) {
      control->client.status = reap(client);
      control->client.state = CLIENT_ENDED;
    }
    return;
  case CLIENT_OVER:
    client_end(client);
    control->client.state = CLIENT_NONE;
    return;
  default:
    return;
  }
}

void client_describe(const struct control *control, char *out, size_t n)
{
  int status = control->client.status;
  out[0] = 0;
  if (control->client.failed == CLIENT_SILENT)
    snprintf(out, n, "its client runs, but did nothing about it for %g s (see --grace)",
             control->config.client / 1000.0);
  else if (control->client.failed == CLIENT_NEVER_CAME && WIFEXITED(status) && WEXITSTATUS(status) == 127)
    snprintf(out, n, "its client was not started: the shell does not find the command (status 127)");
  else if (control->client.failed == CLIENT_NEVER_CAME && WIFEXITED(status))
    snprintf(out, n, "its client ended with status %d and never came", WEXITSTATUS(status));
  else if (control->client.failed == CLIENT_NEVER_CAME)
    snprintf(out, n, "its client was killed by signal %d and never came", WTERMSIG(status));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers of a cluster, see cluster.h: a process for each core that takes one seat, and another one after it. What is
 * left of a process that ended badly ends with it; the next one begins with nothing.
 */
#include "cluster/cluster.h"
#include "cluster/line.h"
#include "cluster/offer.h"
#include "cluster/until_told.h"
#include "file/work_folder.h"
#include "session/agent.h"
#include "session/console.h"
#include "session/supervisor.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define OFFER_MS 2000    /* for an offer: a server that was away does not know who waits for one */
#define AGAIN_US 200000  /* before a server that is away is tried again */
#define REFUSED 2        /* seconds before another offer is looked at */
#define ENDING_US 500000 /* for an agent that is to end */

/* What the processes of a worker know of each other. */
struct bench {
  const char *url;
  char folder[PATH_MAX]; /* of programs */
  char *told;            /* memory that they share: the last line that a seat was refused with */
  sigset_t before;       /* signals that a process of its own holds back */
};
enum { TOLD_SIZE = 1024 };

/* ---- one seat ---- */

static void on_who(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
  (void)subscription;
  const struct hub *hub = closure;
  hub->nats->natsConnection_Publish(connection, hub->nats->natsMsg_GetReply(message), HEDDLE_VERSION,
                                    (int)strlen(HEDDLE_VERSION));
  hub->nats->natsMsg_Destroy(message);
}

static void end_agent(pid_t agent, int wire)
{
  int left = ENDING_US;
  shutdown(wire, SHUT_RDWR);
  for (; left > 0 && waitpid(agent, NULL, WNOHANG) == 0; left -= 1000)
    usleep(1000);
  if (left <= 0) {
    kill(agent, SIGKILL);
    waitpid(agent, NULL, 0);
  }
}

static void sit_down(struct hub *hub, const char *token, const struct offered *offered)
{
  static struct nats_line line; /* its threads outlive this function */
  const struct session_request request = {.target = &offered->target, .grace = offered->grace};
  int wire;
  pid_t agent = agent_start(&request, agent_run, &wire);
  if (agent < 0)
    return;
  if (line_open(&line, hub, token, wire, NULL, NULL, NULL))
    line_run(&line);
  line_close(&line);
  end_agent(agent, wire);
}

/* One line for it, however often it is offered; and whoever offered it is told. */
static void refuse(const struct bench *bench, const struct hub *hub, const char *token, const struct offered *offered,
                   const char *why)
{
  char line[TOLD_SIZE], tells[REFUSAL_SIZE], name[65] = "?";
  gethostname(name, sizeof name - 1);
  snprintf(tells, sizeof tells, "a worker on %s leaves this search to others: %.400s", name, why);
  seat_refuse(hub, token, tells);
  snprintf(line, sizeof line, "%.100s", offered->target.label ? offered->target.label : "a program");
  size_t used = strlen(line);
  snprintf(line + used, sizeof line - used, " is not searched here: %.700s", why);
  if (!strcmp(line, bench->told))
    return;
  memcpy(bench->told, line, sizeof line);
  console_error("%s", line);
}

static void take_offer(const struct bench *bench, struct hub *hub, natsMsg *message)
{
  char *text = strndup(hub->nats->natsMsg_GetData(message), (size_t)hub->nats->natsMsg_GetDataLength(message));
  char *offer = text ? strchr(text, '\n') : NULL, error[768];
  struct offered offered;
  if (!offer || offer - text >= TOKEN_SIZE) {
    hub->nats->natsMsg_Ack(message, NULL);
    return;
  }
  *offer++ = 0;
  if (!seat_is_free(hub, text)) {
    hub->nats->natsMsg_Ack(message, NULL);
  } else if (offer_take(hub, offer, bench->folder, &offered, error, sizeof error)) {
    hub->nats->natsMsg_Ack(message, NULL);
    sit_down(hub, text, &offered);
  } else { /* for another worker */
    refuse(bench, hub, text, &offered, error);
    hub->nats->natsMsg_Nak(message, NULL);
    hub->nats->natsConnection_Flush(hub->connection);
    sleep(REFUSED);
  }
}

static _Noreturn void have_seat(const struct bench *bench, pid_t parent)
{
  struct hub hub;
  char error[320];
  natsSubscription *who = NULL;
  sigprocmask(SIG_SETMASK, &bench->before, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(0);
  while (!hub_open(&hub, bench->url, error, sizeof error))
    usleep(AGAIN_US);
  hub.nats->natsConnection_Subscribe(&who, hub.connection, WHO_SUBJECT, on_who, &hub);
  natsSubscription *offers = hub_consume(&hub, SEATS_STREAM, SEATS_SUBJECT, "takers");
  natsMsg *message = NULL;
  while (!(message = hub_next(&hub, offers, OFFER_MS)))
    ;
  take_offer(bench, &hub, message);
  hub.nats->natsConnection_Flush(hub.connection);
  _exit(0);
}

/* ---- all of them ---- */

static pid_t start_seat(const struct bench *bench)
{
  pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    have_seat(bench, parent);
  return pid;
}

static bool can_begin(struct bench *bench)
{
  struct hub hub;
  char error[320];
  if (!hub_open(&hub, bench->url, error, sizeof error)) {
    console_error("%s", error);
    return false;
  }
  hub_close(&hub);
  bench->told = mmap(NULL, TOLD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (bench->told == MAP_FAILED || !work_folder_make(bench->folder, "worker")) {
    console_error("no place for programs: %s", strerror(errno));
    return false;
  }
  return true;
}

int cluster_work(const char *url, unsigned cores)
{
  static struct bench bench;
  bench.url = url;
  fflush(NULL); /* or each process would print it */
  pid_t *seat = calloc(cores, sizeof *seat);
  if (!seat || !can_begin(&bench))
    return STATUS_FAILED;
  told_begin(&bench.before);
  signal(SIGPIPE, SIG_IGN);
  console_note("%u core%s for searches of %s", cores, cores == 1 ? "" : "s", url);
  do
    for (unsigned i = 0; i < cores; i++)
      if (seat[i] <= 0 || waitpid(seat[i], NULL, WNOHANG) == seat[i])
        seat[i] = start_seat(&bench);
  while (!told_wait());
  for (unsigned i = 0; i < cores; i++)
    if (seat[i] > 0)
      kill(seat[i], SIGKILL);
  while (waitpid(-1, NULL, 0) > 0)
    ;
  work_folder_remove(bench.folder);
  free(seat);
  return 0;
}

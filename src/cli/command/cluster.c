/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle cluster: a NATS server and a worker on this machine, in one command.
 *
 * A process in the background has both as its children, which end with it, and a folder with all that is written. It
 * holds a lock on a file there: who has the lock is the cluster, so no other process is ever taken for it.
 */
#include "cluster/cluster.h"
#include "cli/command/commands.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "cluster/local_folder.h"
#include "cluster/until_told.h"
#include "file/work_folder.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_SECONDS 20
#define DRAIN_SECONDS 20
#define LOOK_US 20000
#define ADDRESS_SIZE 64

struct local {
  char folder[PATH_MAX];
  char address_file[PATH_MAX + 16];
  char ports[PATH_MAX + 16], store[PATH_MAX + 16], log[PATH_MAX + 16], output[PATH_MAX + 16];
  char secret[PATH_MAX + 16], settings[PATH_MAX + 16];
};

static void name_places(struct local *l)
{
  local_folder(l->folder);
  snprintf(l->address_file, sizeof l->address_file, "%s/" LOCAL_ADDRESS, l->folder);
  snprintf(l->secret, sizeof l->secret, "%s/" LOCAL_SECRET, l->folder);
  snprintf(l->settings, sizeof l->settings, "%s/settings", l->folder);
  snprintf(l->ports, sizeof l->ports, "%s/ports", l->folder);
  snprintf(l->store, sizeof l->store, "%s/store", l->folder);
  snprintf(l->log, sizeof l->log, "%s/log", l->folder);
  snprintf(l->output, sizeof l->output, "%s/output", l->folder);
}

/* Who holds the lock; 0: there is no cluster. */
static pid_t find_holder(const struct local *l)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int fd = open(l->address_file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  if (fd >= 0)
    close(fd);
  return held ? lock.l_pid : 0;
}

static bool read_address(const struct local *l, char address[ADDRESS_SIZE])
{
  FILE *f = fopen(l->address_file, "re");
  bool good = f && fgets(address, ADDRESS_SIZE, f) && *address;
  if (f)
    fclose(f);
  return good;
}

/* ---- the process in the background ---- */

static sigset_t before; /* signals that others than the one in the background hold back */

/* It ends with us. */
static pid_t start(void (*run)(const struct local *, const char *, unsigned), const struct local *l,
                   const char *address, unsigned cores)
{
  pid_t parent = getpid(), pid = fork();
  if (pid != 0)
    return pid;
  sigprocmask(SIG_SETMASK, &before, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent)
    run(l, address, cores);
  _exit(1);
}

static void run_server(const struct local *l, const char *address, unsigned cores)
{
  (void)address, (void)cores;
  static const char *const names[] = {"nats-server", "/usr/sbin/nats-server"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    execlp(names[i], names[i], "-c", l->settings, "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", l->store,
           "--ports_file_dir", l->ports, "-l", l->log, (char *)NULL);
}

static void run_worker(const struct local *l, const char *address, unsigned cores)
{
  setenv("TMPDIR", l->folder, 1);
  _exit(cluster_work(address, cores));
}

/* The server writes a file with the addresses it listens at. */
static bool wait_for_server(const struct local *l, pid_t server, char address[ADDRESS_SIZE])
{
  char file[PATH_MAX + 64], text[512] = "";
  snprintf(file, sizeof file, "%s/nats-server_%d.ports", l->ports, (int)server);
  for (int left = START_SECONDS * (1000000 / LOOK_US); left && waitpid(server, NULL, WNOHANG) == 0; left--) {
    FILE *f = fopen(file, "re");
    size_t bytes = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
      fclose(f);
    text[bytes] = 0;
    char *begin = strstr(text, "nats://"), *end = begin ? strchr(begin, '"') : NULL;
    if (end && end - begin < ADDRESS_SIZE) {
      memcpy(address, begin, (size_t)(end - begin));
      address[end - begin] = 0;
      return true;
    }
    usleep(LOOK_US);
  }
  return false;
}

static void end_child(pid_t child)
{
  if (child <= 0)
    return;
  kill(child, SIGTERM);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
    ;
}

static void hold(pid_t server)
{
  siginfo_t ended = {0};
  while (waitid(P_PID, (id_t)server, &ended, WEXITED | WNOWAIT | WNOHANG) == 0 && !ended.si_pid && !told_wait())
    ;
}

/* Whoever started us may wait for the end of what we print: that goes to a file, for who looks for it. */
static void be_silent(const struct local *l)
{
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int output = open(l->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
}

/* Has the lock on the file. tell: a pipe to who waits for the address, or for the end. */
static _Noreturn void be_cluster(struct local *l, unsigned cores, int file, int tell)
{
  char address[ADDRESS_SIZE] = "";
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  setsid();
  be_silent(l);
  told_begin(&before);
  if (fcntl(file, F_SETLK, &lock) != 0)
    _exit(1);
  pid_t server = start(run_server, l, NULL, 0), worker = 0;
  if (server > 0 && wait_for_server(l, server, address) && dprintf(file, "%s", address) > 0) {
    worker = start(run_worker, l, address, cores);
    if (write(tell, address, strlen(address)) > 0 && close(tell) == 0)
      hold(server);
  }
  end_child(worker);
  end_child(server);
  work_folder_remove(l->folder);
  _exit(0);
}

static bool write_private(const char *path, const char *form, const char *secret)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = fd >= 0 && dprintf(fd, form, secret) > 0;
  return fd >= 0 && close(fd) == 0 && good;
}

/* The server hears only who knows it, and knows it from a file: a command line is seen by everybody. */
static bool make_secret(const struct local *l)
{
  uint64_t number[2];
  char secret[SECRET_SIZE];
  if (getrandom(number, sizeof number, 0) != (ssize_t)sizeof number)
    return false;
  snprintf(secret, sizeof secret, "%016" PRIx64 "%016" PRIx64, number[0], number[1]);
  return write_private(l->secret, "%s", secret) &&
         write_private(l->settings, "authorization { token: \"%s\" }\n", secret);
}

/* ---- commands ---- */

static int up(struct local *l, unsigned cores)
{
  struct stat st;
  char address[ADDRESS_SIZE] = "";
  int ends_of_pipe[2];
  if (find_holder(l)) {
    console_error("there is a cluster already; heddle cluster drain ends it");
    return STATUS_FAILED;
  }
  if (lstat(l->folder, &st) == 0 && st.st_uid == getuid())
    work_folder_remove(strdupa(l->folder)); /* of one that was killed */
  int file = mkdir(l->folder, 0700) == 0 && mkdir(l->ports, 0700) == 0 && make_secret(l)
                 ? open(l->address_file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                 : -1;
  if (file < 0 || pipe2(ends_of_pipe, O_CLOEXEC) != 0) {
    console_error("no folder for the cluster at %s: %s", l->folder, strerror(errno));
    return STATUS_FAILED;
  }
  pid_t pid = fork();
  if (pid == 0) {
    close(ends_of_pipe[0]);
    be_cluster(l, cores, file, ends_of_pipe[1]);
  }
  close(ends_of_pipe[1]);
  ssize_t bytes = read(ends_of_pipe[0], address, sizeof address - 1);
  if (pid < 0 || bytes <= 0) {
    console_error("no NATS server could be started; is nats-server installed?");
    return STATUS_FAILED;
  }
  console_line("a NATS server at %s, and %u core%s; heddle explore --cluster %s PROGRAM searches there", address, cores,
               cores == 1 ? "" : "s", address);
  return 0;
}

static int status(const struct local *l)
{
  char address[ADDRESS_SIZE];
  if (!find_holder(l) || !read_address(l, address)) {
    console_line("there is no cluster here; heddle cluster up starts one");
    return STATUS_FAILED;
  }
  int cores = cluster_count_cores(address);
  if (cores < 0)
    return STATUS_FAILED;
  console_line("a NATS server at %s, and %d core%s", address, cores, cores == 1 ? "" : "s");
  return 0;
}

static int drain(const struct local *l)
{
  pid_t holder = find_holder(l);
  if (!holder) {
    console_line("there is no cluster here");
    return 0;
  }
  kill(holder, SIGTERM);
  for (int left = DRAIN_SECONDS * (1000000 / LOOK_US); left && find_holder(l); left--)
    usleep(LOOK_US);
  if (find_holder(l)) {
    console_error("the cluster (process %d) does not end", (int)holder);
    return STATUS_FAILED;
  }
  console_line("the cluster has ended");
  return 0;
}

int cmd_cluster(int argc, char **argv)
{
  struct options options;
  struct local local;
  if (!options_parse(&options, FOR_CLUSTER, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("cluster", options.all_options);
  const char *what = options.operand_count == 1 ? options.operands[0] : "";
  name_places(&local);
  if (!strcmp(what, "up"))
    return up(&local, options.jobs ? (unsigned)options.jobs : core_count());
  if (!strcmp(what, "status"))
    return status(&local);
  if (!strcmp(what, "drain"))
    return drain(&local);
  console_error("cluster takes one word: up, status or drain");
  return STATUS_USAGE;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The coordinator's side of a search on a cluster, see cluster.h: what it needs is put on the server, seats are
 * offered, and checkpoints kept. While the session runs, only processes of their own talk to the server: the relays,
 * and the keeper of checkpoints. The session itself has no threads.
 */
#include "cluster/cluster.h"
#include "cluster/line.h"
#include "cluster/offer.h"
#include "core/hash.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/work_folder.h"
#include "session/console.h"
#include "session/supervisor.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WHO_MS 500       /* for workers to say who they are */
#define SEATS_LEAST 4    /* for workers that come later */
#define AGAIN_US 200000  /* before a server that is away is tried again */
#define KEEP_MS 200      /* between two looks at the checkpoint */
#define KEEP_WAIT_MS 250 /* for the last one, of who wants to end */
#define KEEP_LAST 10     /* seconds for the last one, if the server is away */
#define SILENT_MOST 4.0  /* seconds: the relays ask every second */
#define REFUSALS_TOLD 16 /* lines, of however many workers */
#define BUCKET "heddle"

bool cluster_check_address(const char *url)
{
  char error[320];
  bool good = hub_address_is_good(url, error, sizeof error);
  if (!good)
    console_error("%s", error);
  return good;
}

/* ---- checkpoints ---- */

static kvStore *open_bucket(struct hub *hub)
{
  kvStore *bucket = NULL;
  kvConfig config;
  hub->nats->kvConfig_Init(&config);
  config.Bucket = BUCKET;
  config.History = 1;
  return hub->nats->js_CreateKeyValue(&bucket, hub->js, &config) == NATS_OK ? bucket : NULL;
}

/* NATS_NOT_FOUND: nothing is kept. */
static natsStatus read_kept(struct hub *hub, kvStore *bucket, const char *name, struct pieces *kept)
{
  kvEntry *entry = NULL;
  natsStatus s = hub->nats->kvStore_Get(&entry, bucket, name);
  bool good = !s && (size_t)hub->nats->kvEntry_ValueLen(entry) == sizeof *kept;
  if (good)
    memcpy(kept, hub->nats->kvEntry_Value(entry), sizeof *kept);
  hub->nats->kvEntry_Destroy(entry);
  return s ? s : good && !kept->hash[PIECE_HASH - 1] ? NATS_OK : NATS_NOT_FOUND;
}

/* malloc'ed; NULL: the file is not there. */
static char *read_checkpoint(const char *path, size_t *bytes)
{
  char error[256];
  struct stat st;
  int fd = input_descriptor(path, error, sizeof error);
  char *text = fd >= 0 && fstat(fd, &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
  *bytes = text ? (size_t)st.st_size : 0;
  for (size_t n = 0; text && n < *bytes;) {
    ssize_t got = read(fd, text + n, *bytes - n);
    if (got <= 0) {
      free(text);
      text = NULL;
    }
    n += got > 0 ? (size_t)got : 0;
  }
  if (fd >= 0)
    close(fd);
  return text;
}

/* The new one is there before the old one goes. */
static bool keep(struct hub *hub, const struct cluster_search *s)
{
  struct pieces now, before;
  size_t bytes;
  char *text = read_checkpoint(s->checkpoint, &bytes);
  kvStore *bucket = text ? open_bucket(hub) : NULL;
  bool good = bucket;
  if (bucket) {
    bool had = read_kept(hub, bucket, s->name, &before) == NATS_OK;
    pieces_name(&now, text, bytes);
    good = pieces_put(hub, &now, text) && hub->nats->kvStore_Put(NULL, bucket, s->name, &now, sizeof now) == NATS_OK;
    if (good && had && strcmp(before.hash, now.hash) != 0)
      pieces_drop(hub, &before);
    hub->nats->kvStore_Destroy(bucket);
  }
  free(text);
  return good;
}

static void name_folder(const struct cluster_search *s, char key[32])
{
  snprintf(key, 32, "%s_folder", s->name);
}

static void forget(struct hub *hub, const struct cluster_search *s)
{
  char folder[32];
  struct pieces before;
  kvStore *bucket = open_bucket(hub);
  if (!bucket)
    return;
  if (read_kept(hub, bucket, s->name, &before) == NATS_OK)
    pieces_drop(hub, &before);
  hub->nats->kvStore_Purge(bucket, s->name, NULL);
  name_folder(s, folder);
  hub->nats->kvStore_Purge(bucket, folder, NULL);
  hub->nats->kvStore_Destroy(bucket);
}

/* False: an error was printed. */
static bool fetch_checkpoint(struct hub *hub, struct cluster_search *s)
{
  struct pieces kept;
  char error[256] = "";
  kvStore *bucket = open_bucket(hub);
  if (!bucket) {
    console_error("the NATS server at %s keeps no values", s->url);
    return false;
  }
  natsStatus asked = read_kept(hub, bucket, s->name, &kept);
  hub->nats->kvStore_Destroy(bucket);
  if (asked && asked != NATS_NOT_FOUND) { /* what it may have kept is not to be written over */
    console_error("the NATS server at %s does not say what it kept of this search: %s", s->url,
                  hub->nats->natsStatus_GetText(asked));
    return false;
  }
  char *text = asked ? NULL : pieces_get(hub, &kept);
  bool good = !text || output_file_write(s->checkpoint, FILE_CHECKPOINT, text, kept.bytes, error, sizeof error);
  if (!good)
    console_error("%s", error);
  s->resumes = good && text;
  free(text);
  return good;
}

/* That of who began the search; of who begins it, ours. False: an error was printed. */
static bool settle_folder(struct hub *hub, struct cluster_search *s)
{
  char key[32];
  kvEntry *entry = NULL;
  kvStore *bucket = *s->name ? open_bucket(hub) : NULL;
  bool good = getcwd(s->runs_in, sizeof s->runs_in);
  name_folder(s, key);
  if (bucket && s->resumes && hub->nats->kvStore_Get(&entry, bucket, key) == NATS_OK)
    snprintf(s->runs_in, sizeof s->runs_in, "%.*s", hub->nats->kvEntry_ValueLen(entry),
             (const char *)hub->nats->kvEntry_Value(entry));
  else if (bucket && good)
    good = hub->nats->kvStore_Put(NULL, bucket, key, s->runs_in, (int)strlen(s->runs_in)) == NATS_OK;
  if (!good)
    console_error("the folder that the program runs in cannot be kept");
  hub->nats->kvEntry_Destroy(entry);
  hub->nats->kvStore_Destroy(bucket);
  return good;
}

/* ---- who keeps them ---- */

/* The file is renamed to its place each time. */
static bool has_changed(const struct cluster_search *s, struct stat *seen)
{
  struct stat now;
  if (stat(s->checkpoint, &now) != 0 || (now.st_ino == seen->st_ino && now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec &&
                                         now.st_mtim.tv_sec == seen->st_mtim.tv_sec))
    return false;
  *seen = now;
  return true;
}

static void on_end(int number)
{
  (void)number;
  alarm(KEEP_LAST); /* which ends us */
}

/* Until the coordinator has ended, or wants it to: that is a signal, too, since a server that is away is waited for. */
static void keep_all(const struct cluster_search *s, int end)
{
  struct hub hub;
  struct stat seen = {0};
  char error[256];
  bool more = true, open = false;
  signal(SIGIO, on_end);
  fcntl(end, F_SETOWN, getpid());
  fcntl(end, F_SETFL, O_ASYNC);
  while (more) {
    struct pollfd ends = {.fd = end, .events = POLLIN};
    more = poll(&ends, 1, KEEP_MS) == 0;
    open = open || hub_open(&hub, s->url, error, sizeof error);
    if (open && has_changed(s, &seen) && !keep(&hub, s))
      seen = (struct stat){0}; /* again */
  }
}

bool cluster_search_keep(struct cluster_search *s)
{
  int ends[2] = {-1, -1}, ended[2] = {-1, -1};
  pid_t pid = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ended, O_CLOEXEC) == 0 ? fork() : -1;
  if (pid == 0) {
    /* Not our child: a session ends all children that it did not start. */
    if (fork() != 0)
      _exit(0);
    setsid();
    close(ends[1]);
    close(ended[0]);
    if (fork() == 0) { /* which a server that is away ends by a signal */
      keep_all(s, ends[0]);
      _exit(0);
    }
    wait(NULL);
    work_folder_remove(s->folder); /* whoever made it may have been killed */
    _exit(0);
  }
  int error = errno;
  close(ends[0]);
  close(ended[1]);
  s->keeper_ends = ends[1];
  s->keeper_has_ended = ended[0];
  if (pid > 0)
    waitpid(pid, NULL, 0);
  else
    console_error("no process for checkpoints: %s", strerror(error));
  return pid > 0;
}

/* Who wants to end is not kept waiting by a server that is away: the last checkpoint may come there after our end. What
 * has finished is, or that would come after it was forgotten. True: nobody keeps any more. */
static bool end_keeper(struct cluster_search *s, bool finished)
{
  if (s->keeper_ends < 0)
    return true;
  struct pollfd end = {.fd = s->keeper_has_ended, .events = POLLIN};
  close(s->keeper_ends);
  int ended = 0;
  do
    ended = poll(&end, 1, finished ? -1 : KEEP_WAIT_MS);
  while (ended < 0 && errno == EINTR);
  close(s->keeper_has_ended);
  s->keeper_ends = s->keeper_has_ended = -1;
  return ended > 0;
}

/* ---- workers ---- */

static unsigned count_cores(struct hub *hub)
{
  natsInbox *inbox = NULL;
  natsSubscription *answers = NULL;
  natsMsg *answer = NULL;
  unsigned count = 0;
  if (hub->nats->natsInbox_Create(&inbox) == NATS_OK &&
      hub->nats->natsConnection_SubscribeSync(&answers, hub->connection, inbox) == NATS_OK &&
      hub->nats->natsConnection_PublishRequest(hub->connection, WHO_SUBJECT, inbox, NULL, 0) == NATS_OK) {
    double until = now_seconds() + WHO_MS * 1e-3;
    for (double now; (now = now_seconds()) < until;)
      if (hub->nats->natsSubscription_NextMsg(&answer, answers, (int64_t)((until - now) * 1000) + 1) == NATS_OK) {
        hub->nats->natsMsg_Destroy(answer);
        count++;
      }
  }
  hub->nats->natsSubscription_Destroy(answers);
  hub->nats->natsInbox_Destroy(inbox);
  return count;
}

int cluster_count_cores(const char *url)
{
  struct hub hub;
  char error[320];
  if (!hub_open(&hub, url, error, sizeof error)) {
    console_error("%s", error);
    return -1;
  }
  unsigned count = count_cores(&hub);
  hub_close(&hub);
  return (int)count;
}

/* ---- a search ---- */

/* The same for the same search. */
static bool name_search(struct cluster_search *s, const struct identity *identity)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  bool good = f && identity_write(identity, f);
  if (f)
    fclose(f);
  if (good)
    snprintf(s->name, sizeof s->name, "%016" PRIx64, hash_bytes(HASH_START, text, bytes));
  else
    console_error("no memory left");
  free(text);
  return good;
}

bool cluster_search_open(struct cluster_search *s, const char *url, const struct target *target,
                         const struct identity *identity, double grace)
{
  struct hub hub;
  char error[320];
  *s = (struct cluster_search){.url = url, .keeper_ends = -1, .keeper_has_ended = -1};
  void *shared = mmap(NULL, sizeof *s->heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    console_error("no memory left");
    return false;
  }
  s->heard = shared;
  if (identity && !name_search(s, identity))
    return false;
  if (identity && !work_folder_make(s->folder, "cluster")) {
    console_error("no folder for the checkpoint: %s", strerror(errno));
    return false;
  }
  snprintf(s->checkpoint, sizeof s->checkpoint, "%s/checkpoint", s->folder);
  if (!hub_open(&hub, url, error, sizeof error)) {
    console_error("%s", error);
    return false;
  }
  unsigned cores = count_cores(&hub);
  s->seats = cores + (cores > SEATS_LEAST ? cores : SEATS_LEAST);
  bool good = (!identity || fetch_checkpoint(&hub, s)) && settle_folder(&hub, s);
  s->offer = good ? offer_make(&hub, target, s->runs_in, grace) : NULL;
  good = s->offer;
  s->heard->server_at = now_seconds();
  hub_close(&hub);
  static bool told; /* a command may have many searches */
  if (good && !cores && !told)
    console_note("no worker is there yet; the search begins when one is (heddle worker %s)", url);
  told |= !cores;
  return good;
}

void cluster_search_close(struct cluster_search *s, bool finished)
{
  struct hub hub;
  char error[320];
  bool kept = end_keeper(s, finished);
  if (s->offer && *s->name && finished && hub_open(&hub, s->url, error, sizeof error)) {
    forget(&hub, s);
    hub_close(&hub);
  }
  free(s->offer);
  if (kept && *s->folder) /* else who keeps checkpoints does it */
    work_folder_remove(s->folder);
  if (s->heard)
    munmap(s->heard, sizeof *s->heard);
  *s = NO_CLUSTER;
}

/* What is not there any more, since it was long ago, comes again. */
static bool offer_seat(struct hub *hub, const char *token, void *self)
{
  const struct session_request *request = self;
  const struct cluster_search *s = request->relay_self;
  char subject[64], *offer = NULL;
  char *again = offer_is_there(hub, s->offer) ? NULL : offer_make(hub, request->target, s->runs_in, request->grace);
  snprintf(subject, sizeof subject, "heddle.seat.%s", token);
  bool good = asprintf(&offer, "%s\n%s", token, again ? again : s->offer) > 0;
  good = good && hub_put(hub, subject, NULL, offer, strlen(offer));
  free(offer);
  free(again);
  return good;
}

const char *cluster_trouble(const void *self)
{
  static char line[512];
  const struct cluster_search *s = self;
  double silent = now_seconds() - s->heard->server_at;
  snprintf(line, sizeof line, "the NATS server at %.200s has not answered for %.0f s", s->url, silent);
  return silent > SILENT_MOST ? line : NULL;
}

const char *cluster_refusal(const void *self)
{
  static char line[REFUSAL_SIZE];
  static uint64_t told[REFUSALS_TOLD];
  static size_t count;
  struct heard *h = ((const struct cluster_search *)self)->heard;
  if (h->refusal_state != REFUSAL_THERE)
    return NULL;
  memcpy(line, h->refusal, sizeof line);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) /* whoever may write to the server may send anything */
      *c = '?';
  h->refusal_state = REFUSAL_NONE;
  uint64_t hash = hash_bytes(HASH_START, line, strlen(line));
  for (size_t i = 0; i < count; i++)
    if (told[i] == hash)
      return NULL;
  if (count == REFUSALS_TOLD)
    return NULL;
  told[count++] = hash;
  return line;
}

void cluster_relay(const struct session_request *request, int wire)
{
  const struct cluster_search *s = request->relay_self;
  static struct nats_line line; /* its threads outlive this function */
  struct hub hub;
  char token[TOKEN_SIZE], error[320];
  signal(SIGPIPE, SIG_IGN);
  token_make(token);
  while (!hub_open(&hub, s->url, error, sizeof error))
    usleep(AGAIN_US);
  line.broken = !line_open(&line, &hub, token, wire, offer_seat, (void *)request, s->heard);
  line_run(&line);
  line_close(&line);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX message queues.
 */
#include "case.h"
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <signal.h>

#define ROOM 2 /* messages */
#define SIZE 8 /* bytes */

static mqd_t q;
static const struct mq_attr wanted = {.mq_maxmsg = ROOM, .mq_msgsize = SIZE};

static void make_with(int flags)
{
  struct mq_attr attr = wanted;
  q = mq_open("/case", O_CREAT | O_EXCL | O_RDWR | flags, 0600, &attr);
  EXPECT(q >= 0);
  SEE("mq_open", "proceeds");
}

static void make(void)
{
  make_with(0);
}

static void put(char text, unsigned priority)
{
  RETURNS(0, mq_send, q, &text, 1, priority);
}

static char get(unsigned *priority)
{
  char text[SIZE];
  EXPECT(mq_receive(q, text, sizeof text, priority) == 1);
  SEE("mq_receive", "proceeds");
  return text[0];
}

static void fill(void)
{
  for (int i = 0; i < ROOM; i++)
    put('x', 0);
}

static void put_one(void)
{
  put('x', 0);
}

static void get_one(void)
{
  get(NULL);
}

static long messages(void)
{
  struct mq_attr now;
  RETURNS(0, mq_getattr, q, &now);
  EXPECT(now.mq_maxmsg == ROOM && now.mq_msgsize == SIZE);
  return now.mq_curmsgs;
}

#define OPEN_FAILS(error, ...) expect_result("mq_open", mq_open(__VA_ARGS__) == -1 ? errno : 0, error, #error, __FILE__, __LINE__)

/* ---- names ---- */

CASE(mq_open, names, proceeds, EEXIST, ENOENT, EINVAL, EACCES, ENAMETOOLONG)
{
  static char longest[NAME_MAX + 3];
  struct mq_attr none = {.mq_maxmsg = 0, .mq_msgsize = SIZE}, empty = {.mq_maxmsg = 1, .mq_msgsize = 0};
  OPEN_FAILS(ENOENT, "/case", O_RDWR);
  make();
  OPEN_FAILS(EEXIST, "/case", O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
  OPEN_FAILS(EINVAL, "case", O_RDWR);
  OPEN_FAILS(EINVAL, "/other", O_CREAT | O_RDWR, 0600, &none);
  OPEN_FAILS(EINVAL, "/other", O_CREAT | O_RDWR, 0600, &empty);
  OPEN_FAILS(EACCES, "/a/b", O_CREAT | O_RDWR, 0600, NULL);
  longest[0] = '/';
  memset(longest + 1, 'n', NAME_MAX + 1);
  OPEN_FAILS(ENAMETOOLONG, longest, O_CREAT | O_RDWR, 0600, NULL);
  longest[NAME_MAX + 1] = 0;
  mqd_t again = mq_open(longest, O_CREAT | O_RDWR, 0600, NULL);
  EXPECT(again >= 0 && again != q);
}

CASE(mq_open, too_much, EMFILE)
{
  struct mq_attr large = {.mq_maxmsg = 10, .mq_msgsize = 8192};
  char name[16];
  int i = 0;
  do
    snprintf(name, sizeof name, "/case%d", i++);
  while (mq_open(name, O_CREAT | O_RDWR, 0600, &large) >= 0);
  OPEN_FAILS(EMFILE, name, O_CREAT | O_RDWR, 0600, &large);
}

mqd_t __mq_open_2(const char *name, int flags);

CASE(__mq_open_2, there_or_not, proceeds, ENOENT)
{
  FAILS(ENOENT, __mq_open_2, "/case", O_RDWR);
  make();
  EXPECT(__mq_open_2("/case", O_RDWR) >= 0);
  SAW("proceeds");
}

CASE(mq_unlink, names, proceeds, ENOENT, EINVAL)
{
  make();
  RETURNS(0, mq_unlink, "/case");
  FAILS(ENOENT, mq_unlink, "/case");
  FAILS(EINVAL, mq_unlink, "case");
  put('a', 0); /* it lives on */
  EXPECT(get(NULL) == 'a');
  mqd_t first = q;
  make();
  EXPECT(messages() == 0 && q != first);
}

CASE(mq_close, twice, proceeds, EBADF)
{
  char text[SIZE];
  make();
  RETURNS(0, mq_close, q);
  FAILS(EBADF, mq_close, q);
  FAILS(EBADF, mq_close, 1);
  FAILS(EBADF, mq_send, q, "a", 1, 0);
  FAILS(EBADF, mq_receive, q, text, sizeof text, NULL);
  FAILS(EBADF, mq_getattr, q, (struct mq_attr[1]){{0}});
}

CASE(mq_open, by_two, one_direction)
{
  make();
  mqd_t other = mq_open("/case", O_RDONLY);
  put('a', 0);
  char text[SIZE];
  EXPECT(mq_receive(other, text, sizeof text, NULL) == 1 && text[0] == 'a');
  FAILS(EBADF, mq_send, other, "a", 1, 0);
  mqd_t writes = mq_open("/case", O_WRONLY);
  FAILS(EBADF, mq_receive, writes, text, sizeof text, NULL);
  SAW("one_direction");
  RETURNS(0, mq_close, other);
  RETURNS(0, mq_unlink, "/case");
}

/* ---- sending and receiving ---- */

CASE(mq_send, limits, proceeds, EMSGSIZE, EINVAL, EBADF)
{
  static const char text[SIZE + 1] = "12345678";
  make();
  RETURNS(0, mq_send, q, text, SIZE, MQ_PRIO_MAX - 1);
  FAILS(EMSGSIZE, mq_send, q, text, SIZE + 1, 0);
  FAILS(EINVAL, mq_send, q, text, 1, MQ_PRIO_MAX);
  FAILS(EBADF, mq_send, -1, text, 1, 0);
}

CASE(mq_send, full, blocks)
{
  make();
  fill();
  blocks_until("mq_send", put_one, get_one);
  EXPECT(messages() == ROOM);
}

CASE(mq_send, not_waiting, proceeds, EAGAIN)
{
  make_with(O_NONBLOCK);
  fill();
  FAILS(EAGAIN, mq_send, q, "a", 1, 0);
}

CASE(mq_receive, empty, blocks)
{
  make();
  blocks_until("mq_receive", get_one, put_one);
  EXPECT(messages() == 0);
}

CASE(mq_receive, in_order, highest_first, oldest_first)
{
  unsigned priority;
  struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = SIZE};
  q = mq_open("/case", O_CREAT | O_RDWR, 0600, &attr);
  put('a', 1);
  put('b', 7);
  put('c', 1);
  put('d', 7);
  EXPECT(get(&priority) == 'b' && priority == 7);
  EXPECT(get(&priority) == 'd' && priority == 7);
  SAW("highest_first");
  EXPECT(get(&priority) == 'a' && priority == 1);
  EXPECT(get(&priority) == 'c' && priority == 1);
  SAW("oldest_first");
}

CASE(mq_receive, limits, EMSGSIZE, EBADF, EAGAIN)
{
  char text[SIZE];
  make_with(O_NONBLOCK);
  FAILS(EMSGSIZE, mq_receive, q, text, SIZE - 1, NULL);
  FAILS(EBADF, mq_receive, -1, text, SIZE, NULL);
  FAILS(EAGAIN, mq_receive, q, text, SIZE, NULL);
}

static int winner;

static void *win(void *name)
{
  get_one();
  if (ADD(winner) == 1)
    SEE("mq_send", (const char *)name);
  return NULL;
}

CASE(mq_send, wakes_any_one, wakes_a, wakes_b)
{
  make();
  start(win, "wakes_a");
  start(win, "wakes_b");
  let_others_run();
  put_one();
  let_others_run();
  EXPECT(GET(winner) <= 1);
  exit(0);
}

DEADLOCK(mq_receive, nobody_sends, "waits for a message in /case, and nobody is left to send")
{
  make();
  get_one();
}

DEADLOCK(mq_send, nobody_receives, "waits for room in /case, and nobody is left to receive")
{
  make();
  for (int i = 0; i <= ROOM; i++)
    mq_send(q, "a", 1, 0);
}

/* ---- with a timeout ---- */

static bool timed_put(void)
{
  struct timespec at = after(CLOCK_REALTIME, 1000);
  return CALL_ERRNO(mq_timedsend, q, "a", 1, 0, &at) == 0;
}

static bool timed_get(void)
{
  char text[SIZE];
  struct timespec at = after(CLOCK_REALTIME, 1000);
  int error = mq_timedreceive(q, text, sizeof text, NULL, &at) == 1 ? 0 : errno;
  return note_result("mq_timedreceive", error) == 0;
}

CASE(mq_timedsend, waits_for_room, proceeds, blocks, ETIMEDOUT)
{
  make();
  fill();
  blocks_until_or_times_out("mq_timedsend", timed_put, get_one);
}

CASE(mq_timedreceive, waits_for_a_message, proceeds, blocks, ETIMEDOUT)
{
  make();
  blocks_until_or_times_out("mq_timedreceive", timed_get, put_one);
}

CASE(mq_timedsend, limits, proceeds, ETIMEDOUT, EINVAL, EBADF, EMSGSIZE)
{
  make();
  RETURNS(0, mq_timedsend, q, "a", 1, 0, &long_ago);
  RETURNS(0, mq_timedsend, q, "a", 1, 0, &long_ago);
  FAILS(ETIMEDOUT, mq_timedsend, q, "a", 1, 0, &long_ago);
  FAILS(EINVAL, mq_timedsend, q, "a", 1, 0, &too_many_ns);
  FAILS(EBADF, mq_timedsend, -1, "a", 1, 0, &long_ago);
  FAILS(EMSGSIZE, mq_timedsend, q, "123456789", 9, 0, &long_ago);
}

CASE(mq_timedsend, not_waiting, EAGAIN)
{
  make_with(O_NONBLOCK);
  fill();
  FAILS(EAGAIN, mq_timedsend, q, "a", 1, 0, &long_ago);
}

CASE(mq_timedreceive, limits, ETIMEDOUT, EINVAL, EBADF, EMSGSIZE)
{
  char text[SIZE];
  make();
  FAILS(ETIMEDOUT, mq_timedreceive, q, text, sizeof text, NULL, &long_ago);
  FAILS(EINVAL, mq_timedreceive, q, text, sizeof text, NULL, &too_many_ns);
  FAILS(EBADF, mq_timedreceive, -1, text, sizeof text, NULL, &long_ago);
  FAILS(EMSGSIZE, mq_timedreceive, q, text, 1, NULL, &long_ago);
}

/* ---- handlers and cancellation while it waits ---- */

static int handled;

static void handle(int signal)
{
  (void)signal;
  SET(handled);
}

static void handle_signal(int flags)
{
  struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *get_interrupted(void *unused)
{
  char text[SIZE];
  int error = mq_receive(q, text, sizeof text, NULL) == 1 ? 0 : errno;
  note_result("mq_receive", error);
  EXPECT(error == 0 || (error == EINTR && GET(handled)));
  return unused;
}

CASE(mq_receive, interrupted, EINTR, proceeds)
{
  make();
  handle_signal(0);
  pthread_t thread = start(get_interrupted, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  put_one();
  finish(thread);
}

static void *get_restarted(void *unused)
{
  get_one();
  return unused;
}

CASE(mq_receive, restarted, proceeds)
{
  make();
  handle_signal(SA_RESTART);
  pthread_t thread = start(get_restarted, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  put_one();
  finish(thread);
}

static void *put_interrupted(void *unused)
{
  int error = CALL_ERRNO(mq_send, q, "a", 1, 0);
  EXPECT(error == 0 || (error == EINTR && GET(handled)));
  return unused;
}

CASE(mq_send, interrupted, EINTR, proceeds)
{
  make();
  fill();
  handle_signal(0);
  pthread_t thread = start(put_interrupted, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  get_one();
  finish(thread);
}

CASE(mq_receive, cancelled, cancelled)
{
  make();
  pthread_t thread = start(get_restarted, NULL);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}

CASE(mq_send, cancelled, cancelled)
{
  make();
  fill();
  pthread_t thread = start(put_interrupted, NULL);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}

/* ---- attributes ---- */

CASE(mq_getattr, counts, sees_0, sees_1, EBADF)
{
  make();
  pthread_t thread = start_call(put_one);
  SAW(messages() ? "sees_1" : "sees_0");
  finish(thread);
  EXPECT(messages() == 1);
  FAILS(EBADF, mq_getattr, -1, (struct mq_attr[1]){{0}});
}

CASE(mq_setattr, waits_or_not, proceeds, EINVAL, EBADF)
{
  struct mq_attr to = {.mq_flags = O_NONBLOCK, .mq_maxmsg = 77}, old;
  make();
  RETURNS(0, mq_setattr, q, &to, &old);
  EXPECT(old.mq_flags == 0 && old.mq_maxmsg == ROOM);
  fill();
  FAILS(EAGAIN, mq_send, q, "a", 1, 0);
  to.mq_flags = 0;
  RETURNS(0, mq_setattr, q, &to, &old);
  EXPECT(old.mq_flags == O_NONBLOCK && old.mq_curmsgs == ROOM);
  to.mq_flags = O_APPEND;
  FAILS(EINVAL, mq_setattr, q, &to, NULL);
  FAILS(EBADF, mq_setattr, -1, &old, NULL);
}

/* ---- being told ---- */

static void tell_by(int how, void (*function)(union sigval))
{
  struct sigevent event = {.sigev_notify = how, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
  event.sigev_notify_function = function;
  RETURNS(0, mq_notify, q, &event);
}

static void take_info(int signal, siginfo_t *info, void *context)
{
  (void)signal, (void)context;
  EXPECT(info->si_code == SI_MESGQ && info->si_value.sival_int == 5);
  SET(handled);
}

CASE(mq_notify, by_signal, proceeds, signalled, EBUSY, EBADF, EINVAL)
{
  struct sigaction action = {.sa_sigaction = take_info, .sa_flags = SA_SIGINFO};
  struct sigevent event = {.sigev_notify = 77};
  sigaction(SIGUSR1, &action, NULL);
  make();
  FAILS(EINVAL, mq_notify, q, &event);
  event.sigev_notify = SIGEV_NONE;
  FAILS(EBADF, mq_notify, -1, &event);
  tell_by(SIGEV_SIGNAL, NULL);
  FAILS(EBUSY, mq_notify, q, &event);
  put_one();
  EXPECT(GET(handled));
  SAW("signalled");
  handled = 0;
  get_one();
  put_one(); /* once only */
  EXPECT(!GET(handled));
}

static void on_thread(union sigval value)
{
  EXPECT(value.sival_int == 5);
  get_one();
  SET(handled);
  SEE("mq_notify", "in_a_thread");
}

CASE(mq_notify, by_thread, in_a_thread)
{
  make();
  tell_by(SIGEV_THREAD, on_thread);
  put_one();
  while (!GET(handled))
    sched_yield();
  EXPECT(messages() == 0);
}

CASE(mq_notify, not_empty, nothing)
{
  handle_signal(0);
  make();
  put_one();
  tell_by(SIGEV_SIGNAL, NULL);
  put_one(); /* it was not empty */
  EXPECT(!GET(handled));
  SAW("nothing");
  RETURNS(0, mq_notify, q, NULL);
  tell_by(SIGEV_SIGNAL, NULL);
}

/* Who waits for the message gets it, and nobody is told; but whether it waits yet is anybody's guess. */
CASE(mq_notify, somebody_waits, told, not_told)
{
  handle_signal(0);
  make();
  tell_by(SIGEV_SIGNAL, NULL);
  pthread_t thread = start(get_restarted, NULL);
  put_one();
  finish(thread);
  SAW(GET(handled) ? "told" : "not_told");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * System V semaphores, messages and shared memory; and the shared memory of POSIX.
 */
#include "case.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#define KEY 0x1234

/* ---- semaphores ---- */

static int set;

static void make_set(int value)
{
  set = semget(IPC_PRIVATE, 2, 0600);
  EXPECT(set >= 0);
  SEE("semget", "proceeds");
  RETURNS(0, semctl, set, 0, SETVAL, value);
}

static void operate(short by)
{
  RETURNS(0, semop, set, &((struct sembuf){0, by, 0}), 1);
}

static void take(void)
{
  operate(-1);
}

static void give(void)
{
  operate(1);
}

static void wait_for_zero(void)
{
  operate(0);
}

CASE(semget, keys, proceeds, EEXIST, ENOENT, EINVAL)
{
  FAILS(ENOENT, semget, KEY, 1, 0);
  FAILS(EINVAL, semget, KEY, 0, IPC_CREAT | 0600);
  int id = semget(KEY, 2, IPC_CREAT | 0600);
  EXPECT(id >= 0 && semget(KEY, 2, 0600) == id && semget(KEY, 0, 0) == id);
  SAW("proceeds");
  FAILS(EINVAL, semget, KEY, 3, 0);
  FAILS(EEXIST, semget, KEY, 2, IPC_CREAT | IPC_EXCL | 0600);
  RETURNS(0, semctl, id, 0, IPC_RMID);
  FAILS(ENOENT, semget, KEY, 1, 0);
  EXPECT(semget(KEY, 2, IPC_CREAT | 0600) != id);
}

CASE(semctl, values, proceeds, EINVAL, ERANGE)
{
  unsigned short values[2] = {3, 4}, seen[2];
  struct semid_ds about;
  make_set(1);
  EXPECT(semctl(set, 0, GETVAL) == 1 && semctl(set, 0, GETPID) == getpid());
  RETURNS(0, semctl, set, 0, SETALL, values);
  RETURNS(0, semctl, set, 0, GETALL, seen);
  EXPECT(seen[0] == 3 && seen[1] == 4);
  RETURNS(0, semctl, set, 0, IPC_STAT, &about);
  EXPECT(about.sem_nsems == 2 && (about.sem_perm.mode & 0777) == 0600);
  EXPECT(semctl(set, 0, GETNCNT) == 0 && semctl(set, 0, GETZCNT) == 0);
  FAILS(ERANGE, semctl, set, 0, SETVAL, 32768);
  FAILS(EINVAL, semctl, set, 2, GETVAL);
  FAILS(EINVAL, semctl, set, 0, 77);
  RETURNS(0, semctl, set, 0, IPC_RMID);
  FAILS(EINVAL, semctl, set, 0, GETVAL);
}

CASE(semctl, meanwhile, sees_0, sees_1)
{
  make_set(0);
  pthread_t thread = start_call(give);
  SAW(semctl(set, 0, GETVAL) ? "sees_1" : "sees_0");
  finish(thread);
}

CASE(semop, limits, proceeds, EFBIG, EINVAL, E2BIG, ERANGE, EAGAIN)
{
  static struct sembuf many[1000];
  make_set(1);
  take();
  FAILS(EAGAIN, semop, set, &((struct sembuf){0, -1, IPC_NOWAIT}), 1);
  FAILS(EFBIG, semop, set, &((struct sembuf){2, 1, 0}), 1);
  FAILS(EINVAL, semop, set, many, 0);
  FAILS(EINVAL, semop, -1, many, 1);
  FAILS(E2BIG, semop, set, many, 1000);
  operate(32767);
  FAILS(ERANGE, semop, set, &((struct sembuf){0, 1, 0}), 1);
}

CASE(semop, taken, blocks)
{
  make_set(0);
  blocks_until("semop", take, give);
}

CASE(semop, until_zero, for_zero)
{
  make_set(1);
  pthread_t thread = start_call(wait_for_zero);
  take();
  finish(thread);
  SAW("for_zero");
}

static void take_both(void)
{
  RETURNS(0, semop, set, ((struct sembuf[2]){{0, -1, SEM_UNDO}, {1, -1, SEM_UNDO}}), 2);
}

CASE(semop, together, all_or_none)
{
  make_set(1);
  pthread_t thread = start_call(take_both);
  let_others_run();
  EXPECT(semctl(set, 0, GETVAL) == 1); /* it waits for the other one, and has not taken this */
  RETURNS(0, semop, set, &((struct sembuf){1, 1, 0}), 1);
  finish(thread);
  EXPECT(semctl(set, 0, GETVAL) == 0 && semctl(set, 1, GETVAL) == 0);
  SAW("all_or_none");
}

static void *take_removed(void *unused)
{
  int error = CALL_ERRNO(semop, set, &((struct sembuf){0, -1, 0}), 1);
  EXPECT(error == EIDRM || error == EINVAL);
  return unused;
}

CASE(semop, removed, EIDRM, EINVAL)
{
  make_set(0);
  pthread_t thread = start(take_removed, NULL);
  RETURNS(0, semctl, set, 0, IPC_RMID);
  finish(thread);
}

static int handled;

static void handle(int signal)
{
  (void)signal;
  SET(handled);
}

static void handle_signal(void)
{
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}; /* which changes nothing here */
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *take_interrupted(void *unused)
{
  int error = CALL_ERRNO(semop, set, &((struct sembuf){0, -1, 0}), 1);
  EXPECT(error == 0 || (error == EINTR && GET(handled)));
  return unused;
}

CASE(semop, interrupted, proceeds, EINTR)
{
  make_set(0);
  handle_signal();
  pthread_t thread = start(take_interrupted, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  give();
  finish(thread);
}

static void *in_order(void *first)
{
  unsigned short number = *(int *)first;
  semop(set, &(struct sembuf){number, -1, 0}, 1);
  semop(set, &(struct sembuf){!number, -1, 0}, 1);
  semop(set, (struct sembuf[2]){{0, 1, 0}, {1, 1, 0}}, 2);
  return NULL;
}

DEADLOCK(semop, opposite_orders, "wait for semaphore set 0 (key 0x0), which nobody is left to post")
{
  int zero = 0, one = 1;
  make_set(1);
  semctl(set, 1, SETVAL, 1);
  pthread_t a = start(in_order, &zero), b = start(in_order, &one);
  finish(a);
  finish(b);
}

static bool timed_take(void)
{
  struct timespec patience = {.tv_sec = 1000};
  return CALL_ERRNO(semtimedop, set, &((struct sembuf){0, -1, 0}), 1, &patience) == 0;
}

CASE(semtimedop, given_or_not, proceeds, blocks, EAGAIN)
{
  make_set(0);
  blocks_until_or_times_out("semtimedop", timed_take, give);
}

CASE(semtimedop, limits, EAGAIN, EINVAL, proceeds)
{
  struct timespec none = {0, 0};
  make_set(1);
  RETURNS(0, semtimedop, set, &((struct sembuf){0, -1, 0}), 1, &none);
  FAILS(EAGAIN, semtimedop, set, &((struct sembuf){0, -1, 0}), 1, &none);
  FAILS(EINVAL, semtimedop, set, &((struct sembuf){0, 1, 0}), 1, &too_many_ns);
}

/* ---- messages ---- */

static int queue;
struct text {
  long type;
  char bytes[8];
};

static void make_queue(size_t room)
{
  struct msqid_ds about;
  queue = msgget(IPC_PRIVATE, 0600);
  EXPECT(queue >= 0);
  SEE("msgget", "proceeds");
  RETURNS(0, msgctl, queue, IPC_STAT, &about);
  about.msg_qbytes = room;
  RETURNS(0, msgctl, queue, IPC_SET, &about);
}

static void put(long type, char text)
{
  RETURNS(0, msgsnd, queue, (&(struct text){type, {text}}), 1, 0);
}

static char get(long type, int flags)
{
  struct text text;
  EXPECT(msgrcv(queue, &text, sizeof text.bytes, type, flags) == 1);
  SEE("msgrcv", "proceeds");
  return text.bytes[0];
}

static void put_one(void)
{
  put(1, 'a');
}

static void get_one(void)
{
  get(0, 0);
}

CASE(msgget, keys, proceeds, EEXIST, ENOENT)
{
  FAILS(ENOENT, msgget, KEY, 0);
  int id = msgget(KEY, IPC_CREAT | 0600);
  EXPECT(id >= 0 && msgget(KEY, 0600) == id);
  SAW("proceeds");
  FAILS(EEXIST, msgget, KEY, IPC_CREAT | IPC_EXCL | 0600);
}

CASE(msgctl, counts, proceeds, EINVAL)
{
  struct msqid_ds about;
  make_queue(100);
  put_one();
  RETURNS(0, msgctl, queue, IPC_STAT, &about);
  EXPECT(about.msg_qnum == 1 && about.msg_qbytes == 100 && about.msg_lspid == getpid());
  RETURNS(0, msgctl, queue, IPC_RMID, NULL);
  FAILS(EINVAL, msgctl, queue, IPC_STAT, &about);
  FAILS(EINVAL, msgctl, -1, IPC_RMID, NULL);
}

CASE(msgrcv, types, proceeds, by_type)
{
  make_queue(100);
  put(3, 'a');
  put(1, 'b');
  put(2, 'c');
  put(3, 'd');
  EXPECT(get(2, 0) == 'c' && get(-3, 0) == 'b');
  EXPECT(get(0, 0) == 'a' && get(1, MSG_EXCEPT) == 'd');
  SAW("by_type");
}

CASE(msgrcv, limits, E2BIG, ENOMSG, EINVAL)
{
  struct text text = {1, "abcd"};
  make_queue(100);
  FAILS(ENOMSG, msgrcv, queue, &text, 8, 0, IPC_NOWAIT);
  RETURNS(0, msgsnd, queue, &text, 4, 0);
  FAILS(E2BIG, msgrcv, queue, &text, 2, 0, 0);
  EXPECT(msgrcv(queue, &text, 2, 0, MSG_NOERROR) == 2);
  FAILS(EINVAL, msgrcv, -1, &text, 8, 0, 0);
}

CASE(msgsnd, limits, proceeds, EAGAIN, EINVAL)
{
  static struct {
    long type;
    char bytes[8193];
  } large = {.type = 1};
  make_queue(1);
  put_one();
  FAILS(EAGAIN, msgsnd, queue, &large, 1, IPC_NOWAIT);
  FAILS(EINVAL, msgsnd, queue, &large, sizeof large.bytes, 0);
  large.type = 0;
  FAILS(EINVAL, msgsnd, queue, &large, 1, 0);
}

CASE(msgrcv, empty, blocks)
{
  make_queue(1);
  blocks_until("msgrcv", get_one, put_one);
}

CASE(msgsnd, full, blocks)
{
  make_queue(1);
  put_one();
  blocks_until("msgsnd", put_one, get_one);
}

static void *get_removed(void *unused)
{
  struct text text;
  int error = msgrcv(queue, &text, 8, 0, 0) < 0 ? errno : 0;
  note_result("msgrcv", error);
  EXPECT(error == EIDRM || error == EINVAL);
  return unused;
}

static void *put_removed(void *unused)
{
  int error = CALL_ERRNO(msgsnd, queue, (&(struct text){1, "a"}), 1, 0);
  EXPECT(error == EIDRM || error == EINVAL);
  return unused;
}

CASE(msgrcv, removed, EIDRM, EINVAL)
{
  make_queue(1);
  pthread_t thread = start(get_removed, NULL);
  RETURNS(0, msgctl, queue, IPC_RMID, NULL);
  finish(thread);
}

CASE(msgsnd, removed, EIDRM, EINVAL)
{
  make_queue(1);
  put_one();
  pthread_t thread = start(put_removed, NULL);
  RETURNS(0, msgctl, queue, IPC_RMID, NULL);
  finish(thread);
}

static void *get_interrupted(void *unused)
{
  struct text text;
  int error = msgrcv(queue, &text, 8, 0, 0) < 0 ? errno : 0;
  note_result("msgrcv", error);
  EXPECT(error == 0 || (error == EINTR && GET(handled)));
  return unused;
}

static void *put_interrupted(void *unused)
{
  int error = CALL_ERRNO(msgsnd, queue, (&(struct text){1, "a"}), 1, 0);
  EXPECT(error == 0 || (error == EINTR && GET(handled)));
  return unused;
}

CASE(msgrcv, interrupted, proceeds, EINTR)
{
  make_queue(1);
  handle_signal();
  pthread_t thread = start(get_interrupted, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  put_one();
  finish(thread);
}

CASE(msgsnd, interrupted, proceeds, EINTR)
{
  make_queue(1);
  put_one();
  handle_signal();
  pthread_t thread = start(put_interrupted, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  get_one();
  finish(thread);
}

CASE(msgrcv, cancelled, cancelled)
{
  make_queue(1);
  pthread_t thread = start(get_interrupted, NULL);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}

CASE(msgsnd, cancelled, cancelled)
{
  make_queue(1);
  put_one();
  pthread_t thread = start(put_interrupted, NULL);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}

DEADLOCK(msgrcv, nobody_sends, "waits for a message in queue 0 (key 0x0), and nobody is left to send")
{
  make_queue(1);
  get_one();
}

DEADLOCK(msgsnd, nobody_receives, "waits for room in queue 0 (key 0x0), and nobody is left to receive")
{
  make_queue(1);
  put_one();
  msgsnd(queue, &(struct text){1, "a"}, 1, 0);
}

/* ---- shared memory ---- */

CASE(shmget, keys, proceeds, EEXIST, ENOENT, EINVAL)
{
  FAILS(ENOENT, shmget, KEY, 10, 0);
  FAILS(EINVAL, shmget, KEY, 0, IPC_CREAT | 0600);
  int id = shmget(KEY, 10, IPC_CREAT | 0600);
  EXPECT(id >= 0 && shmget(KEY, 10, 0600) == id);
  SAW("proceeds");
  FAILS(EINVAL, shmget, KEY, 11, 0);
  FAILS(EEXIST, shmget, KEY, 10, IPC_CREAT | IPC_EXCL | 0600);
}

#define NO_MEMORY ((void *)-1)

CASE(shmat, twice, proceeds, EINVAL)
{
  struct shmid_ds about;
  int id = shmget(IPC_PRIVATE, 5000, 0600);
  char *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY);
  EXPECT(a != NO_MEMORY && b != NO_MEMORY && a != b);
  SAME("address", "%p", (void *)a);
  SAW("proceeds");
  EXPECT(a[4999] == 0);
  strcpy(a, "text");
  EXPECT(!strcmp(b, "text"));
  RETURNS(0, shmctl, id, IPC_STAT, &about);
  EXPECT(about.shm_nattch == 2 && about.shm_segsz == 5000);
  RETURNS(0, shmdt, a);
  FAILS(EINVAL, shmdt, a);
  RETURNS(0, shmctl, id, IPC_RMID, NULL);
  RETURNS(0, shmdt, b);
  FAILS(EINVAL, shmctl, id, IPC_STAT, &about);
  EXPECT(shmat(id, NULL, 0) == NO_MEMORY && errno == EINVAL);
  SAW("EINVAL");
}

CASE(shm_open, names, proceeds, EEXIST, ENOENT, EINVAL, ENAMETOOLONG)
{
  static char longest[300];
  memset(longest, 'n', sizeof longest - 1);
  FAILS(ENAMETOOLONG, shm_open, longest, O_CREAT | O_RDWR, 0600);
  FAILS(ENOENT, shm_open, "/case", O_RDWR, 0);
  FAILS(EINVAL, shm_open, "/a/b", O_CREAT | O_RDWR, 0600);
  int fd = shm_open("/case", O_CREAT | O_RDWR, 0600), other = shm_open("case", O_RDONLY, 0);
  EXPECT(fd >= 0 && other >= 0 && fd != other);
  SAW("proceeds");
  FAILS(EEXIST, shm_open, "/case", O_CREAT | O_EXCL | O_RDWR, 0600);
  EXPECT(ftruncate(fd, 4096) == 0);
  char *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char *b = mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, 0);
  EXPECT(a != MAP_FAILED && b != MAP_FAILED);
  strcpy(a, "text");
  EXPECT(!strcmp(b, "text"));
  EXPECT(access("/dev/shm/case", F_OK) == -1);
  RETURNS(0, shm_unlink, "/case");
  FAILS(ENOENT, shm_unlink, "/case");
  FAILS(EINVAL, shm_unlink, "/a/b");
  FAILS(ENOENT, shm_open, "/case", O_RDWR, 0);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What generated programs of two processes are made of: set-ups and calls, a line or a few each, by object. Part of
 * forked.c, which says what me, a and b are. A call tells what it returned.
 */
/* clang-format off */

/* ---- memory ---- */

SHARED int load(const int *p) { return *p; }
SHARED void store(int *p, int value) { *p = value; }
SHARED void increment(int *p) { (*p)++; }
SHARED int load_atomic(const int *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
SHARED void store_atomic(int *p, int value) { __atomic_store_n(p, value, __ATOMIC_SEQ_CST); }
SHARED int add_atomic(int *p) { return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }
SHARED bool exchange_atomic(int *p, int from, int to)
{
  return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

CALL(get) { tell(me, load(&shared->word[a])); }
CALL(put) { store(&shared->word[a], b); }
CALL(inc) { increment(&shared->word[a]); }
CALL(aget) { tell(me, load_atomic(&shared->word[a])); }
CALL(aput) { store_atomic(&shared->word[a], b); }
CALL(add) { tell(me, add_atomic(&shared->word[a])); }
CALL(cas) { tell(me, exchange_atomic(&shared->word[a], 0, b)); }

SETUP(segment) /* of System V */
{
  int id = made(shmget(IPC_PRIVATE, 4096, 0600));
  area = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  if (area == (void *)-1)
    give_up("set-up");
}
MACHINE void map_area(int fd)
{
  if (ftruncate(fd, 4096))
    give_up("set-up");
  area = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (area == MAP_FAILED)
    give_up("set-up");
  close(fd);
}
SETUP(object)
{
  int fd = made(shm_open(private_name(), O_RDWR | O_CREAT | O_EXCL, 0600));
  shm_unlink(private_name());
  map_area(fd);
}
SETUP(memfd) { map_area(made(memfd_create("area", 0))); }
CALL(peek) { tell(me, load(&area[a])); }
CALL(poke) { store(&area[a], b); }
CALL(bump) { tell(me, add_atomic(&area[a])); }

/* ---- locks ---- */

MACHINE void make_mutex(pthread_mutex_t *mutex, int robust)
{
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}
CALL(lock) { tell_error(me, pthread_mutex_lock(&shared->mutex[a])); }
CALL(unlock) { tell_error(me, pthread_mutex_unlock(&shared->mutex[a])); }
CALL(try)
{
  int error = pthread_mutex_trylock(&shared->mutex[a]);
  tell_error(me, error);
  if (!error)
    pthread_mutex_unlock(&shared->mutex[a]);
}
CALL(tryfor)
{
  struct timespec t = soon(CLOCK_REALTIME);
  int error = pthread_mutex_timedlock(&shared->mutex[a], &t);
  tell_error(me, error);
  if (!error)
    pthread_mutex_unlock(&shared->mutex[a]);
}
CALL(locked) /* a word is changed under a lock */
{
  pthread_mutex_lock(&shared->mutex[a]);
  tell(me, load(&shared->word[b]));
  increment(&shared->word[b]);
  pthread_mutex_unlock(&shared->mutex[a]);
}
SETUP(robust)
{
  pthread_mutex_destroy(&shared->mutex[0]);
  make_mutex(&shared->mutex[0], PTHREAD_MUTEX_ROBUST);
}
CALL(take) /* of the robust one, which stays locked; 1: what a dead one left is put right */
{
  int error = pthread_mutex_lock(&shared->mutex[0]);
  tell_error(me, error);
  if (error == EOWNERDEAD && a)
    tell_error(me, pthread_mutex_consistent(&shared->mutex[0]));
}
CALL(give) { tell_error(me, pthread_mutex_unlock(&shared->mutex[0])); }
CALL(trytake)
{
  int error = pthread_mutex_trylock(&shared->mutex[0]);
  tell_error(me, error);
  if (error == EOWNERDEAD)
    pthread_mutex_consistent(&shared->mutex[0]);
  if (error == EOWNERDEAD || !error)
    pthread_mutex_unlock(&shared->mutex[0]);
}

SETUP(condition)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->condition, &attributes);
}
CALL(await)
{
  pthread_mutex_lock(&shared->mutex[0]);
  while (!load(&shared->word[a]))
    pthread_cond_wait(&shared->condition, &shared->mutex[0]);
  tell(me, load(&shared->word[a]));
  pthread_mutex_unlock(&shared->mutex[0]);
}
CALL(awaitfor)
{
  struct timespec t = soon(CLOCK_REALTIME);
  int error = 0;
  pthread_mutex_lock(&shared->mutex[0]);
  while (!error && !load(&shared->word[a]))
    error = pthread_cond_timedwait(&shared->condition, &shared->mutex[0], &t);
  tell_error(me, error);
  tell(me, load(&shared->word[a]));
  pthread_mutex_unlock(&shared->mutex[0]);
}
CALL(announce) /* 1: to all */
{
  pthread_mutex_lock(&shared->mutex[0]);
  increment(&shared->word[a]);
  if (b)
    pthread_cond_broadcast(&shared->condition);
  else
    pthread_cond_signal(&shared->condition);
  pthread_mutex_unlock(&shared->mutex[0]);
}

SETUP(barrier)
{
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, (unsigned)a);
}
CALL(meet) { tell(me, pthread_barrier_wait(&shared->barrier) ? 1 : 0); }

SETUP(rwlock)
{
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&shared->rwlock, &attributes);
}
CALL(reading)
{
  pthread_rwlock_rdlock(&shared->rwlock);
  tell(me, load(&shared->word[a]));
  pthread_rwlock_unlock(&shared->rwlock);
}
CALL(writing)
{
  pthread_rwlock_wrlock(&shared->rwlock);
  increment(&shared->word[a]);
  pthread_rwlock_unlock(&shared->rwlock);
}
CALL(tryreading)
{
  int error = pthread_rwlock_tryrdlock(&shared->rwlock);
  tell_error(me, error);
  if (!error)
    pthread_rwlock_unlock(&shared->rwlock);
}
CALL(trywriting)
{
  int error = pthread_rwlock_trywrlock(&shared->rwlock);
  tell_error(me, error);
  if (!error)
    pthread_rwlock_unlock(&shared->rwlock);
}

SETUP(spin) { pthread_spin_init(&shared->spin, PTHREAD_PROCESS_SHARED); }
CALL(spun)
{
  pthread_spin_lock(&shared->spin);
  tell(me, load(&shared->word[a]));
  increment(&shared->word[a]);
  pthread_spin_unlock(&shared->spin);
}
CALL(tryspin)
{
  int error = pthread_spin_trylock(&shared->spin);
  tell_error(me, error);
  if (!error)
    pthread_spin_unlock(&shared->spin);
}

/* ---- semaphores ---- */

SETUP(sem)
{
  sem_destroy(sem);
  sem_init(sem, 1, (unsigned)a);
}
SETUP(named)
{
  sem = sem_open(private_name(), O_CREAT | O_EXCL, 0600, (unsigned)a);
  if (sem == SEM_FAILED)
    give_up("set-up");
  sem_unlink(private_name());
}
CALL(post) { tell(me, sem_post(sem)); }
CALL(down) { tell(me, sem_wait(sem)); }
CALL(trydown) { tell(me, sem_trywait(sem)); }
CALL(downfor)
{
  struct timespec t = soon(CLOCK_REALTIME);
  tell(me, sem_timedwait(sem, &t));
}
CALL(value)
{
  int value = 0;
  sem_getvalue(sem, &value);
  tell(me, value);
}

SETUP(semset)
{
  semaphores = made(semget(IPC_PRIVATE, 1, 0600));
  semctl(semaphores, 0, SETVAL, a);
}
CALL(semop) /* b: 1: without a wait; 2: and undone when the process ends */
{
  struct sembuf op = {.sem_op = (short)a, .sem_flg = (short)((b ? IPC_NOWAIT : 0) | (b == 2 ? SEM_UNDO : 0))};
  tell(me, semop(semaphores, &op, 1));
}
CALL(semvalue) { tell(me, semctl(semaphores, 0, GETVAL)); }
CALL(semset) { tell(me, semctl(semaphores, 0, SETVAL, a)); }

/* ---- queues of messages ---- */

SETUP(messages) { messages = made(msgget(IPC_PRIVATE, 0600)); }
struct message {
  long type;
  char text[4];
};
CALL(msgsnd)
{
  struct message m = {.type = a, .text = {letter(me)}};
  tell(me, msgsnd(messages, &m, 1, IPC_NOWAIT));
}
CALL(msgrcv) /* 1: without a wait */
{
  struct message m;
  long n = msgrcv(messages, &m, sizeof m.text, a, b ? IPC_NOWAIT : 0);
  tell_bytes(me, n, m.text);
}
CALL(msgcount)
{
  struct msqid_ds d;
  int result = msgctl(messages, IPC_STAT, &d);
  tell(me, result < 0 ? result : (long)d.msg_qnum);
}

SETUP(queue) /* 1: nobody waits for it */
{
  struct mq_attr attributes = {.mq_maxmsg = b ? b : 4, .mq_msgsize = 4};
  queue = mq_open(private_name(), O_RDWR | O_CREAT | O_EXCL | (a ? O_NONBLOCK : 0), 0600, &attributes);
  if (queue == (mqd_t)-1)
    give_up("set-up");
  mq_unlink(private_name());
}
CALL(mqsend)
{
  char byte = letter(me);
  tell(me, mq_send(queue, &byte, 1, (unsigned)a));
}
CALL(mqrecv)
{
  char text[4];
  unsigned priority = 0;
  long n = mq_receive(queue, text, sizeof text, &priority);
  tell_bytes(me, n, text);
  if (n >= 0)
    tell(me, priority);
}
CALL(mqrecvfor)
{
  char text[4];
  struct timespec t = soon(CLOCK_REALTIME);
  long n = mq_timedreceive(queue, text, sizeof text, NULL, &t);
  tell_bytes(me, n, text);
}
CALL(mqcount)
{
  struct mq_attr attributes;
  int result = mq_getattr(queue, &attributes);
  tell(me, result < 0 ? result : attributes.mq_curmsgs);
}
CALL(mqnotify)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  tell(me, mq_notify(queue, a ? NULL : &event));
}

/* ---- pipes, and what is used as such: end 0 is read, end 1 written ---- */

MACHINE void new_ends(int from, int to)
{
  if (from < 0 || to < 0 || ends + 2 > ENDS)
    give_up("set-up");
  end[ends++] = from;
  end[ends++] = to;
}

SETUP(pipe) /* 1: nobody waits for it */
{
  int two[2] = {-1, -1};
  made(pipe2(two, a ? O_NONBLOCK : 0));
  new_ends(two[0], two[1]);
}
SETUP(sockets) /* b: of which type */
{
  static const int type[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
  int two[2] = {-1, -1};
  made(socketpair(AF_UNIX, type[b] | (a ? SOCK_NONBLOCK : 0), 0, two));
  new_ends(two[0], two[1]);
}
MACHINE void be_blocking(int fd, bool blocking)
{
  int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}
SETUP(fifo)
{
  unlink("p");
  made(mkfifo("p", 0600));
  int from = made(open("p", O_RDONLY | O_NONBLOCK));
  int to = made(open("p", O_WRONLY));
  unlink("p");
  be_blocking(from, !a);
  be_blocking(to, !a);
  new_ends(from, to);
}
MACHINE struct sockaddr_in here(void)
{
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}
SETUP(udp)
{
  int two[2];
  struct sockaddr_in address[2];
  for (int i = 0; i < 2; i++) {
    two[i] = made(socket(AF_INET, SOCK_DGRAM | (a ? SOCK_NONBLOCK : 0), 0));
    address[i] = here();
    socklen_t length = sizeof address[i];
    made(bind(two[i], (struct sockaddr *)&address[i], length));
    made(getsockname(two[i], (struct sockaddr *)&address[i], &length));
  }
  for (int i = 0; i < 2; i++)
    made(connect(two[i], (struct sockaddr *)&address[!i], sizeof address[i]));
  new_ends(two[0], two[1]);
}
SETUP(full) /* after a pipe: no byte fits in */
{
  char page[4096];
  memset(page, 'x', sizeof page);
  fcntl(end[1], F_SETPIPE_SZ, sizeof page);
  made((int)write(end[1], page, sizeof page));
}
CALL(drain)
{
  char page[4096];
  tell(me, read(end[2 * a], page, sizeof page));
}
CALL(send)
{
  char byte = letter(me);
  tell(me, write(end[2 * a + 1], &byte, 1));
}
CALL(sendtwo)
{
  char bytes[] = {letter(me), '-'};
  tell(me, write(end[2 * a + 1], bytes, 2));
}
CALL(recv)
{
  char byte;
  long n = read(end[2 * a], &byte, 1);
  tell_bytes(me, n, &byte);
}
CALL(recvtwo)
{
  char bytes[2];
  long n = read(end[2 * a], bytes, 2);
  tell_bytes(me, n, bytes);
}
CALL(poll) /* b: how long */
{
  struct pollfd p = {.fd = end[a], .events = a & 1 ? POLLOUT : POLLIN};
  int n = poll(&p, 1, b);
  tell(me, n < 0 ? n : p.revents);
}
CALL(pollall)
{
  struct pollfd p[ENDS / 2];
  for (int i = 0; i < ends / 2; i++)
    p[i] = (struct pollfd){.fd = end[2 * i], .events = POLLIN};
  int n = poll(p, (nfds_t)ends / 2, a);
  tell(me, n);
  for (int i = 0; n > 0 && i < ends / 2; i++)
    tell(me, p[i].revents);
}
CALL(available)
{
  int n = 0;
  int result = ioctl(end[2 * a], FIONREAD, &n);
  tell(me, result < 0 ? result : n);
}
CALL(close) { tell(me, close(end[a])); }
CALL(shutdown) { tell(me, shutdown(end[a], b)); }

/* After pipes; 1: told of changes. */
SETUP(epoll)
{
  epoll = made(epoll_create1(0));
  for (int i = 0; i < ends; i += 2) {
    struct epoll_event e = {.events = EPOLLIN | (a ? EPOLLET : 0), .data.u32 = (uint32_t)i};
    made(epoll_ctl(epoll, EPOLL_CTL_ADD, end[i], &e));
  }
}
CALL(epwait)
{
  struct epoll_event e;
  int n = epoll_wait(epoll, &e, 1, a);
  tell(me, n);
  if (n > 0)
    note(me, "/%u,%x", e.data.u32, e.events);
}
CALL(epdel) { tell(me, epoll_ctl(epoll, EPOLL_CTL_DEL, end[2 * a], NULL)); }
CALL(epadd)
{
  struct epoll_event e = {.events = EPOLLIN, .data.u32 = (uint32_t)(2 * a)};
  tell(me, epoll_ctl(epoll, EPOLL_CTL_ADD, end[2 * a], &e));
}
CALL(epmod) /* b: 1: once */
{
  struct epoll_event e = {.events = EPOLLIN | (b ? EPOLLONESHOT : 0), .data.u32 = (uint32_t)(2 * a)};
  tell(me, epoll_ctl(epoll, EPOLL_CTL_MOD, end[2 * a], &e));
}

/* ---- connections: each thread has one ---- */

static union {
  struct sockaddr any;
  struct sockaddr_un local;
  struct sockaddr_in internet;
} address;
static socklen_t address_length;
static int socket_type;

SETUP(listen) /* a: 0: Unix, 1: TCP, 2: Unix, with messages; b: 1: accept() does not wait */
{
  socket_type = a == 2 ? SOCK_SEQPACKET : SOCK_STREAM;
  if (a == 1) {
    address.internet = here();
    address_length = sizeof address.internet;
  } else {
    unlink("s");
    address.local = (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "s"};
    address_length = sizeof address.local;
  }
  listener = made(socket(address.any.sa_family, socket_type | (b ? SOCK_NONBLOCK : 0), 0));
  made(bind(listener, &address.any, address_length));
  made(getsockname(listener, &address.any, &address_length));
  made(listen(listener, 4));
}
CALL(connect)
{
  connection[me->index] = socket(address.any.sa_family, socket_type, 0);
  tell(me, connect(connection[me->index], &address.any, address_length));
}
CALL(accept)
{
  connection[me->index] = accept4(listener, NULL, NULL, 0);
  tell(me, connection[me->index] < 0 ? -1 : 0);
}
CALL(talk)
{
  char byte = letter(me);
  tell(me, send(connection[me->index], &byte, 1, MSG_NOSIGNAL));
}
CALL(hear) /* 1: without a wait */
{
  char byte;
  long n = recv(connection[me->index], &byte, 1, a ? MSG_DONTWAIT : 0);
  tell_bytes(me, n, &byte);
}
CALL(hang) { tell(me, close(connection[me->index])); }
CALL(finish) { tell(me, shutdown(connection[me->index], SHUT_WR)); }
CALL(callers) /* is there one to accept? */
{
  struct pollfd p = {.fd = listener, .events = POLLIN};
  int n = poll(&p, 1, 0);
  tell(me, n < 0 ? n : p.revents);
}

/* ---- a file, opened before the fork, or by each process for itself ---- */

static const char *const path[] = {"f", "n", "m", "s", "p"};
enum { PATHS = sizeof path / sizeof *path };

SETUP(file) /* "0123"; 1: written at its end */
{
  for (int i = 0; i < PATHS; i++)
    unlink(path[i]);
  file = made(open("f", O_RDWR | O_CREAT | O_EXCL | (a ? O_APPEND : 0), 0600));
  if (pwrite(file, "0123", 4, 0) != 4)
    give_up("set-up");
}
SETUP(apart) { opens_own_file = true; }
MACHINE int the_file(void) { return own_file < 0 ? file : own_file; }
CALL(read)
{
  char text[4];
  long n = read(the_file(), text, (size_t)a);
  tell_bytes(me, n, text);
}
CALL(write)
{
  char byte = letter(me);
  tell(me, write(the_file(), &byte, 1));
}
CALL(pread)
{
  char text[4];
  long n = pread(the_file(), text, (size_t)b, a);
  tell_bytes(me, n, text);
}
CALL(pwrite)
{
  char byte = letter(me);
  tell(me, pwrite(the_file(), &byte, 1, a));
}
CALL(seek) { tell(me, lseek(the_file(), a, SEEK_SET)); }
CALL(where) { tell(me, lseek(the_file(), 0, SEEK_CUR)); }
CALL(truncate) { tell(me, ftruncate(the_file(), a)); }
CALL(size)
{
  struct stat s;
  int result = fstat(the_file(), &s);
  tell(me, result < 0 ? result : s.st_size);
}
CALL(flag) /* of the description, which is of both processes */
{
  int flags = fcntl(file, F_GETFL);
  tell(me, fcntl(file, F_SETFL, a ? flags | O_APPEND : flags & ~O_APPEND));
}
MACHINE struct flock range_of(int kind)
{
  static const short type[] = {F_UNLCK, F_RDLCK, F_WRLCK};
  return (struct flock){.l_type = type[kind], .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
}
CALL(range)
{
  struct flock l = range_of(a);
  tell(me, fcntl(the_file(), F_SETLK, &l));
}
CALL(rangewait)
{
  struct flock l = range_of(a);
  tell(me, fcntl(the_file(), F_SETLKW, &l));
}
CALL(rangeget)
{
  struct flock l = range_of(a);
  int result = fcntl(the_file(), F_GETLK, &l);
  if (result < 0)
    tell(me, result);
  else
    note(me, " %d/%d", l.l_type, l.l_type == F_UNLCK ? 0 : l.l_pid == first_process ? 1 : 2);
}
CALL(ofd)
{
  struct flock l = range_of(a);
  tell(me, fcntl(the_file(), F_OFD_SETLK, &l));
}
CALL(ofdwait)
{
  struct flock l = range_of(a);
  tell(me, fcntl(the_file(), F_OFD_SETLKW, &l));
}
MACHINE int flock_kind(int a)
{
  return a == 2 ? LOCK_EX : a == 1 ? LOCK_SH : LOCK_UN;
}
CALL(flock) { tell(me, flock(the_file(), flock_kind(a) | LOCK_NB)); }
CALL(flockwait) { tell(me, flock(the_file(), flock_kind(a))); }

/* Names. */
CALL(excl)
{
  int fd = open(path[a], O_CREAT | O_EXCL | O_RDWR, 0600);
  tell(me, fd < 0 ? fd : 0);
  if (fd >= 0)
    close(fd);
}
CALL(unlink) { tell(me, unlink(path[a])); }
CALL(rename) { tell(me, rename(path[a], path[b])); }
CALL(link) { tell(me, link(path[a], path[b])); }
CALL(there) { tell(me, access(path[a], F_OK)); }
CALL(lowest) /* the number that a new descriptor gets, which stays */
{
  tell(me, open("f", O_RDONLY) - file);
}
SETUP(path) /* of a FIFO that nobody has opened */
{
  unlink("p");
  made(mkfifo("p", 0600));
}
CALL(open) /* 1: to write */
{
  connection[me->index] = open("p", a ? O_WRONLY : O_RDONLY);
  tell(me, connection[me->index] < 0 ? -1 : 0);
}
CALL(say)
{
  char byte = letter(me);
  tell(me, write(connection[me->index], &byte, 1));
}
CALL(listen)
{
  char byte;
  long n = read(connection[me->index], &byte, 1);
  tell_bytes(me, n, &byte);
}

/* ---- processes ---- */

CALL(wait)
{
  int status = 0;
  pid_t who = wait(&status);
  tell_ended(me, who, status);
}
CALL(waitpid) /* of the parent: for the child */
{
  int status = 0;
  pid_t who = waitpid(child, &status, a ? WNOHANG : 0);
  tell_ended(me, who, status);
}
CALL(waitgroup)
{
  int status = 0;
  pid_t who = waitpid(0, &status, a ? WNOHANG : 0);
  tell_ended(me, who, status);
}
CALL(waitstop) /* of the parent: it may have stopped, or go on again */
{
  int status = 0;
  pid_t who = waitpid(child, &status, WUNTRACED | WCONTINUED | WNOHANG);
  if (who > 0 && WIFSTOPPED(status))
    note(me, " stopped");
  else if (who > 0 && WIFCONTINUED(status))
    note(me, " continued");
  else
    tell_ended(me, who, status);
}
CALL(look) /* without taking it away */
{
  siginfo_t info = {0};
  int result = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | (a ? WNOHANG : 0));
  if (result < 0)
    tell(me, result);
  else
    note(me, " %d/%d", info.si_pid ? info.si_code : 0, info.si_pid ? info.si_status : 0);
}
CALL(spawn)
{
  pid_t made = fork();
  if (made == 0) {
    add_atomic(&shared->word[1]);
    _exit(a);
  }
  tell(me, made < 0 ? made : 0);
}
UNSEEN static pid_t make_by_vfork(int status)
{
  pid_t made = vfork();
  if (made == 0)
    _exit(status);
  return made;
}
CALL(vfork) { tell(me, make_by_vfork(a) < 0 ? -1 : 0); }
static char helper_text[2][THREADS][16];
MACHINE char *number_text(const struct self *me, int which, int number)
{
  snprintf(helper_text[which][me->index], 16, "%d", number);
  return helper_text[which][me->index];
}
/* Starts itself as another program, which writes a byte to the first pipe if there is one. */
CALL(start)
{
  extern char **environ;
  char *argv[] = {(char *)itself, "--helper", number_text(me, 0, a), number_text(me, 1, ends ? end[1] : -1), NULL};
  pid_t made;
  tell_error(me, posix_spawn(&made, itself, NULL, NULL, argv, environ));
}
CALL(become) /* of a mortal child: goes on as another program */
{
  execl(itself, itself, "--helper", number_text(me, 0, a), number_text(me, 1, ends ? end[1] : -1), (char *)NULL);
  _exit(98);
}
CALL(parent) { tell(me, getppid() == first_process); }
CALL(exit) { _exit(a); }
SETUP(mortal) { mortal = true; }

/* What each process has for itself, and a fork copies. */
CALL(own)
{
  pthread_mutex_lock(&own_mutex);
  increment(&own_word);
  pthread_mutex_unlock(&own_mutex);
}
CALL(copy) /* a process that takes the lock it got */
{
  pid_t made = fork();
  if (made == 0) {
    pthread_mutex_lock(&own_mutex);
    _exit(a + load(&own_word));
  }
  tell(me, made < 0 ? made : 0);
}
SHARED void before_fork(void) { pthread_mutex_lock(&own_mutex); }
SHARED void after_fork(void) { pthread_mutex_unlock(&own_mutex); }
SETUP(atfork) { made(-pthread_atfork(before_fork, after_fork, after_fork)); }

/* ---- signals ---- */

SHARED void handle(int number __attribute__((unused)))
{
  int saved = errno, mine = getpid() != first_process; /* the child may not know yet who it is */
  if (handles_atomically)
    add_atomic(&shared->handled[mine]);
  else
    store(&shared->word[2], 7 + mine);
  errno = saved;
}
MACHINE void handle_with(int number, void (*handler)(int), bool restart)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = restart ? SA_RESTART : 0};
  sigaction(number, &action, NULL);
}
SETUP(signals) /* a: the handler counts; b: calls that wait go on */
{
  handles_atomically = a;
  handle_with(SIGUSR1, handle, b);
}
MACHINE int change_mask(int how, int number)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return pthread_sigmask(how, &set, NULL);
}
SETUP(blocked) { change_mask(SIG_BLOCK, SIGUSR1); }
SETUP(signalfd)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  signal_descriptor = made(signalfd(-1, &set, SFD_NONBLOCK));
}
MACHINE pid_t other(void)
{
  return process ? first_process : child;
}
CALL(kill) { tell(me, kill(other(), SIGUSR1)); }
CALL(killself) { tell(me, kill(getpid(), SIGUSR1)); }
CALL(killthread) { tell_error(me, pthread_kill(pthread_self(), SIGUSR1)); }
CALL(queue) { tell(me, sigqueue(other(), SIGUSR1, (union sigval){.sival_int = a})); }
CALL(probe) { tell(me, kill(other(), 0)); }
CALL(terminate) { tell(me, kill(child, a ? SIGKILL : SIGTERM)); }
CALL(stop)
{
  tell(me, kill(child, SIGSTOP));
  tell(me, kill(child, SIGCONT));
}
CALL(handled) { tell(me, load_atomic(&shared->handled[a])); }
CALL(block) { tell_error(me, change_mask(a ? SIG_BLOCK : SIG_UNBLOCK, SIGUSR1)); }
CALL(pending)
{
  sigset_t set;
  sigpending(&set);
  tell(me, sigismember(&set, SIGUSR1));
}
CALL(fetch) /* a blocked one; 1: waits for it */
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  siginfo_t info = {0};
  int number = a ? sigwaitinfo(&set, &info) : sigtimedwait(&set, &info, &(struct timespec){0});
  tell(me, number < 0 ? number : number == SIGUSR1);
  if (number > 0)
    note(me, "/%d", info.si_code);
}
CALL(suspend)
{
  sigset_t set;
  sigemptyset(&set);
  tell(me, sigsuspend(&set));
}
CALL(sigread)
{
  struct signalfd_siginfo info;
  long n = read(signal_descriptor, &info, sizeof info);
  tell(me, n < 0 ? n : info.ssi_signo == SIGUSR1);
}

/* The ends of children. */
SHARED void handle_end(int number __attribute__((unused)))
{
  int saved = errno, status;
  while (waitpid(-1, &status, WNOHANG) > 0)
    add_atomic(&shared->word[3]);
  errno = saved;
}
SETUP(ends) /* told by a signal. a: 0: counted, 1: the handler waits for them, 2: the signal is ignored; b: blocked */
{
  handles_atomically = true;
  if (a == 2)
    signal(SIGCHLD, SIG_IGN);
  else
    handle_with(SIGCHLD, a ? handle_end : handle, true);
  if (b)
    change_mask(SIG_BLOCK, SIGCHLD);
}
CALL(ended) /* waits for the signal, which is blocked */
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  siginfo_t info = {0};
  int number = sigwaitinfo(&set, &info);
  tell(me, number < 0 ? number : info.si_code);
}
CALL(allow) { tell_error(me, change_mask(SIG_UNBLOCK, SIGCHLD)); }

/* ---- time ---- */

SETUP(alarms)
{
  handles_atomically = true;
  handle_with(SIGALRM, handle, a);
}
CALL(itimer) /* in so many milliseconds; 0: not any more */
{
  struct itimerval t = {.it_value.tv_usec = a * 1000}, old;
  int result = setitimer(ITIMER_REAL, &t, &old);
  tell(me, result < 0 ? result : old.it_value.tv_sec || old.it_value.tv_usec);
}
CALL(timer)
{
  timer_t timer;
  struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct itimerspec t = {.it_value.tv_nsec = 1000000};
  int result = timer_create(CLOCK_MONOTONIC, &how, &timer);
  tell(me, result < 0 ? result : timer_settime(timer, 0, &t, NULL));
}
CALL(nap) { tell(me, nanosleep(&(struct timespec){.tv_nsec = a * 1000000}, NULL)); }
SETUP(timerfd) { timer_descriptor = made(timerfd_create(CLOCK_MONOTONIC, a ? TFD_NONBLOCK : 0)); }
CALL(tfdset)
{
  struct itimerspec t = {.it_value.tv_nsec = a * 1000000};
  tell(me, timerfd_settime(timer_descriptor, 0, &t, NULL));
}
CALL(tfdread)
{
  uint64_t times;
  long n = read(timer_descriptor, &times, sizeof times);
  tell(me, n < 0 ? n : (long)times);
}
CALL(tfdpoll)
{
  struct pollfd p = {.fd = timer_descriptor, .events = POLLIN};
  int n = poll(&p, 1, a);
  tell(me, n < 0 ? n : p.revents);
}

SETUP(event) /* b: 1: nobody waits for it, 2: and one at a time */
{
  event = made(eventfd((unsigned)a, (b ? EFD_NONBLOCK : 0) | (b == 2 ? EFD_SEMAPHORE : 0)));
}
CALL(evread)
{
  uint64_t value;
  long n = read(event, &value, sizeof value);
  tell(me, n < 0 ? n : (long)value);
}
CALL(evwrite)
{
  uint64_t value = (uint64_t)a;
  tell(me, write(event, &value, sizeof value));
}
CALL(evpoll)
{
  struct pollfd p = {.fd = event, .events = POLLIN | POLLOUT};
  int n = poll(&p, 1, 0);
  tell(me, n < 0 ? n : p.revents);
}

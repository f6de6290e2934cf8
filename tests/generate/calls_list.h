/* SPDX-License-Identifier: Apache-2.0
 *
 * What generated programs are made of: set-ups and calls, a line or a few each, by object. Part of calls.c, which says what
 * me, a and b are. A call tells what it returned, so that no order of two calls that the system can tell apart goes
 * unnoticed; no call blocks but those whose names say that they wait, and those of blocking descriptors.
 */
/* clang-format off */

/* ---- files by their names ---- */

MACHINE void remove_inside(const char *name)
{
  for (int i = 0; i < PATHS; i++) {
    char inside[32];
    snprintf(inside, sizeof inside, "%s/%s", name, path[i] + (path[i][1] == '/' ? 2 : 0));
    if (unlink(inside))
      rmdir(inside);
  }
}

MACHINE void remove_files(void)
{
  for (int i = 0; i < PATHS; i++)
    if (unlink(path[i]) && errno == EISDIR) {
      remove_inside(path[i]);
      rmdir(path[i]);
    }
}

/* What an execution that failed may have left goes first. */
MACHINE void use_files(void)
{
  if (uses_files)
    return;
  uses_files = true;
  umask(022);
  remove_files();
}

MACHINE void make_file(const char *name, const char *content)
{
  int f = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (f < 0 || write(f, content, strlen(content)) < 0 || close(f) < 0)
    perror("calls: set-up");
}

SETUP(files)
{
  use_files();
  make_file("f", "abcd");
  make_file("e", "xy");
  if (mkdir("d", 0755) || symlink("f", "l"))
    perror("calls: set-up");
}

/* New descriptors are told by their numbers. */
SETUP(numbers) { shows_numbers = true; }

/* After files: the folder is not empty. */
SETUP(full)
{
  make_file("d/m", "m");
}

CALL(excl) { tell_number(me, open(path[a], O_CREAT | O_EXCL | O_RDWR, 0666)); }
CALL(creat) { tell_number(me, creat(path[a], 0666)); }
CALL(open) { tell_number(me, open(path[a], O_RDONLY)); }
CALL(openw) { tell_number(me, open(path[a], O_WRONLY)); }
CALL(opencreate) { tell_number(me, open(path[a], O_RDWR | O_CREAT, 0600)); }
CALL(opendirectory) { tell_number(me, open(path[a], O_RDONLY | O_DIRECTORY)); }
CALL(openat2)
{
  struct open_how how = {.flags = O_RDWR | O_CREAT | O_EXCL, .mode = 0640};
  tell_number(me, (int)syscall(SYS_openat2, AT_FDCWD, path[a], &how, sizeof how));
}
CALL(tmpfile) { tell_number(me, open("d", O_TMPFILE | O_RDWR, 0600)); }
CALL(unlink) { tell(me, unlink(path[a])); }
CALL(unlinkat) { tell(me, unlinkat(root, path[a], b ? AT_REMOVEDIR : 0)); }
CALL(remove) { tell(me, remove(path[a])); }
CALL(mkdir) { tell(me, mkdir(path[a], 0777)); }
CALL(mkdirat) { tell(me, mkdirat(root, path[a], 0700)); }
CALL(rmdir) { tell(me, rmdir(path[a])); }
CALL(rename) { tell(me, rename(path[a], path[b])); }
CALL(renameat) { tell(me, renameat(root, path[a], root, path[b])); }
CALL(exchange) { tell(me, renameat2(root, path[a], root, path[b], RENAME_EXCHANGE)); }
CALL(noreplace) { tell(me, renameat2(root, path[a], root, path[b], RENAME_NOREPLACE)); }
CALL(link) { tell(me, link(path[a], path[b])); }
CALL(linkat) { tell(me, linkat(root, path[a], root, path[b], AT_SYMLINK_FOLLOW)); }
CALL(symlink) { tell(me, symlink(path[a], path[b])); }
CALL(symlinkat) { tell(me, symlinkat(path[a], root, path[b])); }
CALL(mknodat) { tell(me, mknodat(root, path[a], S_IFREG | 0600, 0)); }
CALL(truncate) { tell(me, truncate(path[a], b)); }
CALL(chmod) { tell(me, chmod(path[a], b ? 0711 : 0600)); }
CALL(fchmodat) { tell(me, fchmodat(root, path[a], b ? 0744 : 0640, 0)); }
CALL(chown) { tell(me, chown(path[a], (uid_t)-1, getgid())); }
CALL(lchown) { tell(me, lchown(path[a], (uid_t)-1, getgid())); }
CALL(fchownat) { tell(me, fchownat(root, path[a], (uid_t)-1, getgid(), 0)); }
CALL(access) { tell(me, access(path[a], F_OK)); }
CALL(stat)
{
  struct stat s;
  int result = stat(path[a], &s);
  tell_status(me, result, &s);
}
CALL(lstat)
{
  struct stat s;
  int result = lstat(path[a], &s);
  tell_status(me, result, &s);
}
CALL(statx)
{
  struct statx s;
  int result = statx(root, path[a], 0, STATX_BASIC_STATS, &s);
  tell(me, result < 0 ? result : (long)s.stx_mode);
}
CALL(readlink)
{
  char to[32];
  long n = readlink(path[a], to, sizeof to);
  tell_bytes(me, n, to);
}
CALL(utimens)
{
  struct timespec t[2] = {{b, 0}, {b, 0}};
  tell(me, utimensat(root, path[a], t, 0));
}
CALL(utimes)
{
  struct timeval t[2] = {{b, 0}, {b, 0}};
  tell(me, utimes(path[a], t));
}
CALL(mtime)
{
  struct stat s;
  int result = stat(path[a], &s);
  tell(me, result < 0 ? result : s.st_mtime < 100 ? s.st_mtime : 100);
}
CALL(setxattr)
{
  char value = (char)('0' + b);
  tell(me, setxattr(path[a], "user.x", &value, 1, 0));
}
CALL(getxattr)
{
  char value[4];
  long n = getxattr(path[a], "user.x", value, sizeof value);
  tell_bytes(me, n, value);
}
CALL(list)
{
  DIR *d = opendir(path[a]);
  if (!d) {
    tell(me, -1);
    return;
  }
  int entries = 0;
  while (readdir(d))
    entries++;
  closedir(d);
  tell(me, entries);
}
CALL(slurp)
{
  char text[8];
  int f = open(path[a], O_RDONLY | O_NONBLOCK);
  long n = f < 0 ? f : read(f, text, sizeof text);
  tell_bytes(me, n, text);
  if (f >= 0)
    close(f);
}
CALL(spit)
{
  int f = open(path[a], O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0600);
  tell(me, f < 0 ? f : write(f, b ? "BB" : "A", b ? 2 : 1));
  if (f >= 0)
    close(f);
}

/* ---- the mask of new files, the working folder ---- */

CALL(umask) { tell(me, (long)umask(b ? 022 : 077)); }
CALL(chdir) { tell(me, chdir(path[a])); }
CALL(fchdir) { tell(me, fchdir(root)); }
CALL(getcwd)
{
  char where[512];
  const char *name = getcwd(where, sizeof where) ? strrchr(where, '/') : NULL;
  tell_text(me, !name ? "-" : !strcmp(name, "/d") ? "d" : "/");
}

/* ---- an open file: its descriptors, their offsets and flags ---- */

/* Two descriptors of one open file, one of another, one that appends; all of file f. */
SETUP(opened)
{
  new_slot(open("f", O_RDWR));
  new_slot(dup(slot[0]));
  new_slot(open("f", O_RDWR));
  new_slot(open("f", O_WRONLY | O_APPEND));
  shows_slots = true;
}

CALL(read)
{
  char text[4];
  long n = read(fd(a), text, (size_t)b);
  tell_bytes(me, n, text);
}
CALL(write) { tell(me, write(fd(a), b ? "YZ" : "X", b ? 2 : 1)); }
CALL(pread)
{
  char text[4];
  long n = pread(fd(a), text, 2, b);
  tell_bytes(me, n, text);
}
CALL(pwrite) { tell(me, pwrite(fd(a), me->index ? "p" : "qq", me->index ? 1 : 2, b)); }
CALL(readv)
{
  char one[1], two[2];
  struct iovec v[2] = {{one, 1}, {two, 2}};
  long n = readv(fd(a), v, 2);
  char text[3] = {one[0], two[0], two[1]};
  tell_bytes(me, n, text);
}
CALL(writev)
{
  struct iovec v[2] = {{"v", 1}, {"w", 1}};
  tell(me, writev(fd(a), v, 2));
}
CALL(preadv)
{
  char one[1], two[1];
  struct iovec v[2] = {{one, 1}, {two, 1}};
  long n = preadv(fd(a), v, 2, b);
  char text[2] = {one[0], two[0]};
  tell_bytes(me, n, text);
}
CALL(pwritev)
{
  struct iovec v[2] = {{"s", 1}, {"t", 1}};
  tell(me, pwritev(fd(a), v, 2, b));
}
CALL(seek) { tell(me, lseek(fd(a), b, SEEK_SET)); }
CALL(seekend) { tell(me, lseek(fd(a), b, SEEK_END)); }
CALL(where) { tell(me, lseek(fd(a), 0, SEEK_CUR)); }
CALL(ftruncate) { tell(me, ftruncate(fd(a), b)); }
CALL(fallocate) { tell(me, fallocate(fd(a), 0, 0, b)); }
CALL(fsync) { tell(me, b ? fdatasync(fd(a)) : fsync(fd(a))); }
CALL(fadvise) { tell(me, posix_fadvise(fd(a), 0, 0, POSIX_FADV_NORMAL)); }
CALL(fchmod) { tell(me, fchmod(fd(a), b ? 0711 : 0600)); }
CALL(fchown) { tell(me, fchown(fd(a), (uid_t)-1, getgid())); }
CALL(fstat)
{
  struct stat s;
  int result = fstat(fd(a), &s);
  tell_status(me, result, &s);
}
CALL(sendfile) { tell(me, sendfile(fd(a), fd(b), NULL, 2)); }
CALL(copyrange) { tell(me, copy_file_range(fd(a), NULL, fd(b), NULL, 2, 0)); }
CALL(splice) { tell(me, splice(fd(a), NULL, fd(b), NULL, 1, SPLICE_F_NONBLOCK)); }
CALL(tee) { tell(me, tee(fd(a), fd(b), 1, SPLICE_F_NONBLOCK)); }
CALL(vmsplice)
{
  struct iovec v = {"u", 1};
  tell(me, vmsplice(fd(a), &v, 1, SPLICE_F_NONBLOCK));
}
CALL(dup) { tell_number(me, dup(fd(a))); }
CALL(dup2) { tell_number(me, dup2(fd(a), fd(b))); }
CALL(dup3) { tell_number(me, dup3(fd(a), fd(b), O_CLOEXEC)); }
CALL(dupfd) { tell_number(me, fcntl(fd(a), F_DUPFD, fd(b))); }
CALL(close) { tell(me, close(fd(a))); }
CALL(closerange) { tell(me, (long)syscall(SYS_close_range, fd(a), fd(b), 0)); }
CALL(memfd) { tell_number(me, memfd_create("m", 0)); }
CALL(pipe)
{
  int ends[2];
  int result = pipe2(ends, O_NONBLOCK);
  if (result < 0)
    tell(me, result);
  else
    note(me, " %d,%d", shows_numbers ? ends[0] - first_number : 0, shows_numbers ? ends[1] - first_number : 0);
}
CALL(getfl)
{
  int flags = fcntl(fd(a), F_GETFL);
  tell(me, flags < 0 ? flags : flags & (O_ACCMODE | O_NONBLOCK | O_APPEND));
}
CALL(setfl) { tell(me, fcntl(fd(a), F_SETFL, b == 0 ? 0 : b == 1 ? O_NONBLOCK : O_APPEND)); }
CALL(getfd) { tell(me, fcntl(fd(a), F_GETFD)); }
CALL(setfd) { tell(me, fcntl(fd(a), F_SETFD, b)); }

/* ---- locks of files ---- */

CALL(flock) { tell(me, flock(fd(a), (b ? LOCK_EX : LOCK_SH) | LOCK_NB)); }
CALL(flockwait) { tell(me, flock(fd(a), b ? LOCK_EX : LOCK_SH)); }
CALL(funlock) { tell(me, flock(fd(a), LOCK_UN)); }
MACHINE int lock_range(int fd, int command, short type)
{
  struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 2};
  int result = fcntl(fd, command, &l);
  return result < 0 ? result : command == F_GETLK || command == F_OFD_GETLK ? l.l_type : result;
}
CALL(ofd) { tell(me, lock_range(fd(a), F_OFD_SETLK, b == 0 ? F_UNLCK : b == 1 ? F_RDLCK : F_WRLCK)); }
CALL(ofdwait) { tell(me, lock_range(fd(a), F_OFD_SETLKW, b == 1 ? F_RDLCK : F_WRLCK)); }
CALL(ofdget) { tell(me, lock_range(fd(a), F_OFD_GETLK, b == 1 ? F_RDLCK : F_WRLCK)); }
CALL(posixlock) { tell(me, lock_range(fd(a), F_SETLK, b == 0 ? F_UNLCK : b == 1 ? F_RDLCK : F_WRLCK)); }

/* ---- pipes, events, sockets ---- */

/* Reading end, writing end, a byte in it for each unit of the argument; blocking or not. */
MACHINE void set_up_pipe(int bytes, int flags)
{
  int ends[2];
  if (pipe2(ends, flags) || write(ends[1], "012345", (size_t)bytes) < 0)
    perror("calls: set-up");
  new_slot(ends[0]);
  new_slot(ends[1]);
  shows_slots = true;
}
SETUP(pipe) { set_up_pipe(a, O_NONBLOCK); }
SETUP(waitpipe) { set_up_pipe(a, 0); }
SETUP(eventfd) { new_slot(eventfd((unsigned)a, EFD_NONBLOCK | (b ? EFD_SEMAPHORE : 0))); }
SETUP(waiteventfd) { new_slot(eventfd((unsigned)a, b ? EFD_SEMAPHORE : 0)); }
MACHINE void set_up_sockets(int type)
{
  int ends[2];
  if (socketpair(AF_UNIX, type, 0, ends))
    perror("calls: set-up");
  new_slot(ends[0]);
  new_slot(ends[1]);
}
SETUP(sockets)
{
  set_up_sockets((a == 0 ? SOCK_STREAM : a == 1 ? SOCK_DGRAM : SOCK_SEQPACKET) | SOCK_NONBLOCK);
}
SETUP(waitsockets) { set_up_sockets(a == 0 ? SOCK_STREAM : a == 1 ? SOCK_DGRAM : SOCK_SEQPACKET); }

CALL(available)
{
  int n = 0;
  int result = ioctl(fd(a), FIONREAD, &n);
  tell(me, result < 0 ? result : n);
}
CALL(nonblock)
{
  int on = b;
  tell(me, ioctl(fd(a), FIONBIO, &on));
}
CALL(pipesize)
{
  int size = b ? fcntl(fd(a), F_SETPIPE_SZ, b * 4096) : fcntl(fd(a), F_GETPIPE_SZ);
  tell(me, size);
}
MACHINE void wait_ready(struct self *me, int first, int count, int milliseconds)
{
  struct pollfd p[SLOTS];
  for (int i = 0; i < count; i++)
    p[i] = (struct pollfd){.fd = fd(first + i), .events = POLLIN};
  int n = poll(p, (nfds_t)count, milliseconds);
  tell(me, n);
  for (int i = 0; i < count && n > 0; i++)
    note(me, ":%x", (unsigned)p[i].revents);
}
CALL(poll) { wait_ready(me, a, 1, b); }
CALL(pollall) { wait_ready(me, 0, slots, b); }
CALL(pollout)
{
  struct pollfd p = {.fd = fd(a), .events = POLLOUT};
  int n = poll(&p, 1, 0);
  tell(me, n <= 0 ? n : p.revents);
}
CALL(ppoll)
{
  struct pollfd p = {.fd = fd(a), .events = POLLIN};
  int n = ppoll(&p, 1, &(struct timespec){0, b * 1000000}, NULL);
  tell(me, n <= 0 ? n : p.revents);
}
CALL(select)
{
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd(a), &set);
  tell(me, select(fd(a) + 1, &set, NULL, NULL, &(struct timeval){0, b * 1000}));
}
CALL(pselect)
{
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd(a), &set);
  tell(me, pselect(fd(a) + 1, &set, NULL, NULL, &(struct timespec){0, b * 1000000}, NULL));
}
CALL(evread)
{
  uint64_t n = 0;
  long result = read(fd(a), &n, sizeof n);
  tell(me, result < 0 ? result : (long)n);
}
CALL(evwrite)
{
  uint64_t n = (uint64_t)b;
  tell(me, write(fd(a), &n, sizeof n));
}
CALL(send) { tell(me, send(fd(a), b ? "HI" : "h", b ? 2 : 1, MSG_NOSIGNAL)); }
CALL(recv)
{
  char text[4];
  long n = recv(fd(a), text, (size_t)(b & 3), b & 4 ? MSG_PEEK : 0);
  tell_bytes(me, n, text);
}
CALL(sendmsg)
{
  struct iovec v = {"k", 1};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  tell(me, sendmsg(fd(a), &m, MSG_NOSIGNAL));
}
CALL(recvmsg)
{
  char text[4];
  struct iovec v = {text, sizeof text};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  long n = recvmsg(fd(a), &m, 0);
  tell_bytes(me, n, text);
}
CALL(sendmmsg)
{
  struct iovec v[2] = {{"i", 1}, {"j", 1}};
  struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
                         {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
  tell(me, sendmmsg(fd(a), m, 2, MSG_NOSIGNAL));
}
CALL(recvmmsg)
{
  char one[2], two[2];
  struct iovec v[2] = {{one, 1}, {two, 1}};
  struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
                         {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
  tell(me, recvmmsg(fd(a), m, 2, 0, NULL));
}
CALL(shutdown) { tell(me, shutdown(fd(a), b)); }
CALL(sockopt)
{
  int on = b;
  tell(me, setsockopt(fd(a), SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
}
CALL(getsockopt)
{
  int on = 0;
  socklen_t size = sizeof on;
  int result = getsockopt(fd(a), SOL_SOCKET, SO_PASSCRED, &on, &size);
  tell(me, result < 0 ? result : on);
}

/* Two sockets that may be bound to a path each, one that listens at path m, one that may connect to it. */
SETUP(unbound)
{
  use_files();
  for (int i = 0; i < 4; i++)
    new_slot(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "m"};
  if (bind(slot[2], (struct sockaddr *)&at, sizeof at) || listen(slot[2], 1))
    perror("calls: set-up");
}
/* One that listens and one that can connect to it; both block. */
SETUP(waitlisten)
{
  use_files();
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "m"};
  new_slot(socket(AF_UNIX, SOCK_STREAM, 0));
  new_slot(socket(AF_UNIX, SOCK_STREAM, 0));
  if (bind(slot[0], (struct sockaddr *)&at, sizeof at) || listen(slot[0], 1))
    perror("calls: set-up");
}
SETUP(fifo)
{
  use_files();
  if (mkfifo("m", 0600))
    perror("calls: set-up");
}
CALL(socket) { tell_number(me, socket(AF_UNIX, SOCK_STREAM, 0)); }
CALL(socketpair)
{
  int ends[2];
  int result = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  tell_number(me, result < 0 ? result : ends[0]);
}
MACHINE struct sockaddr_un address(int a)
{
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  strcpy(at.sun_path, path[a]);
  return at;
}
CALL(bind)
{
  struct sockaddr_un at = address(b);
  tell(me, bind(fd(a), (struct sockaddr *)&at, sizeof at));
}
CALL(listen) { tell(me, listen(fd(a), 1)); }
CALL(connect)
{
  struct sockaddr_un at = address(b);
  tell(me, connect(fd(a), (struct sockaddr *)&at, sizeof at));
}
CALL(accept) { tell_number(me, b ? accept4(fd(a), NULL, NULL, SOCK_NONBLOCK) : accept(fd(a), NULL, NULL)); }
CALL(sockname)
{
  struct sockaddr_un at;
  socklen_t size = sizeof at;
  int result = getsockname(fd(a), (struct sockaddr *)&at, &size);
  if (result < 0)
    tell(me, result);
  else
    tell_text(me, size > sizeof at.sun_family ? at.sun_path : "-");
}
CALL(peername)
{
  struct sockaddr_un at;
  socklen_t size = sizeof at;
  tell_done(me, getpeername(fd(a), (struct sockaddr *)&at, &size));
}

/* A pipe, and a set that has its reading end (argument 1) or nothing yet. */
SETUP(epoll)
{
  set_up_pipe(b, O_NONBLOCK);
  new_slot(epoll_create1(0));
  struct epoll_event e = {.events = EPOLLIN, .data.u32 = 1};
  if (a && epoll_ctl(slot[2], EPOLL_CTL_ADD, slot[0], &e))
    perror("calls: set-up");
}
MACHINE long change_set(int command, unsigned events, uint32_t data)
{
  struct epoll_event e = {.events = events, .data.u32 = data};
  return epoll_ctl(slot[2], command, slot[0], &e);
}
CALL(epadd) { tell(me, change_set(EPOLL_CTL_ADD, EPOLLIN | (a == 1 ? EPOLLET : a == 2 ? EPOLLONESHOT : 0), 2)); }
CALL(epmod) { tell(me, change_set(EPOLL_CTL_MOD, a ? EPOLLIN | (b ? EPOLLONESHOT : 0) : 0, 3)); }
CALL(epdel) { tell(me, change_set(EPOLL_CTL_DEL, 0, 0)); }
CALL(epwait)
{
  struct epoll_event e[2];
  int n = epoll_wait(slot[2], e, 2, a);
  tell(me, n <= 0 ? n : (long)e[0].data.u32);
}
CALL(eppwait)
{
  struct epoll_event e[2];
  int n = a ? epoll_pwait(slot[2], e, 2, 0, NULL) : epoll_pwait2(slot[2], e, 2, &(struct timespec){0, 0}, NULL);
  tell(me, n <= 0 ? n : (long)e[0].data.u32);
}
CALL(epcreate) { tell_number(me, a ? epoll_create(1) : epoll_create1(0)); }

/* ---- watches ---- */

SETUP(inotify) { new_slot(inotify_init1(IN_NONBLOCK)); }
CALL(watch) { tell(me, inotify_add_watch(fd(0), path[a], IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVE)); }
CALL(unwatch) { tell(me, inotify_rm_watch(fd(0), a)); }
CALL(watched)
{
  char events[512];
  long n = read(fd(0), events, sizeof events);
  tell(me, n);
}

/* ---- memory ---- */

/* Two pages: of file f, shared (0), or of nothing, private (1). */
SETUP(mapped)
{
  int f = a ? -1 : open("f", O_RDWR);
  if (!a && ftruncate(f, 8192))
    perror("calls: set-up");
  area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, a ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, f, 0);
  if (a)
    area[0] = area[4096] = 'a';
  if (f >= 0)
    close(f);
}
SHARED char load_byte(char *at)
{
  return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}
SHARED void store_byte(char *at, char value)
{
  __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}
CALL(load)
{
  char c = load_byte(area + a * 4096);
  note(me, " '%c'", c ? c : '0');
}
CALL(store)
{
  store_byte(area + a * 4096, (char)('A' + me->index));
  note(me, " .");
}
CALL(discard) { tell(me, madvise(area + a * 4096, 4096, MADV_DONTNEED)); }
CALL(protect) { tell(me, mprotect(area + 4096, 4096, a ? PROT_READ : PROT_READ | PROT_WRITE)); }
CALL(msync) { tell(me, msync(area, 8192, MS_SYNC)); }
CALL(mapover)
{
  void *p = mmap(area + a * 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  tell(me, p == MAP_FAILED ? -1 : 0);
}
CALL(map)
{
  void *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  tell(me, p == MAP_FAILED ? -1 : 0);
}
CALL(readover) /* the kernel writes to the mapping */
{
  tell(me, pread(fd(0), area + a * 4096, 1, b));
}
CALL(writefrom) { tell(me, pwrite(fd(0), area + a * 4096, 1, b)); }
CALL(mlock) { tell(me, b ? munlock(area, 4096) : mlock(area, 4096)); }
CALL(incore)
{
  unsigned char pages[2];
  tell(me, mincore(area, 8192, pages));
}

/* ---- memory of the program, among calls ---- */

SHARED unsigned load_word(uint32_t *at)
{
  return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}
SHARED void store_word(uint32_t *at, uint32_t value)
{
  __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}
CALL(get) { tell(me, load_word(&shared_word[a])); }
CALL(put)
{
  store_word(&shared_word[a], (uint32_t)b);
  note(me, " .");
}
SHARED int compare(const void *a, const void *b)
{
  int sign = load_word(&shared_word[0]) ? -1 : 1;
  return sign * (*(const char *)a - *(const char *)b);
}
CALL(qsort)
{
  char text[2] = {'q', 'p'};
  qsort(text, 2, 1, compare);
  tell_bytes(me, 2, text);
}
CALL(bsearch)
{
  char key = 'b';
  const char *found = bsearch(&key, "abc", 3, 1, compare);
  tell(me, found ? *found : 0);
}

/* ---- the environment and what libc keeps to itself ---- */

SETUP(environment) { setenv("TZ", "UTC0", 1); }
CALL(setenv) { tell(me, setenv(a ? "HV" : "HU", b ? "two" : "one", 1)); }
CALL(setenvkeep) { tell(me, setenv(a ? "HV" : "HU", "kept", 0)); }
CALL(unsetenv) { tell(me, unsetenv(a ? "HV" : "HU")); }
CALL(putenv) { tell(me, putenv(b ? "HU=put" : "HU=PUT")); }
CALL(getenv) { tell_text(me, getenv(a ? "HV" : "HU")); }
CALL(rand) { tell(me, rand()); }
CALL(srand)
{
  srand((unsigned)a);
  note(me, " .");
}
CALL(random) { tell(me, random()); }
CALL(drand)
{
  tell(me, (long)(drand48() * 1000));
}
CALL(srand48)
{
  srand48(a);
  note(me, " .");
}
SETUP(strtok)
{
  static char words[] = "m,n,o,p,q";
  strtok(words, ",");
}
CALL(strtok)
{
  strcpy(own[me->index].words, me->index ? "a,b,c" : "1,2,3");
  tell_text(me, strtok(own[me->index].words, ","));
}
CALL(nexttok) { tell_text(me, strtok(NULL, ",")); }
static const time_t times[2] = {0, 1000000000};
SHARED int year(const struct tm *tm)
{
  return tm->tm_year;
}
CALL(localtime) { own[me->index].tm = localtime(&times[a]); }
CALL(gmtime) { own[me->index].tm = gmtime(&times[a]); }
CALL(year) { tell(me, own[me->index].tm ? year(own[me->index].tm) : -1); }
CALL(ctime) { own[me->index].said = ctime(&times[a]); }
SHARED char first_of(const char *text)
{
  return text[0];
}
CALL(ntoa) { own[me->index].said = inet_ntoa((struct in_addr){htonl(a ? 0x01020304 : 0x09020304)}); }
CALL(said) { note(me, " %c", own[me->index].said ? first_of(own[me->index].said) : '-'); }
CALL(setlocale) { tell_text(me, setlocale(LC_ALL, a == 0 ? NULL : a == 1 ? "C" : "C.UTF-8")); }
CALL(tzset)
{
  tzset();
  note(me, " .");
}

SETUP(folder) { folder = opendir("."); }
CALL(readdir)
{
  tell_text(me, readdir(folder) ? "entry" : "end");
}
CALL(rewinddir)
{
  rewinddir(folder);
  note(me, " .");
}
SETUP(stream)
{
  stream = fopen("f", a == 0 ? "r+" : a == 1 ? "w" : "a");
  if (stream && b)
    setvbuf(stream, NULL, _IONBF, 0);
}
CALL(fputs) { tell_done(me, fputs(me->index ? "one" : "TWO", stream)); }
CALL(putc) { tell(me, putc('0' + me->index, stream)); }
CALL(fgetc)
{
  int c = fgetc(stream);
  note(me, c < 0 ? " end" : " %c", c);
}
CALL(fflush) { tell(me, fflush(stream)); }
CALL(frewind)
{
  rewind(stream);
  note(me, " .");
}
CALL(ftell) { tell(me, ftell(stream)); }
CALL(fprintf) { tell(me, fprintf(stream, "%d%d", me->index, b)); }
CALL(flockfile)
{
  flockfile(stream);
  putc('(', stream);
  putc(')', stream);
  funlockfile(stream);
  note(me, " .");
}

/* ---- signals ---- */

static const int signal_of[2] = {SIGUSR1, SIGUSR2};

/* Private to a thread, and equal but between two of its own stores, where only its own handler can look. */
static _Thread_local volatile uint32_t pair[2];

static void on_signal(int number)
{
  __atomic_add_fetch(&handled[number != SIGUSR1], pair[0] == pair[1] ? 1 : 10, __ATOMIC_SEQ_CST);
}

MACHINE sigset_t set_of(int a)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_of[a]);
  return set;
}

/* Both signals have a handler; blocked (1) in every thread or not. */
SETUP(signals)
{
  struct sigaction action = {.sa_handler = on_signal};
  for (int i = 0; i < 2; i++)
    sigaction(signal_of[i], &action, NULL);
  sigset_t both = set_of(0);
  sigaddset(&both, SIGUSR2);
  if (a)
    pthread_sigmask(SIG_BLOCK, &both, NULL);
  shows_signals = true;
}
/* The threads know each other before their first calls, and none is joined before the last one was made. */
SETUP(met) { meets = !pthread_barrier_init(&meeting, NULL, (unsigned)program_threads) && !sem_init(&parting, 0, 0); }
CALL(kill) { tell(me, kill(getpid(), signal_of[a])); }
CALL(raise) { tell(me, raise(signal_of[a])); }
CALL(killmain) { tell(me, -pthread_kill(main_thread, signal_of[a])); }
SHARED void store_pair(uint32_t value)
{
  pair[0] = value;
  pair[1] = value;
}
CALL(pair)
{
  store_pair(pair[0] + 1);
  note(me, " .");
}
CALL(killother)
{
  tell(me, pthread_kill(thread_id[1 - me->index], signal_of[a]));
}
CALL(suspend) /* with no signal blocked */
{
  sigset_t none;
  sigemptyset(&none);
  tell(me, sigsuspend(&none));
}
CALL(queue) { tell(me, sigqueue(getpid(), signal_of[a], (union sigval){.sival_int = b})); }
CALL(block)
{
  sigset_t set = set_of(a), old;
  int result = pthread_sigmask(b ? SIG_UNBLOCK : SIG_BLOCK, &set, &old);
  tell(me, result ? result : sigismember(&old, signal_of[a]));
}
CALL(pending)
{
  sigset_t set;
  sigpending(&set);
  tell(me, sigismember(&set, signal_of[a]));
}
CALL(take) /* with a time of 0 or 1 ms */
{
  sigset_t set = set_of(a);
  tell(me, sigtimedwait(&set, NULL, &(struct timespec){0, b * 1000000}));
}
CALL(sigwait)
{
  sigset_t set = set_of(a);
  int number = 0;
  tell(me, sigwait(&set, &number) ? -1 : number);
}
CALL(handled) { tell(me, load_word(&handled[a])); }
CALL(action) /* handled, ignored */
{
  struct sigaction action = {.sa_handler = b ? SIG_IGN : on_signal}, old;
  int result = sigaction(signal_of[a], &action, &old);
  tell(me, result ? result : old.sa_handler == SIG_IGN);
}
SETUP(signalfd)
{
  sigset_t both = set_of(0);
  sigaddset(&both, SIGUSR2);
  new_slot(signalfd(-1, &both, SFD_NONBLOCK));
}
CALL(sigread)
{
  struct signalfd_siginfo info;
  long n = read(fd(0), &info, sizeof info);
  tell(me, n < 0 ? n : (long)info.ssi_signo);
}

/* ---- time ---- */

SETUP(timerfd) { new_slot(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)); }
SETUP(waittimerfd) { new_slot(timerfd_create(CLOCK_MONOTONIC, 0)); }
CALL(tfdset) /* 0 disarms */
{
  struct itimerspec t = {{0, 0}, {0, a * 1000000}}, old;
  int result = timerfd_settime(fd(0), 0, &t, &old);
  tell(me, result < 0 ? result : old.it_value.tv_sec || old.it_value.tv_nsec);
}
CALL(tfdget)
{
  struct itimerspec now;
  int result = timerfd_gettime(fd(0), &now);
  tell(me, result < 0 ? result : now.it_value.tv_sec || now.it_value.tv_nsec);
}
CALL(nap) { tell(me, nanosleep(&(struct timespec){0, a * 500000}, NULL)); }
CALL(clocknap) { tell(me, -clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, a * 500000}, NULL)); }
CALL(yield) { tell(me, sched_yield()); }
SETUP(alarms)
{
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGALRM, &action, NULL);
  shows_signals = true;
}
CALL(itimer)
{
  struct itimerval t = {{0, 0}, {0, a * 1000}}, old;
  int result = setitimer(ITIMER_REAL, &t, &old);
  tell(me, result < 0 ? result : old.it_value.tv_sec || old.it_value.tv_usec);
}
CALL(getitimer)
{
  struct itimerval now;
  int result = getitimer(ITIMER_REAL, &now);
  tell(me, result < 0 ? result : now.it_value.tv_sec || now.it_value.tv_usec);
}
CALL(alarm) { tell(me, alarm((unsigned)a) != 0); }
SETUP(timer)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  has_timer = !timer_create(CLOCK_MONOTONIC, &event, &timer);
}
CALL(timerset)
{
  struct itimerspec t = {{0, 0}, {0, a * 1000000}}, old;
  int result = timer_settime(timer, 0, &t, &old);
  tell(me, result < 0 ? result : old.it_value.tv_sec || old.it_value.tv_nsec);
}
CALL(timerget)
{
  struct itimerspec now;
  int result = timer_gettime(timer, &now);
  tell(me, result < 0 ? result : now.it_value.tv_sec || now.it_value.tv_nsec);
}
CALL(timerdelete) { tell(me, timer_delete(timer)); }

/* ---- the process ---- */

CALL(setrlimit)
{
  struct rlimit limit;
  int result = getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = (rlim_t)a * 4096;
  tell(me, result ? result : setrlimit(RLIMIT_CORE, &limit));
}
CALL(getrlimit)
{
  struct rlimit limit;
  int result = getrlimit(RLIMIT_CORE, &limit);
  tell(me, result ? result : (long)limit.rlim_cur);
}
CALL(dumpable) { tell(me, prctl(PR_SET_DUMPABLE, a, 0, 0, 0)); }
CALL(getdumpable) { tell(me, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)); }
MACHINE int set_limit(rlim_t numbers)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit))
    return -1;
  limit.rlim_cur = numbers;
  return setrlimit(RLIMIT_NOFILE, &limit);
}
SETUP(limit) { limits_numbers = true; }
CALL(nofile) { tell(me, set_limit(a ? 1000 : (rlim_t)first_number)); }
CALL(priority)
{
  errno = 0;
  tell(me, setpriority(PRIO_PROCESS, 0, a));
}
CALL(fork)
{
  pid_t child = fork();
  if (child == 0)
    _exit(a);
  int status = 0;
  long result = child < 0 ? child : waitpid(child, &status, 0);
  tell(me, result < 0 ? result : WEXITSTATUS(status));
}
CALL(forkwrite) /* a child that writes to a descriptor of the set-up */
{
  pid_t child = fork();
  if (child == 0) {
    long n = write(fd(a), "c", 1);
    _exit(n == 1);
  }
  int status = 0;
  long result = child < 0 ? child : waitpid(child, &status, 0);
  tell(me, result < 0 ? result : WEXITSTATUS(status));
}

/* ---- objects of System V: private ones, removed at the end ---- */

SETUP(semaphores)
{
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  semctl(semaphores, 0, SETVAL, a);
}
CALL(semop) { tell(me, semop(semaphores, &(struct sembuf){0, (short)(a ? 1 : -1), IPC_NOWAIT}, 1)); }
CALL(semget) { tell(me, semctl(semaphores, 0, GETVAL)); }
CALL(semset) { tell(me, semctl(semaphores, 0, SETVAL, a)); }
SETUP(queue) { queue = msgget(IPC_PRIVATE, 0600); }
CALL(msgsnd)
{
  struct {
    long type;
    char text[1];
  } m = {1 + a, {(char)('A' + me->index)}};
  tell(me, msgsnd(queue, &m, 1, IPC_NOWAIT));
}
CALL(msgrcv)
{
  struct {
    long type;
    char text[1];
  } m;
  long n = msgrcv(queue, &m, 1, a, IPC_NOWAIT);
  tell_bytes(me, n, m.text);
}
SETUP(segment)
{
  segment = shmget(IPC_PRIVATE, 8192, 0600);
  area = shmat(segment, NULL, 0);
}
CALL(shmat)
{
  char *p = shmat(segment, NULL, 0);
  tell(me, p == (char *)-1 ? -1 : 0);
}
CALL(shmctl)
{
  struct shmid_ds d;
  int result = shmctl(segment, IPC_STAT, &d);
  tell(me, result < 0 ? result : (long)d.shm_nattch);
}

/* ---- what is printed, and the end of the process ---- */

SETUP(unjoined) { joins_nobody = true; }
static void print_word(void)
{
  const char c = (char)('0' + load_word(&shared_word[0]));
  if (write(1, &c, 1) < 0)
    abort();
}
SETUP(atexit)
{
  atexit(print_word);
  at_quick_exit(print_word);
}
CALL(say)
{
  const char c = (char)('a' + a);
  tell(me, write(1, &c, 1));
}
CALL(puts) { tell_done(me, printf("%c\n", 'a' + a)); }
CALL(exit) { exit(0); }
CALL(_exit) { _exit(0); }
CALL(quick_exit) { quick_exit(0); }
CALL(threadexit) { pthread_exit(NULL); }
CALL(flushall) { tell(me, fflush(NULL)); }

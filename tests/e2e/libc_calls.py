#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function of the C library that reads or writes the program's memory, or keeps a state, as far as the runtime knows it.

    tests/e2e/libc_calls.py [NAME...]

One program calls each of them in a thread, while main uses the same memory: that must be a data race. What functions do
with a stream or a state of their own is called by both, and must be tried in more than one order. A function that this
C library does not have is passed over. HEDDLE names another program to test than build/heddle.
"""
import concurrent.futures
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "heddle"))
for variable in ("HEDDLE_CC", "CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LD_PRELOAD"):
    os.environ.pop(variable, None)

# name | call. mem is the memory that main uses too; it holds the text "12 ab" (wide: in wide characters). own is the
# thread's. file is a stream of lines "12 ab".
READS = r"""
mq_send | mq_send(new_queue(), mem, 4, 0)
mq_timedsend | mq_timedsend(new_queue(), mem, 4, 0, NULL)
mq_setattr | mq_setattr(new_queue(), (struct mq_attr *)mem, NULL)
mq_notify | mq_notify(new_queue(), (struct sigevent *)mem)
msgsnd | msgsnd(msgget(IPC_PRIVATE, 0600), mem, 4, 0)
semop | semop(semget(IPC_PRIVATE, 1, 0600), (struct sembuf *)mem, 1)
semtimedop | semtimedop(semget(IPC_PRIVATE, 1, 0600), (struct sembuf *)mem, 1, NULL)
posix_spawn | posix_spawn(NULL, "/bin/true", NULL, NULL, (char *[]){mem, NULL}, NULL); wait(NULL)
posix_spawnp | posix_spawnp(NULL, "true", NULL, NULL, words, (char *[]){mem, NULL}); wait(NULL)
posix_spawn_file_actions_addopen | posix_spawn_file_actions_t a; posix_spawn_file_actions_init(&a); posix_spawn_file_actions_addopen(&a, 7, mem, 0, 0)
posix_spawn_file_actions_addchdir_np | posix_spawn_file_actions_t a; posix_spawn_file_actions_init(&a); posix_spawn_file_actions_addchdir_np(&a, mem)
posix_spawnattr_getflags | short flags; posix_spawnattr_getflags((posix_spawnattr_t *)mem, &flags)
posix_spawnattr_setsigmask | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_setsigmask(&a, (sigset_t *)mem)
posix_spawnattr_setsigdefault | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_setsigdefault(&a, (sigset_t *)mem)
posix_spawnattr_setschedparam | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_setschedparam(&a, (struct sched_param *)mem)
aio_write | aio_write((struct aiocb *)mem)
__memcpy_chk | __memcpy_chk(own, mem, 4, 64)
__memmove_chk | __memmove_chk(own, mem, 4, 64)
mempcpy | mempcpy(own, mem, 4)
__mempcpy | __mempcpy(own, mem, 4)
__mempcpy_chk | __mempcpy_chk(own, mem, 4, 64)
bcopy | bcopy(mem, own, 4)
swab | swab(mem, own, 4)
bcmp | bcmp(mem, own, 4)
memrchr | memrchr(mem, '1', 6)
rawmemchr | rawmemchr(mem, '2')
memmem | memmem(mem, 6, "ab", 2)
memccpy | memccpy(own, mem, ' ', 6)
__strcpy_chk | __strcpy_chk(own, mem, 64)
__stpcpy | __stpcpy(own, mem)
__stpcpy_chk | __stpcpy_chk(own, mem, 64)
__strncpy_chk | __strncpy_chk(own, mem, 4, 64)
stpncpy | stpncpy(own, mem, 4)
__stpncpy_chk | __stpncpy_chk(own, mem, 4, 64)
__strcat_chk | __strcat_chk(own, mem, 64)
strncat | strncat(own, mem, 2)
__strncat_chk | __strncat_chk(own, mem, 2, 64)
strcasecmp | strcasecmp(mem, "12")
strncasecmp | strncasecmp(mem, "12", 2)
strcoll | strcoll(mem, "12")
strspn | strspn(mem, "12")
strcspn | strcspn(mem, "a")
strpbrk | strpbrk(mem, "a")
strdup | free(strdup(mem))
__strdup | free(__strdup(mem))
strndup | free(strndup(mem, 3))
__strndup | free(__strndup(mem, 3))
index | index(mem, 'a')
rindex | rindex(mem, 'a')
strchrnul | strchrnul(mem, 'a')
strcasestr | strcasestr(mem, "AB")
strverscmp | strverscmp(mem, "12")
strxfrm | strxfrm(own, mem, 64)
strlcpy | strlcpy(own, mem, 64)
__strlcpy_chk | __strlcpy_chk(own, mem, 64, 64)
strlcat | strlcat(own, mem, 64)
__strlcat_chk | __strlcat_chk(own, mem, 64, 64)
mbstowcs | mbstowcs(wide_own, mem, 16)
__mbstowcs_chk | __mbstowcs_chk(wide_own, mem, 16, 16)
strtol | strtol(mem, NULL, 10)
strtoll | strtoll(mem, NULL, 10)
strtoul | strtoul(mem, NULL, 10)
strtoull | strtoull(mem, NULL, 10)
strtoimax | strtoimax(mem, NULL, 10)
strtoumax | strtoumax(mem, NULL, 10)
strtod | strtod(mem, NULL)
strtof | strtof(mem, NULL)
strtold | strtold(mem, NULL)
__isoc23_strtol | __isoc23_strtol(mem, NULL, 10)
__isoc23_strtoll | __isoc23_strtoll(mem, NULL, 10)
__isoc23_strtoul | __isoc23_strtoul(mem, NULL, 10)
__isoc23_strtoull | __isoc23_strtoull(mem, NULL, 10)
__isoc23_strtoimax | __isoc23_strtoimax(mem, NULL, 10)
__isoc23_strtoumax | __isoc23_strtoumax(mem, NULL, 10)
atoi | atoi(mem)
atol | atol(mem)
atoll | atoll(mem)
atof | atof(mem)
strptime | struct tm t; strptime(mem, "%d", &t)
inet_aton | struct in_addr in; inet_aton(mem, &in)
inet_pton | struct in_addr in; inet_pton(AF_INET, mem, &in)
inet_ntop | inet_ntop(AF_INET, mem, own, 64)
inet_addr | inet_addr(mem)
sigismember | sigismember((sigset_t *)mem, SIGUSR1)
lfind | size_t n = 0; (void)n; lfind(own, own, (size_t *)mem, 1, compare)
printf | printf("%.1s\n", mem)
vprintf | list(vprintf, mem)
__printf_chk | __printf_chk(1, "%s\n", mem)
__vprintf_chk | list_checked(__vprintf_chk, mem)
fprintf | fprintf(stderr, "%s", mem)
dprintf | dprintf(2, "%s", mem)
vdprintf | to_descriptor(mem)
__dprintf_chk | __dprintf_chk(2, 1, "%s", mem)
__vdprintf_chk | to_descriptor_checked(mem)
wprintf | wprintf(L"%s", mem)
vwprintf | wide_list(mem)
__wprintf_chk | __wprintf_chk(1, L"%s", mem)
__vwprintf_chk | wide_list_checked(mem)
puts | puts(mem)
perror | perror(mem)
fputs_unlocked | fputs_unlocked(mem, stderr)
fwrite_unlocked | fwrite_unlocked(mem, 1, 2, stderr)
sscanf | int n; old_sscanf(mem, "%d", &n)
vsscanf | int n; scan_list(old_vsscanf, mem, "%d", &n)
__isoc99_sscanf | int n; __isoc99_sscanf(mem, "%d", &n)
__isoc99_vsscanf | int n; scan_list(__isoc99_vsscanf, mem, "%d", &n)
__isoc23_sscanf | int n; __isoc23_sscanf(mem, "%d", &n)
__isoc23_vsscanf | int n; scan_list(__isoc23_vsscanf, mem, "%d", &n)
strsep | char *rest = mem; strsep(&rest, "?")
strtok_r | char *rest; strtok_r(mem, "?", &rest)
__strtok_r | char *rest; __strtok_r(mem, "?", &rest)
"""

READS_WIDE = r"""
wcsnlen | wcsnlen(wide, 3)
wcslen | wcslen(wide)
wcscpy | wcscpy(wide_own, wide)
__wcscpy_chk | __wcscpy_chk(wide_own, wide, 16)
wcpcpy | wcpcpy(wide_own, wide)
__wcpcpy_chk | __wcpcpy_chk(wide_own, wide, 16)
wcsncpy | wcsncpy(wide_own, wide, 4)
__wcsncpy_chk | __wcsncpy_chk(wide_own, wide, 4, 16)
wcpncpy | wcpncpy(wide_own, wide, 4)
__wcpncpy_chk | __wcpncpy_chk(wide_own, wide, 4, 16)
wcscat | wcscat(wide_own, wide)
__wcscat_chk | __wcscat_chk(wide_own, wide, 16)
wcsncat | wcsncat(wide_own, wide, 2)
__wcsncat_chk | __wcsncat_chk(wide_own, wide, 2, 16)
wcscmp | wcscmp(wide, L"12")
wcsncmp | wcsncmp(wide, L"12", 2)
wcscasecmp | wcscasecmp(wide, L"12")
wcsncasecmp | wcsncasecmp(wide, L"12", 2)
wcscoll | wcscoll(wide, L"12")
wcschr | wcschr(wide, L'a')
wcsrchr | wcsrchr(wide, L'a')
wcsstr | wcsstr(wide, L"ab")
wcsspn | wcsspn(wide, L"12")
wcscspn | wcscspn(wide, L"a")
wcspbrk | wcspbrk(wide, L"a")
wcsdup | free(wcsdup(wide))
wcschrnul | wcschrnul(wide, L'a')
wmemcpy | wmemcpy(wide_own, wide, 4)
__wmemcpy_chk | __wmemcpy_chk(wide_own, wide, 4, 16)
wmemmove | wmemmove(wide_own, wide, 4)
__wmemmove_chk | __wmemmove_chk(wide_own, wide, 4, 16)
wmempcpy | wmempcpy(wide_own, wide, 4)
__wmempcpy_chk | __wmempcpy_chk(wide_own, wide, 4, 16)
wmemcmp | wmemcmp(wide, wide_own, 4)
wmemchr | wmemchr(wide, L'a', 6)
wcstok | wchar_t *rest; wcstok(wide, L"?", &rest)
wcstombs | wcstombs(own, wide, 16)
__wcstombs_chk | __wcstombs_chk(own, wide, 16, 16)
wcstol | wcstol(wide, NULL, 10)
wcstoll | wcstoll(wide, NULL, 10)
wcstoul | wcstoul(wide, NULL, 10)
wcstoull | wcstoull(wide, NULL, 10)
wcstod | wcstod(wide, NULL)
wcstof | wcstof(wide, NULL)
wcstold | wcstold(wide, NULL)
__isoc23_wcstol | __isoc23_wcstol(wide, NULL, 10)
__isoc23_wcstoll | __isoc23_wcstoll(wide, NULL, 10)
__isoc23_wcstoul | __isoc23_wcstoul(wide, NULL, 10)
__isoc23_wcstoull | __isoc23_wcstoull(wide, NULL, 10)
swscanf | int n; old_swscanf(wide, L"%d", &n)
vswscanf | int n; wide_scan_list(old_vswscanf, wide, L"%d", &n)
__isoc99_swscanf | int n; __isoc99_swscanf(wide, L"%d", &n)
__isoc99_vswscanf | int n; wide_scan_list(__isoc99_vswscanf, wide, L"%d", &n)
__isoc23_swscanf | int n; __isoc23_swscanf(wide, L"%d", &n)
__isoc23_vswscanf | int n; wide_scan_list(__isoc23_vswscanf, wide, L"%d", &n)
"""

WRITES = r"""
posix_spawn_file_actions_init | posix_spawn_file_actions_init((posix_spawn_file_actions_t *)mem)
posix_spawn_file_actions_destroy | posix_spawn_file_actions_init((posix_spawn_file_actions_t *)mem); posix_spawn_file_actions_destroy((posix_spawn_file_actions_t *)mem)
posix_spawn_file_actions_addclose | posix_spawn_file_actions_init((posix_spawn_file_actions_t *)mem); posix_spawn_file_actions_addclose((posix_spawn_file_actions_t *)mem, 7)
posix_spawn_file_actions_adddup2 | posix_spawn_file_actions_init((posix_spawn_file_actions_t *)mem); posix_spawn_file_actions_adddup2((posix_spawn_file_actions_t *)mem, 1, 7)
posix_spawn_file_actions_addfchdir_np | posix_spawn_file_actions_init((posix_spawn_file_actions_t *)mem); posix_spawn_file_actions_addfchdir_np((posix_spawn_file_actions_t *)mem, 7)
posix_spawn_file_actions_addclosefrom_np | posix_spawn_file_actions_init((posix_spawn_file_actions_t *)mem); posix_spawn_file_actions_addclosefrom_np((posix_spawn_file_actions_t *)mem, 7)
posix_spawnattr_init | posix_spawnattr_init((posix_spawnattr_t *)mem)
posix_spawnattr_destroy | posix_spawnattr_destroy((posix_spawnattr_t *)mem)
posix_spawnattr_setflags | posix_spawnattr_setflags((posix_spawnattr_t *)mem, 0)
posix_spawnattr_setpgroup | posix_spawnattr_setpgroup((posix_spawnattr_t *)mem, 0)
posix_spawnattr_setschedpolicy | posix_spawnattr_setschedpolicy((posix_spawnattr_t *)mem, 0)
posix_spawnattr_getpgroup | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_getpgroup(&a, (pid_t *)mem)
posix_spawnattr_getschedpolicy | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_getschedpolicy(&a, (int *)mem)
posix_spawnattr_getschedparam | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_getschedparam(&a, (struct sched_param *)mem)
posix_spawnattr_getsigmask | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_getsigmask(&a, (sigset_t *)mem)
posix_spawnattr_getsigdefault | posix_spawnattr_t a; posix_spawnattr_init(&a); posix_spawnattr_getsigdefault(&a, (sigset_t *)mem)
mq_receive | mqd_t q = new_queue(); mq_send(q, "a", 1, 0); mq_receive(q, mem, 64, NULL)
mq_timedreceive | mqd_t q = new_queue(); mq_send(q, "a", 1, 0); mq_timedreceive(q, own, 64, (unsigned *)mem, NULL)
mq_getattr | mq_getattr(new_queue(), (struct mq_attr *)mem)
msgrcv | int q = msgget(IPC_PRIVATE, 0600); long m[2] = {1, 1}; msgsnd(q, m, 1, 0); msgrcv(q, mem, 8, 0, 0)
msgctl | msgctl(msgget(IPC_PRIVATE, 0600), IPC_STAT, (struct msqid_ds *)mem)
semctl | semctl(semget(IPC_PRIVATE, 2, 0600), 0, GETALL, (unsigned short *)mem)
shmctl | shmctl(shmget(IPC_PRIVATE, 8, 0600), IPC_STAT, (struct shmid_ds *)mem)
__memset_chk | __memset_chk(mem, 0, 4, 64)
bzero | bzero(mem, 4)
explicit_bzero | explicit_bzero(mem, 4)
__explicit_bzero_chk | __explicit_bzero_chk(mem, 4, 64)
wmemset | wmemset((wchar_t *)mem, L'x', 2)
__wmemset_chk | __wmemset_chk((wchar_t *)mem, L'x', 2, 16)
frexp | frexp(2.5, (int *)mem)
frexpf | frexpf(2.5f, (int *)mem)
frexpl | frexpl(2.5L, (int *)mem)
modf | modf(2.5, (double *)mem)
modff | modff(2.5f, (float *)mem)
modfl | modfl(2.5L, (long double *)mem)
remquo | remquo(5, 3, (int *)mem)
remquof | remquof(5, 3, (int *)mem)
remquol | remquol(5, 3, (int *)mem)
sincos | double c; sincos(1, (double *)mem, &c)
sincosf | float c; sincosf(1, (float *)mem, &c)
sincosl | long double c; sincosl(1, (long double *)mem, &c)
lgamma_r | lgamma_r(3, (int *)mem)
lgammaf_r | lgammaf_r(3, (int *)mem)
lgammal_r | lgammal_r(3, (int *)mem)
rand_r | rand_r((unsigned *)mem)
srand48_r | srand48_r(1, (struct drand48_data *)mem)
drand48_r | double d; drand48_r((struct drand48_data *)mem, &d)
lrand48_r | long n; lrand48_r((struct drand48_data *)mem, &n)
mrand48_r | long n; mrand48_r((struct drand48_data *)mem, &n)
random_r | struct random_data r = {0}; char s[64]; initstate_r(1, s, 64, &r); random_r(&r, (int32_t *)mem)
srandom_r | char s[64]; memset(mem, 0, 64); initstate_r(1, s, 64, (struct random_data *)mem); srandom_r(1, (struct random_data *)mem)
erand48 | erand48((unsigned short *)mem)
nrand48 | nrand48((unsigned short *)mem)
jrand48 | jrand48((unsigned short *)mem)
localtime_r | time_t t = 0; localtime_r(&t, (struct tm *)mem)
gmtime_r | time_t t = 0; gmtime_r(&t, (struct tm *)mem)
mktime | memset(mem, 0, sizeof(struct tm)); mktime((struct tm *)mem)
timegm | memset(mem, 0, sizeof(struct tm)); timegm((struct tm *)mem)
asctime_r | struct tm t = {0}; asctime_r(&t, mem)
ctime_r | time_t t = 0; ctime_r(&t, mem)
strftime | struct tm t = {0}; strftime(mem, 64, "%Y", &t)
sigprocmask | sigprocmask(SIG_BLOCK, NULL, (sigset_t *)mem)
pthread_sigmask | pthread_sigmask(SIG_BLOCK, NULL, (sigset_t *)mem)
sigpending | sigpending((sigset_t *)mem)
sigemptyset | sigemptyset((sigset_t *)mem)
sigfillset | sigfillset((sigset_t *)mem)
sigaddset | sigaddset((sigset_t *)mem, SIGUSR1)
sigdelset | sigdelset((sigset_t *)mem, SIGUSR1)
getpwnam_r | struct passwd *p; getpwnam_r("root", (struct passwd *)mem, own, 512, &p)
getpwuid_r | struct passwd *p; getpwuid_r(0, (struct passwd *)mem, own, 512, &p)
getgrnam_r | struct group *g; getgrnam_r("root", (struct group *)mem, own, 512, &g)
getgrgid_r | struct group g; getgrgid_r(0, &g, own, 512, (struct group **)mem)
realpath | char path[PATH_MAX]; strcpy(mem, realpath("/", path)); realpath("/", mem)
gethostname | gethostname(mem, 64)
strerror_r | strerror_r(12345, mem, 64)
__xpg_strerror_r | __xpg_strerror_r(1, mem, 64)
regcomp | regcomp((regex_t *)mem, "a", 0)
regfree | memset(mem, 0, sizeof(regex_t)); regcomp((regex_t *)mem, "a", 0); regfree((regex_t *)mem)
regexec | regex_t r; regcomp(&r, "a", 0); regexec(&r, "a", 1, (regmatch_t *)mem, 0); regfree(&r)
pthread_getname_np | pthread_getname_np(pthread_self(), mem, 64)
pthread_attr_init | pthread_attr_init((pthread_attr_t *)mem)
pthread_attr_setdetachstate | pthread_attr_setdetachstate((pthread_attr_t *)mem, 0)
pthread_attr_setstacksize | pthread_attr_setstacksize((pthread_attr_t *)mem, 1 << 20)
pthread_attr_getstacksize | pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getstacksize(&a, (size_t *)mem)
pthread_mutexattr_init | pthread_mutexattr_init((pthread_mutexattr_t *)mem)
pthread_mutexattr_settype | pthread_mutexattr_settype((pthread_mutexattr_t *)mem, 0)
pthread_condattr_init | pthread_condattr_init((pthread_condattr_t *)mem)
pthread_condattr_setclock | pthread_condattr_setclock((pthread_condattr_t *)mem, CLOCK_MONOTONIC)
pthread_rwlockattr_init | pthread_rwlockattr_init((pthread_rwlockattr_t *)mem)
pthread_barrierattr_init | pthread_barrierattr_init((pthread_barrierattr_t *)mem)
pthread_attr_getdetachstate | pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getdetachstate(&a, (int *)mem)
pthread_attr_getguardsize | pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getguardsize(&a, (size_t *)mem)
pthread_attr_setguardsize | pthread_attr_setguardsize((pthread_attr_t *)mem, 4096)
pthread_attr_setinheritsched | pthread_attr_setinheritsched((pthread_attr_t *)mem, PTHREAD_INHERIT_SCHED)
pthread_attr_setschedpolicy | pthread_attr_setschedpolicy((pthread_attr_t *)mem, SCHED_OTHER)
pthread_attr_setscope | pthread_attr_setscope((pthread_attr_t *)mem, PTHREAD_SCOPE_SYSTEM)
pthread_barrierattr_setpshared | pthread_barrierattr_setpshared((pthread_barrierattr_t *)mem, 0)
pthread_condattr_setpshared | pthread_condattr_setpshared((pthread_condattr_t *)mem, 0)
pthread_mutexattr_gettype | pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_gettype(&a, (int *)mem)
pthread_mutexattr_setprotocol | pthread_mutexattr_setprotocol((pthread_mutexattr_t *)mem, PTHREAD_PRIO_NONE)
pthread_mutexattr_setpshared | pthread_mutexattr_setpshared((pthread_mutexattr_t *)mem, 0)
pthread_mutexattr_setrobust | pthread_mutexattr_setrobust((pthread_mutexattr_t *)mem, PTHREAD_MUTEX_STALLED)
pthread_rwlockattr_setkind_np | pthread_rwlockattr_setkind_np((pthread_rwlockattr_t *)mem, 0)
pthread_rwlockattr_setpshared | pthread_rwlockattr_setpshared((pthread_rwlockattr_t *)mem, 0)
lsearch | size_t n = 0; lsearch("x", mem, &n, 1, compare)
mbrtowc | wchar_t c; memset(mem, 0, 8); mbrtowc(&c, "a", 1, (mbstate_t *)mem)
sigwait | sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); pthread_sigmask(SIG_BLOCK, &s, NULL); raise(SIGUSR1); sigwait(&s, (int *)mem)
getaddrinfo | struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}; getaddrinfo("127.0.0.1", NULL, &hints, (struct addrinfo **)mem); freeaddrinfo(*(struct addrinfo **)mem)
insque | insque(mem, NULL)
remque | memset(mem, 0, 16); remque(mem)
sprintf | sprintf(mem, "%d", 1)
vsprintf | print_list(vsprintf, mem, 1)
__sprintf_chk | __sprintf_chk(mem, 1, 64, "%d", 1)
__vsprintf_chk | print_list_checked(mem, 1)
snprintf | snprintf(mem, 64, "%d", 1)
vsnprintf | print_list_most(mem, 1)
__snprintf_chk | __snprintf_chk(mem, 64, 1, 64, "%d", 1)
__vsnprintf_chk | print_list_most_checked(mem, 1)
asprintf | char *s; asprintf(&s, "%d%n", 1, (int *)mem); free(s)
vasprintf | free(print_list_new(mem))
__asprintf_chk | __asprintf_chk((char **)mem, 1, "%d", 1); free(*(char **)mem)
__vasprintf_chk | print_list_new_checked((char **)mem, 1); free(*(char **)mem)
swprintf | swprintf((wchar_t *)mem, 16, L"%d", 1)
vswprintf | print_wide((wchar_t *)mem, 1)
__swprintf_chk | __swprintf_chk((wchar_t *)mem, 16, 1, 16, L"%d", 1)
__vswprintf_chk | print_wide_checked((wchar_t *)mem, 1)
fgetpos | fgetpos(file, (fpos_t *)mem)
fgets_unlocked | fgets_unlocked(mem, 8, file)
__fgets_unlocked_chk | __fgets_unlocked_chk(mem, 64, 8, file)
fread_unlocked | fread_unlocked(mem, 1, 4, file)
__fread_unlocked_chk | __fread_unlocked_chk(mem, 64, 1, 4, file)
fgetws | fgetws((wchar_t *)mem, 8, file)
__fgetws_chk | __fgetws_chk((wchar_t *)mem, 16, 8, file)
fscanf | old_fscanf(file, "%s", mem)
vfscanf | scan_file_list(old_vfscanf, file, "%s", mem)
__isoc99_fscanf | __isoc99_fscanf(file, "%d", (int *)mem)
__isoc99_vfscanf | scan_file_list(__isoc99_vfscanf, file, "%d", (int *)mem)
__isoc23_fscanf | __isoc23_fscanf(file, "%d", (int *)mem)
__isoc23_vfscanf | scan_file_list(__isoc23_vfscanf, file, "%d", (int *)mem)
fwscanf | old_fwscanf(file, L"%s", mem)
vfwscanf | wide_scan_list(old_vfwscanf, file, L"%s", mem)
__isoc99_fwscanf | __isoc99_fwscanf(file, L"%d", (int *)mem)
__isoc99_vfwscanf | wide_scan_list(__isoc99_vfwscanf, file, L"%d", (int *)mem)
__isoc23_fwscanf | __isoc23_fwscanf(file, L"%d", (int *)mem)
__isoc23_vfwscanf | wide_scan_list(__isoc23_vfwscanf, file, L"%d", (int *)mem)
scanf | stdin = file; old_scanf("%s", mem)
vscanf | stdin = file; scan_input(old_vscanf, "%s", mem)
__isoc99_scanf | stdin = file; __isoc99_scanf("%d", (int *)mem)
__isoc99_vscanf | stdin = file; scan_input(__isoc99_vscanf, "%d", (int *)mem)
__isoc23_scanf | stdin = file; __isoc23_scanf("%d", (int *)mem)
__isoc23_vscanf | stdin = file; scan_input(__isoc23_vscanf, "%d", (int *)mem)
wscanf | stdin = file; old_wscanf(L"%s", mem)
vwscanf | stdin = file; wide_scan_input(old_vwscanf, L"%s", mem)
__isoc99_wscanf | stdin = file; __isoc99_wscanf(L"%d", (int *)mem)
__isoc99_vwscanf | stdin = file; wide_scan_input(__isoc99_vwscanf, L"%d", (int *)mem)
__isoc23_wscanf | stdin = file; __isoc23_wscanf(L"%d", (int *)mem)
__isoc23_vwscanf | stdin = file; wide_scan_input(__isoc23_vwscanf, L"%d", (int *)mem)
open_memstream | size_t n; FILE *f = open_memstream((char **)mem, &n); fflush(f); fclose(f); free(*(char **)mem)
open_wmemstream | size_t n; FILE *f = open_wmemstream((wchar_t **)mem, &n); fflush(f); fclose(f); free(*(wchar_t **)mem)
tsearch | memset(mem, 0, 8); tsearch("x", (void **)mem, compare)
tdelete | void *n = NULL; tsearch("x", &n, compare); *(void **)mem = n; tdelete("x", (void **)mem, compare)
"""

# What both threads call.
ORDERS = r"""
_IO_putc | _IO_putc('x', file)
_IO_getc | _IO_getc(file)
putw | putw(1, file)
getw | getw(file)
putchar | stdout = file; putchar('x')
getchar | stdin = file; getchar()
fputwc | fputwc(L'x', file)
putwc | putwc(L'x', file)
putwchar | stdout = file; putwchar(L'x')
fputws | fputws(L"x", file)
fgetwc | fgetwc(file)
getwc | getwc(file)
getwchar | stdin = file; getwchar()
ungetwc | ungetwc(L'x', file)
fwprintf | fwprintf(file, L"x")
vfwprintf | wide_file_list(file, 1)
__fwprintf_chk | __fwprintf_chk(file, 1, L"x")
__vfwprintf_chk | wide_file_list_checked(file, 1)
fsetpos | fpos_t at; fgetpos(file, &at); fsetpos(file, &at)
feof | feof(file)
ferror | ferror(file)
clearerr | clearerr(file)
freopen | freopen("/dev/null", "r", file)
freopen64 | freopen64("/dev/null", "r", file)
setvbuf | setvbuf(file, NULL, _IOFBF, 64)
setbuf | setbuf(file, NULL)
fputc_unlocked | fputc_unlocked('x', file)
putc_unlocked | (putc_unlocked)('x', file)
putchar_unlocked | stdout = file; (putchar_unlocked)('x')
fgetc_unlocked | (fgetc_unlocked)(file)
getc_unlocked | (getc_unlocked)(file)
getchar_unlocked | stdin = file; (getchar_unlocked)()
feof_unlocked | (feof_unlocked)(file)
ferror_unlocked | (ferror_unlocked)(file)
clearerr_unlocked | clearerr_unlocked(file)
fflush_unlocked | fflush_unlocked(file)
lgamma | lgamma(3)
lgammaf | lgammaf(3)
lgammal | lgammal(3)
gamma | gamma(3)
gammaf | gammaf(3)
gammal | gammal(3)
seed48 | unsigned short s[3] = {1, 2, 3}; seed48(s)
lcong48 | unsigned short s[7] = {1, 2, 3}; lcong48(s)
initstate | static char s[2][64]; initstate(1, s[main_calls], 64)
setstate | static char s[64] = {1}; setstate(initstate(1, s, 64))
tzset | setenv("TZ", main_calls ? "A1" : "B2", 1); tzset()
l64a | l64a(7)
setlogmask | setlogmask(1)
sbrk | sbrk(0)
brk | brk(sbrk(0))
pthread_setconcurrency | pthread_setconcurrency(1)
pthread_getconcurrency | pthread_setconcurrency(pthread_getconcurrency())
pthread_setattr_default_np | pthread_attr_t a; pthread_attr_init(&a); pthread_setattr_default_np(&a)
pthread_getattr_default_np | pthread_attr_t a; pthread_getattr_default_np(&a); pthread_setattr_default_np(&a)
getopt_long | optind = 1; getopt_long(1, words, "a", NULL, NULL)
getopt_long_only | optind = 1; getopt_long_only(1, words, "a", NULL, NULL)
tfind | static void *root; tfind("x", &root, compare); tsearch("x", &root, compare)
twalk | static void *root; tsearch("x", &root, compare); twalk(root, visit)
hcreate | hcreate(1)
hdestroy | hdestroy()
ptsname | ptsname(0)
getlogin | getlogin()
getprotobyname | getprotobyname("tcp")
getpwent | getpwent()
setpwent | setpwent()
endpwent | endpwent()
getgrent | getgrent()
getservent | getservent()
getprotoent | getprotoent()
getnetbyname | getnetbyname("loopback")
ether_ntoa | struct ether_addr a = {{1}}; ether_ntoa(&a)
ether_aton | ether_aton("1:2:3:4:5:6")
tmpnam | tmpnam(NULL)
nl_langinfo | nl_langinfo(CODESET); setlocale(LC_ALL, "C")
towupper | towupper(L'a'); setlocale(LC_ALL, "C")
mblen | mblen("a", 1)
mbtowc | wchar_t c; mbtowc(&c, "a", 1)
wctomb | wctomb(own, L'a')
mbrlen | mbrlen("a", 1, NULL)
wcrtomb | wcrtomb(own, L'a', NULL)
rewinddir | static DIR *d; if (!d) d = opendir("/"); rewinddir(d)
telldir | static DIR *d; if (!d) d = opendir("/"); telldir(d)
getprotobynumber | getprotobynumber(6)
__ctype_get_mb_cur_max | MB_CUR_MAX; setlocale(LC_ALL, "C")
towlower | towlower(L'A'); setlocale(LC_ALL, "C")
setgrent | setgrent()
endgrent | endgrent()
sethostent | sethostent(0)
endhostent | endhostent()
gethostent | gethostent()
gethostbyname2 | gethostbyname2("127.0.0.1", AF_INET)
setnetent | setnetent(0)
endnetent | endnetent()
getnetent | getnetent()
getnetbyaddr | getnetbyaddr(127, AF_INET)
setprotoent | setprotoent(0)
endprotoent | endprotoent()
setservent | setservent(0)
endservent | endservent()
getmntent | FILE *f = fopen("/dev/null", "r"); getmntent(f); fclose(f)
mbsrtowcs | wchar_t c[4]; const char *t = "a"; mbsrtowcs(c, &t, 4, NULL)
wcsrtombs | const wchar_t *t = L"a"; wcsrtombs(own, &t, 4, NULL)
__cxa_at_quick_exit | at_quick_exit(abort)
seekdir | static DIR *d; if (!d) d = opendir("/"); seekdir(d, 0)
"""

HEAD = r"""
#define _GNU_SOURCE
#define __NO_INLINE__
#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <mntent.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

int __xpg_strerror_r(int, char *, size_t);
static char mem[512] __attribute__((aligned(16)));
static __thread char own[512] __attribute__((aligned(16)));
static __thread int main_calls;
static mqd_t new_queue(void)
{
  struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 64};
  return mq_open("/queue", O_CREAT | O_RDWR, 0600, &room);
}
#define wide ((wchar_t *)mem)
#define wide_own ((wchar_t *)own)
static FILE *file;
static char *words[] = {"program", NULL};
static int compare(const void *a, const void *b) { return a < b ? -1 : a > b; }
static void visit(const void *a, VISIT b, int c) { (void)a, (void)b, (void)c; }

#define LIST(call, last) va_list args; va_start(args, last); call; va_end(args)
static void list(int (*f)(const char *, va_list), ...) { LIST(f("%s", args), f); }
int __printf_chk(int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
static void list_checked(int (*f)(int, const char *, va_list), ...) { LIST(f(1, "%s", args), f); }
int __dprintf_chk(int, int, const char *, ...);
int __vdprintf_chk(int, int, const char *, va_list);
static void to_descriptor_(int fd, ...) { LIST(vdprintf(fd, "%s", args), fd); }
static void to_descriptor_checked_(int fd, ...) { LIST(__vdprintf_chk(fd, 1, "%s", args), fd); }
#define to_descriptor(x) to_descriptor_(2, x)
#define to_descriptor_checked(x) to_descriptor_checked_(2, x)
int __wprintf_chk(int, const wchar_t *, ...);
int __vwprintf_chk(int, const wchar_t *, va_list);
static void wide_list_(int n, ...) { LIST(vwprintf(L"%s", args), n); }
static void wide_list_checked_(int n, ...) { LIST(__vwprintf_chk(1, L"%s", args), n); }
#define wide_list(x) wide_list_(1, x)
#define wide_list_checked(x) wide_list_checked_(1, x)
int __fwprintf_chk(FILE *, int, const wchar_t *, ...);
int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
static void wide_file_list(FILE *f, ...) { LIST(vfwprintf(f, L"%d", args), f); }
static void wide_file_list_checked(FILE *f, ...) { LIST(__vfwprintf_chk(f, 1, L"%d", args), f); }
static void print_list(int (*f)(char *, const char *, va_list), char *to, ...) { LIST(f(to, "%d", args), to); }
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
static void print_list_checked(char *to, ...) { LIST(__vsprintf_chk(to, 1, 64, "%d", args), to); }
static void print_list_most(char *to, ...) { LIST(vsnprintf(to, 64, "%d", args), to); }
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
static void print_list_most_checked(char *to, ...) { LIST(__vsnprintf_chk(to, 64, 1, 64, "%d", args), to); }
static char *print_list_new_(int n, ...) { char *to; LIST(vasprintf(&to, "%n", args), n); return to; }
#define print_list_new(x) print_list_new_(1, x)
int __asprintf_chk(char **, int, const char *, ...);
int __vasprintf_chk(char **, int, const char *, va_list);
static void print_list_new_checked(char **to, ...) { LIST(__vasprintf_chk(to, 1, "%d", args), to); }
int __swprintf_chk(wchar_t *, size_t, int, size_t, const wchar_t *, ...);
int __vswprintf_chk(wchar_t *, size_t, int, size_t, const wchar_t *, va_list);
static void print_wide(wchar_t *to, ...) { LIST(vswprintf(to, 16, L"%d", args), to); }
static void print_wide_checked(wchar_t *to, ...) { LIST(__vswprintf_chk(to, 16, 1, 16, L"%d", args), to); }
static void scan_list(int (*f)(const char *, const char *, va_list), const char *s, const char *format, ...) { LIST(f(s, format, args), format); }
static void scan_file_list(int (*f)(FILE *, const char *, va_list), FILE *s, const char *format, ...) { LIST(f(s, format, args), format); }
static void wide_scan_list(int (*f)(), void *s, const wchar_t *format, ...) { LIST(f(s, format, args), format); }
static void scan_input(int (*f)(const char *, va_list), const char *format, ...) { LIST(f(format, args), format); }
static void wide_scan_input(int (*f)(const wchar_t *, va_list), const wchar_t *format, ...) { LIST(f(format, args), format); }
#define DECLARE(prefix, real)                                                   \
  int prefix##sscanf(const char *, const char *, ...) __asm__(real "sscanf");   \
  int prefix##fscanf(FILE *, const char *, ...) __asm__(real "fscanf");         \
  int prefix##scanf(const char *, ...) __asm__(real "scanf");                   \
  int prefix##vsscanf(const char *, const char *, va_list) __asm__(real "vsscanf"); \
  int prefix##vfscanf(FILE *, const char *, va_list) __asm__(real "vfscanf");   \
  int prefix##vscanf(const char *, va_list) __asm__(real "vscanf");             \
  int prefix##swscanf(const wchar_t *, const wchar_t *, ...) __asm__(real "swscanf"); \
  int prefix##fwscanf(FILE *, const wchar_t *, ...) __asm__(real "fwscanf");    \
  int prefix##wscanf(const wchar_t *, ...) __asm__(real "wscanf");              \
  int prefix##vswscanf(const wchar_t *, const wchar_t *, va_list) __asm__(real "vswscanf"); \
  int prefix##vfwscanf(FILE *, const wchar_t *, va_list) __asm__(real "vfwscanf"); \
  int prefix##vwscanf(const wchar_t *, va_list) __asm__(real "vwscanf");
DECLARE(old_, "")
DECLARE(__isoc99_, "__isoc99_")
DECLARE(__isoc23_, "__isoc23_")
"""

MAIN = r"""
static const struct row *row;

static void *work(void *unused)
{
  row->call();
  return unused;
}

int main(int argc, char **argv)
{
  static char lines[64] = "12 ab\n12 ab\n";
  pthread_t thread;
  for (row = rows; row->name && strcmp(row->name, argv[argc - 1]); row++) {
  }
  int end[2];
  int from_memory = strchr("Rw", row->kind) || !(strchr(row->name, 'w') || strstr(row->name, "freopen"));
  if (!from_memory && pipe(end) == 0 && write(end[1], lines, 12) == 12)
    file = fdopen(end[0], "r"); /* streams in memory cannot do all */
  else
    file = fmemopen(lines, sizeof lines, "r+");
  if (row->kind == 'w')
    wmemcpy(wide, L"12 ab", 6);
  else
    memcpy(mem, "12 ab", 6);
  char first = mem[0];
  pthread_create(&thread, NULL, work, NULL);
  main_calls = 1;
  if (row->kind == 'o')
    row->call();
  else if (row->kind == 'W')
    first = *(volatile char *)mem;
  else
    *(volatile char *)mem = first;
  pthread_join(thread, NULL);
  _exit(0);
}
"""


def rows():
    """(name, kind, call) of every function this C library has."""
    library = [ctypes.CDLL(None), ctypes.CDLL("libm.so.6")]
    for kind, text in (("R", READS), ("w", READS_WIDE), ("W", WRITES), ("o", ORDERS)):
        for line in text.strip().splitlines():
            name, call = line.split(" | ", 1)
            if any(hasattr(part, name) for part in library):
                yield name, kind, call


def write_program(path, table):
    calls = "".join(f"static void call_{name}(void) {{ {kept(name, kind, call)}; }}\n" for name, kind, call in table)
    declared = "".join(f"extern __typeof__({plain}) {name};\n" for name, plain in (
        ("__mempcpy", "mempcpy"), ("__stpcpy", "stpcpy"), ("__strdup", "strdup"), ("__strndup", "strndup"),
        ("__strtok_r", "strtok_r"), ("_IO_putc", "putc"), ("_IO_getc", "getc")))
    for name, _, _ in table:
        if name.startswith("__") and name.endswith("_chk") and f" {name}(" not in HEAD:
            declared += checked_prototype(name)
    listed = "".join(f'  {{"{name}", \'{kind}\', call_{name}}},\n' for name, kind, _ in table)
    path.write_text(HEAD + declared + calls + "static const struct row {\n  const char *name;\n  char kind;\n  void (*call)(void);\n"
                    + "} rows[] = {\n" + listed + "  {NULL, 0, NULL}};\n" + MAIN)


def kept(name, kind, call):
    """Calls of which the compiler thinks that they only give a result are left out where nobody wants it."""
    plain = call.startswith(f"{name}(") and not name.endswith("_chk") and name not in ("bcopy", "swab", "perror")
    return f"volatile __auto_type result = {call}; (void)result" if plain and kind in "Rw" else call


def checked_prototype(name):
    """The same as without the checks, with the room at the end, or after the buffer where a stream is last."""
    sized = {"__fgets_unlocked_chk": "char *__fgets_unlocked_chk(char *, size_t, int, FILE *);\n",
             "__fread_unlocked_chk": "size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);\n",
             "__fgetws_chk": "wchar_t *__fgetws_chk(wchar_t *, size_t, int, FILE *);\n"}
    return sized.get(name, f"void *{name}();\n")


def examine(folder, name, kind):
    line = [HEDDLE, "explore", "--json", f"{name}.json", "--color", "never", "--no-page", "--out", f"{name}.out", "--time", "3s",
            "./program", "--", name]
    done = subprocess.run(line, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=400, errors="replace", text=True)
    path = folder / f"{name}.json"
    document = json.loads(path.read_text()) if path.exists() else {}
    kinds = [bug["kind"] for bug in document.get("bugs", [])]
    seen = "race" in kinds or (kind == "o" and document.get("executions", 0) > 1)
    if seen and set(kinds) <= {"race", "leak"}:
        return f"ok - {name}"
    return f"not ok - {name} (status {done.returncode}, {kinds})\n{done.stdout}"


def main():
    table = list(rows())
    wanted = set(sys.argv[1:]) or {name for name, _, _ in table}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_program(folder / "program.c", table)
        built = subprocess.run([HEDDLE, "cc", "-w", "-g", "-O0", "-fno-builtin", "-pthread", "program.c", "-o", "program", "-lm"], cwd=folder,
                               capture_output=True, text=True)
        if built.returncode:
            print(f"not ok - builds ({built.stderr})")
            return
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for line in pool.map(lambda row: examine(folder, row[0], row[1]), (r for r in table if r[0] in wanted)):
                print(line, flush=True)


main()

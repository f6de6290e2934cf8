/* SPDX-License-Identifier: Apache-2.0
 *
 * Raw mode and keys; see the header. What runs in a signal handler makes system calls only.
 */
#include "cli/find/terminal.h"
#include "report/stepper/stepper.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static volatile sig_atomic_t entered; /* the terminal is ours */
static volatile sig_atomic_t resized;

/* ---- in and out ---- */

/* Signals that end heddle. Those of a crash too: a terminal without echo is a second misfortune. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static void send(const char *text)
{
  size_t length = strlen(text);
  while (length) {
    ssize_t n = write(STDOUT_FILENO, text, length);
    if (n < 0 && errno != EINTR)
      return;
    text += n > 0 ? n : 0;
    length -= n > 0 ? (size_t)n : 0;
  }
}

static bool enter(void)
{
  struct termios raw = before;
  raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= (tcflag_t) ~(IXON | ICRNL);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
    return false;
  entered = 1;
  send("\033[?1049h\033[?25l\033[2J"); /* the second page, no cursor, empty */
  return true;
}

static void leave(void)
{
  if (!entered)
    return;
  entered = 0;
  send("\033[0m\033[?25h\033[?1049l");
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void die_by(int number)
{
  leave();
  signal(number, SIG_DFL);
  raise(number);
}

/* Stops as if nothing were special about us; what follows raise() is after SIGCONT. */
static void on_stop(int number)
{
  int error = errno;
  sigset_t set;
  leave();
  signal(number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  signal(number, on_stop);
  enter();
  resized = 1;
  errno = error;
}

static void on_resize(int number)
{
  (void)number;
  resized = 1;
}

static void install(int number, void (*handler)(int))
{
  struct sigaction now, action = {.sa_handler = handler};
  if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
    sigaction(number, &action, NULL);
}

bool terminal_is_there(void)
{
  const char *kind = getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool terminal_open(void)
{
  if (tcgetattr(STDIN_FILENO, &before) != 0)
    return false;
  sigset_t handled;
  sigemptyset(&handled);
  for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
    install(ending[i], die_by);
    sigaddset(&handled, ending[i]);
  }
  install(SIGTSTP, on_stop);
  install(SIGWINCH, on_resize);
  if (atexit(leave) != 0 || !enter())
    return false;
  sigprocmask(SIG_UNBLOCK, &handled, NULL); /* sessions take signals by descriptor */
  return true;
}

void terminal_close(void)
{
  leave();
}

void terminal_size(unsigned *rows, unsigned *columns)
{
  struct winsize size;
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
  *rows = known ? size.ws_row : 24;
  *columns = known ? size.ws_col : 80;
}

/* ---- keys ---- */

static unsigned char bytes[64]; /* read, not yet taken */
static size_t used, count;

/* Waits; a signal for a new size comes in only here, so none is missed. */
static int read_bytes(void)
{
  sigset_t wait, now;
  sigemptyset(&wait);
  sigaddset(&wait, SIGWINCH);
  sigprocmask(SIG_BLOCK, &wait, &now);
  struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
  int ready = resized ? -1 : ppoll(&keys, 1, NULL, &now);
  sigprocmask(SIG_SETMASK, &now, NULL);
  if (resized || (ready < 0 && errno == EINTR)) {
    resized = 0;
    return TERMINAL_RESIZED;
  }
  ssize_t n = ready > 0 ? read(STDIN_FILENO, bytes, sizeof bytes) : -1;
  if (n < 0 && errno == EINTR)
    return TERMINAL_RESIZED;
  if (n <= 0)
    return TERMINAL_GONE;
  used = 0;
  count = (size_t)n;
  return 0;
}

static bool take(const char *sequence)
{
  size_t length = strlen(sequence);
  if (count - used < length || memcmp(bytes + used, sequence, length))
    return false;
  used += length;
  return true;
}

/* What follows an escape character. Sequences that mean nothing here are passed over as a whole. */
static int escaped_key(void)
{
  static const struct {
    const char *sequence;
    int key;
  } known[] = {
      {"[A", KEY_UP},         {"[B", KEY_DOWN}, {"OA", KEY_UP},    {"OB", KEY_DOWN}, {"[5~", KEY_PAGE_UP},
      {"[6~", KEY_PAGE_DOWN}, {"[H", KEY_HOME}, {"[F", KEY_END},   {"OH", KEY_HOME}, {"OF", KEY_END},
      {"[1~", KEY_HOME},      {"[4~", KEY_END}, {"[7~", KEY_HOME}, {"[8~", KEY_END},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (take(known[i].sequence))
      return known[i].key;
  if (take("[") || take("O"))
    while (used < count && !(bytes[used++] >= '@' && bytes[used - 1] <= '~'))
      ;
  return KEY_ESCAPE;
}

int terminal_key(void)
{
  if (used == count) {
    int other = read_bytes();
    if (other)
      return other;
  }
  unsigned char byte = bytes[used++];
  switch (byte) {
  case '\033':
    return escaped_key();
  case '\r':
  case '\n':
    return KEY_ENTER;
  case '\b':
  case 0x7f:
    return KEY_BACKSPACE;
  default:
    return byte;
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a folder is looked at, and then it is watched for more (inotify). A file that comes in between is never heard
 * of. The twin watches first and looks then.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static int watch;

static void *makes(void *unused)
{
  close(open("inbox/letter", O_CREAT | O_WRONLY, 0600));
  return unused;
}

static bool is_there(void)
{
  return access("inbox/letter", F_OK) == 0;
}

static void begin_to_watch(void)
{
  watch = inotify_init();
  assert(inotify_add_watch(watch, "inbox", IN_CREATE) == 1);
}

int main(void)
{
  pthread_t thread;
  struct pollfd one = {.events = POLLIN};
  assert(mkdir("inbox", 0700) == 0);
  pthread_create(&thread, NULL, makes, NULL);
#ifdef FIXED
  begin_to_watch();
  bool known = is_there();
#else
  bool known = is_there();
  begin_to_watch();
#endif
  pthread_join(thread, NULL);
  one.fd = watch;
  assert(known || poll(&one, 1, 0) == 1);
  unlink("inbox/letter");
  return rmdir("inbox");
}

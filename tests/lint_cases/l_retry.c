/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop that goes on only while the creation fails creates one; one that goes on while it works does not end.
 */
#include "creation.h"
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

void until_it_works(void)
{
  pthread_t thread;
  while (pthread_create(&thread, NULL, work, NULL) != 0) /* = bounded */
    sleep(1);
}

void until_it_works_again(void)
{
  pthread_t thread;
  int error;
  do { /* = bounded; error == EAGAIN */
    error = pthread_create(&thread, NULL, work, NULL);
  } while (error == EAGAIN);
}

void while_it_works(void)
{
  pthread_t thread;
  while (pthread_create(&thread, NULL, work, NULL) == 0) /* = possible */
    sleep(1);
}

/* ---- a truth that says that it worked ---- */

extern bool l_stopped(void);

static bool starts_one(void)
{
  pthread_t thread;
  return pthread_create(&thread, NULL, work, NULL) == 0;
}

static bool serves_one(void)
{
  if (l_stopped())
    return false;
  create();
  return true;
}

void until_it_says_so(void)
{
  while (!starts_one()) /* = bounded; !starts_one() */
    sleep(1);
}

void until_it_does_not_say_false(void)
{
  bool good;
  do { /* = bounded; good == false */
    good = starts_one();
  } while (good == false);
}

void while_it_serves(void)
{
  while (serves_one()) /* = possible */
    ;
}

void while_it_is_not_false(void)
{
  bool more;
  do { /* = possible */
    more = serves_one();
  } while (more != false);
}

enum l_result { L_BAD, L_GOOD, L_QUIT };
extern enum l_result l_connect(void);

static enum l_result connect_and_start(void)
{
  enum l_result result = l_connect();
  if (result != L_GOOD)
    return result;
  create();
  return result;
}

void until_it_is_good(void)
{
  enum l_result result;
  do { /* = bounded; result != L_GOOD && result == L_GOOD */
    result = connect_and_start();
  } while (result != L_GOOD);
}

void until_it_is_over(void)
{
  enum l_result result;
  do { /* = possible */
    result = connect_and_start();
  } while (result != L_QUIT);
}

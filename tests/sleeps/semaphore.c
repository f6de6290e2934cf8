/* SPDX-License-Identifier: Apache-2.0
 *
 * Three threads want two permits: the third has to wait for a release. BUG: acquiring takes what is not there.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct sema {
  pthread_mutex_t m;
  pthread_cond_t c;
  int permits;
};
static struct sema sema = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2};
static int inside, most;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

static void sema_acquire(struct sema *s)
{
  pthread_mutex_lock(&s->m);
#ifdef BUG
  if (s->permits < 0)
#else
  while (s->permits == 0)
#endif
    pthread_cond_wait(&s->c, &s->m);
  s->permits--;
  pthread_mutex_unlock(&s->m);
}

static void sema_release(struct sema *s)
{
  pthread_mutex_lock(&s->m);
  s->permits++;
  pthread_cond_signal(&s->c);
  pthread_mutex_unlock(&s->m);
}

static void enter(void)
{
  pthread_mutex_lock(&count_lock);
  if (++inside > most)
    most = inside;
  pthread_mutex_unlock(&count_lock);
}

static void leave(void)
{
  pthread_mutex_lock(&count_lock);
  inside--;
  pthread_mutex_unlock(&count_lock);
}

static void *user(void *arg)
{
  sema_acquire(&sema);
  enter();
  usleep(40000);
  leave();
  sema_release(&sema);
  return arg;
}

int main(void)
{
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, user, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  if (most > 2)
    printf("%d were inside at once\n", most);
  return most > 2;
}

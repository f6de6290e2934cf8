/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a form may be filled in any order, by any thread; but all forms of the run happen to get their name first.
 *
 * Protocol, as mined (--calls 'form_*'): new, name, place, print. Prediction: form_place before form_name. It does
 * happen, and nothing is wrong with it: the run did not teach the whole protocol. Verdict: none. There is no twin.
 */
#include <assert.h>
#include <pthread.h>

struct form {
  pthread_mutex_t lock;
  int name, place;
};

static struct form shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

void form_new(struct form *f)
{
  f->name = f->place = 0;
}

void form_name(struct form *f)
{
  pthread_mutex_lock(&f->lock);
  f->name = 1;
  pthread_mutex_unlock(&f->lock);
}

void form_place(struct form *f)
{
  pthread_mutex_lock(&f->lock);
  f->place = 1;
  pthread_mutex_unlock(&f->lock);
}

void form_print(struct form *f)
{
  assert(f->name && f->place);
}

static void *child(void *arg)
{
  form_place(arg);
  return arg;
}

int main(void)
{
  pthread_t thread;
  static struct form other = {.lock = PTHREAD_MUTEX_INITIALIZER};
  form_new(&other);
  form_name(&other);
  form_place(&other);
  form_print(&other);
  form_new(&shared);
  pthread_create(&thread, NULL, child, &shared);
  form_name(&shared);
  pthread_join(thread, NULL);
  form_print(&shared);
  return 0;
}

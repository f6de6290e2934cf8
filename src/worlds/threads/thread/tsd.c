/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data. The values are glibc's own, in the TLS each fiber borrows; only the destructors are ours to
 * call, because no fiber ever ends as a real thread. So we remember which key has which destructor.
 */
#include "worlds/threads/thread/tsd.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/runtime.h"
#include <limits.h>
#include <threads.h>

#define KEYS 1024

typedef void destructor(void *);

static struct {
  destructor *at[KEYS];
  destructor *at_start[KEYS];
  unsigned count; /* all destructors are below */
  bool changed, some_at_start;
} keys;

static void remember(unsigned key, destructor *d)
{
  if (key >= KEYS)
    return;
  keys.at[key] = d;
  if (d && key >= keys.count)
    keys.count = key + 1;
  if (hd_self) {
    keys.changed = true;
    return;
  }
  keys.at_start[key] = d;
  keys.some_at_start |= d != NULL;
}

void tsd_reset(void)
{
  if (!keys.changed)
    return;
  for (unsigned i = 0; i < KEYS; i++)
    keys.at[i] = keys.at_start[i];
  keys.changed = false;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*d)(void *))
{
  hidden_state_changes_keys(CALLER());
  int result = REAL(pthread_key_create)(key, d);
  if (!result)
    remember(*key, d);
  return result;
}

EXPORT int pthread_key_delete(pthread_key_t key)
{
  hidden_state_changes_keys(CALLER());
  remember(key, NULL);
  return REAL(pthread_key_delete)(key);
}

EXPORT int tss_create(tss_t *key, tss_dtor_t d)
{
  hidden_state_changes_keys(CALLER());
  int result = REAL(tss_create)(key, d);
  if (result == thrd_success)
    remember(*key, d);
  return result;
}

EXPORT void tss_delete(tss_t key)
{
  hidden_state_changes_keys(CALLER());
  remember(key, NULL);
  REAL(tss_delete)(key);
}

static bool run_round(void)
{
  bool any = false;
  for (unsigned key = 0; key < keys.count; key++) {
    if (!keys.at[key])
      continue;
    void *value = pthread_getspecific(key);
    if (!value)
      continue;
    pthread_setspecific(key, NULL);
    keys.at[key](value);
    any = true;
  }
  return any;
}

/* glibc's own list of C++ thread_local destructors of the running thread. */
static void run_cxx_destructors(void)
{
  static void (*call)(void);
  static bool looked;
  if (!looked) {
    call = (void (*)(void))optional_symbol("__call_tls_dtors");
    looked = true;
  }
  if (call)
    call();
}

void tsd_run_destructors(void)
{
  run_cxx_destructors();
  if (keys.changed || keys.some_at_start)
    hidden_state_looks_at_keys(0);
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && run_round(); round++)
    ;
}

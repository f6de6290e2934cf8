/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache: a list under a lock, which is not held while a value is loaded. The bug: who loaded a value does not look
 * again whether somebody else was faster. Built with FIXED it waits for the one who loads.
 */
#include "cache.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct entry {
  struct entry *next;
  int key, value;
  int users;
  bool loaded;
};

struct cache {
  pthread_mutex_t lock;
  pthread_cond_t loaded;
  cache_loader *load;
  struct entry *first;
};

struct cache *cache_create(cache_loader *load)
{
  struct cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  pthread_mutex_init(&cache->lock, NULL);
  pthread_cond_init(&cache->loaded, NULL);
  cache->load = load;
  return cache;
}

void cache_destroy(struct cache *cache)
{
  while (cache->first) {
    struct entry *entry = cache->first;
    cache->first = entry->next;
    free(entry);
  }
  pthread_cond_destroy(&cache->loaded);
  pthread_mutex_destroy(&cache->lock);
  free(cache);
}

static struct entry *find(struct cache *cache, int key)
{
  struct entry *entry = cache->first;
  while (entry && entry->key != key)
    entry = entry->next;
  return entry;
}

static struct entry *add(struct cache *cache, int key)
{
  struct entry *entry = calloc(1, sizeof *entry);
  if (!entry)
    return NULL;
  entry->key = key;
  entry->next = cache->first;
  cache->first = entry;
  return entry;
}

struct entry *cache_get(struct cache *cache, int key)
{
  pthread_mutex_lock(&cache->lock);
  struct entry *entry = find(cache, key);
  if (!entry) {
#ifdef FIXED
    entry = add(cache, key); /* others find it now, and wait */
#endif
    pthread_mutex_unlock(&cache->lock);
    int value = cache->load(key);
    pthread_mutex_lock(&cache->lock);
#ifndef FIXED
    entry = add(cache, key);
#endif
    if (entry) {
      entry->value = value;
      entry->loaded = true;
      pthread_cond_broadcast(&cache->loaded);
    }
  }
  if (entry) {
    entry->users++;
    while (!entry->loaded)
      pthread_cond_wait(&cache->loaded, &cache->lock);
  }
  pthread_mutex_unlock(&cache->lock);
  return entry;
}

int entry_value(const struct entry *entry)
{
  return entry->value;
}

void cache_release(struct cache *cache, struct entry *entry)
{
  pthread_mutex_lock(&cache->lock);
  if (--entry->users == 0) {
    struct entry **link = &cache->first;
    while (*link != entry)
      link = &(*link)->next;
    *link = entry->next;
    free(entry);
  }
  pthread_mutex_unlock(&cache->lock);
}

int cache_count(struct cache *cache)
{
  int count = 0;
  pthread_mutex_lock(&cache->lock);
  for (struct entry *entry = cache->first; entry; entry = entry->next)
    count++;
  pthread_mutex_unlock(&cache->lock);
  return count;
}

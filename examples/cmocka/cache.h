/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache of values that are slow to load. Entries count their users; one that nobody uses is dropped.
 */
#ifndef CACHE_H
#define CACHE_H

struct cache;
struct entry;

typedef int cache_loader(int key);

/* NULL when there is no memory. */
struct cache *cache_create(cache_loader *load);
void cache_destroy(struct cache *cache);

/* The entry of a key, loaded if it is not there, for the caller to release; NULL when there is no memory. Each key is
 * loaded by one of its users only. */
struct entry *cache_get(struct cache *cache, int key);
int entry_value(const struct entry *entry);
void cache_release(struct cache *cache, struct entry *entry);

int cache_count(struct cache *cache);

#endif

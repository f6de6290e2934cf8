/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of files as the program has changed it: nodes, which are files of any kind, and entries, which are names in
 * folders. Both stand over the real tree: a folder that is real shows what the real one has, except where there is an
 * entry. All of it is static and emptied after each execution; a node that only says what the kernel says is a memory
 * of that, and may be forgotten. Knows nothing of paths (overlay_path.c) nor of what calls mean.
 */
#include "worlds/threads/kernel/overlay_tree.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/own_files.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <sys/syscall.h>

#define NODES 8192
#define ENTRIES 16384
#define CHAINS 1024
#define TEXTS (1 << 18)
#define ROOM 512 /* less is too little to begin a call with */
#define FIRST_NUMBER (UINT64_C(1) << 32)

static struct {
  bool changed;
  uint32_t nodes, spare_nodes; /* the first so many were used; of them, so many are not */
  uint32_t entries, spare_entries;
  uint64_t made; /* files, ever */
  uint32_t texts;
  struct file_node node[NODES];
  struct file_entry entry[ENTRIES];
  uint16_t chain[CHAINS];
  char text[TEXTS];
} tree SYSTEM;

bool tree_changed(void)
{
  return tree.changed;
}

void tree_note_change(void)
{
  tree.changed = true;
}

static _Noreturn void no_room(const char *what, unsigned most)
{
  fail(place_in_program(0),
       "the program has more than %u %s in one execution, and heddle keeps no more of them apart from the real ones; "
       "use --files real in a folder of its own",
       most, what);
}

/* ---- nodes ---- */

struct file_node *node_at(node_id id)
{
  return &tree.node[id];
}

node_id node_new(void)
{
  uint32_t id = tree.nodes ? tree.nodes : ROOT;
  if (tree.spare_nodes)
    for (id = ROOT + 1; tree.node[id].used;)
      id++;
  else if (id == NODES)
    no_room("files", NODES);
  else
    tree.nodes = id + 1;
  tree.spare_nodes -= tree.spare_nodes > 0;
  tree.node[id] = (struct file_node){.used = true, .held = -1};
  return (node_id)id;
}

node_id node_of_identity(const struct stat *s)
{
  for (uint32_t i = ROOT; i < tree.nodes; i++) {
    const struct file_node *n = &tree.node[i];
    if (n->used && ((n->real && n->number == s->st_ino && n->device == s->st_dev) ||
                    (n->held >= 0 && n->held_number == s->st_ino && n->held_device == s->st_dev)))
      return (node_id)i;
  }
  return 0;
}

node_id node_of_descriptor(long fd, struct stat *s)
{
  return sys(SYS_fstat, fd, s) ? 0 : node_of_identity(s);
}

node_id node_of_real(node_id folder, const char *name, const struct stat *s)
{
  node_id known = s->st_nlink > 1 && !S_ISDIR(s->st_mode) ? node_of_identity(s) : 0;
  if (known)
    return known;
  struct stat dated = *s;
  date_stat(&dated, false);
  node_id id = node_new();
  struct file_node *n = node_at(id);
  n->real = true;
  n->mode = s->st_mode;
  n->user = s->st_uid;
  n->group = s->st_gid;
  n->links = (uint32_t)s->st_nlink;
  n->device = s->st_dev;
  n->number = s->st_ino;
  n->special = s->st_rdev;
  n->size = s->st_size;
  n->time[TIME_ACCESSED] = dated.st_atim;
  n->time[TIME_MODIFIED] = dated.st_mtim;
  n->time[TIME_CHANGED] = n->time[TIME_BORN] = dated.st_ctim;
  n->parent = n->real_parent = folder;
  print_text(n->name, sizeof n->name, "%s", name);
  return id;
}

node_id node_made(node_id folder, const char *name, uint32_t mode)
{
  node_id id = node_new();
  struct file_node *n = node_at(id);
  const struct file_node *in = node_at(folder);
  bool inherits = in->mode & S_ISGID;
  n->changed = true;
  n->mode = S_ISDIR(mode) && inherits ? mode | S_ISGID : mode;
  n->user = (uint32_t)sys(SYS_geteuid);
  n->group = inherits ? in->group : (uint32_t)sys(SYS_getegid);
  n->links = S_ISDIR(mode) ? 2 : 1;
  n->device = in->device;
  n->number = FIRST_NUMBER + ++tree.made;
  n->size = S_ISDIR(mode) ? 4096 : 0;
  n->parent = folder;
  print_text(n->name, sizeof n->name, "%s", name);
  node_touch(id, (1u << NODE_TIMES) - 1);
  tree_note_change();
  return id;
}

bool node_is_folder(node_id id)
{
  return S_ISDIR(tree.node[id].mode);
}

void node_touch(node_id id, unsigned times)
{
  struct timespec now = virtual_now(CLOCK_REALTIME);
  for (unsigned t = 0; t < NODE_TIMES; t++)
    if (times >> t & 1)
      tree.node[id].time[t] = now;
  tree.node[id].changed = true;
}

const char *node_real_path(node_id id)
{
  static char room[3][PATH_MOST];
  static unsigned turn;
  char *path = room[turn++ % 3], *at = path + PATH_MOST - 1;
  *at = '\0';
  for (; id != ROOT; id = tree.node[id].real_parent) {
    size_t n = text_length(tree.node[id].name);
    if ((size_t)(at - path) < n + 1)
      return "";
    at -= n;
    copy_bytes(at, tree.node[id].name, n);
    *--at = '/';
  }
  if (!*at)
    *--at = '/';
  return at;
}

static const char *name_in(node_id folder, node_id id)
{
  uint32_t index = 0;
  for (struct file_entry *e; (e = entry_next(folder, &index));)
    if (e->node == id)
      return e->name;
  return NULL;
}

const char *node_name(node_id id)
{
  const char *name = name_in(tree.node[id].parent, id);
  return name ? name : tree.node[id].name;
}

bool node_path(node_id id, char *out, size_t size)
{
  char *at = out + size - 1;
  *at = '\0';
  for (; id != ROOT; id = tree.node[id].parent) {
    const char *name = name_in(tree.node[id].parent, id);
    size_t n = name ? text_length(name) : 0;
    if (!name || (size_t)(at - out) < n + 1)
      return false;
    at -= n;
    copy_bytes(at, name, n);
    *--at = '/';
  }
  if (!*at)
    *--at = '/';
  for (char *to = out; (*to = *at); to++)
    at++;
  return true;
}

/* ---- entries ---- */

static uint16_t *chain_of(node_id folder, const char *name)
{
  uint32_t hash = folder * UINT32_C(2654435761);
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
  return &tree.chain[(hash ^ hash >> 15) % CHAINS];
}

struct file_entry *entry_find(node_id folder, const char *name)
{
  for (uint32_t i = *chain_of(folder, name); i; i = tree.entry[i].next)
    if (tree.entry[i].folder == folder && !text_compare(tree.entry[i].name, name))
      return &tree.entry[i];
  return NULL;
}

static struct file_entry *entry_new(node_id folder, const char *name)
{
  uint32_t i = tree.entries ? tree.entries : 1;
  if (tree.spare_entries)
    for (i = 1; tree.entry[i].folder;)
      i++;
  else if (i == ENTRIES)
    no_room("names of files", ENTRIES);
  else
    tree.entries = i + 1;
  tree.spare_entries -= tree.spare_entries > 0;
  struct file_entry *e = &tree.entry[i];
  uint16_t *chain = chain_of(folder, name);
  e->folder = folder;
  e->covers = false;
  e->next = *chain;
  *chain = (uint16_t)i;
  print_text(e->name, sizeof e->name, "%s", name);
  return e;
}

static void entry_drop(struct file_entry *e)
{
  uint16_t i = (uint16_t)(e - tree.entry), *at = chain_of(e->folder, e->name);
  while (*at != i)
    at = &tree.entry[*at].next;
  *at = e->next;
  e->folder = 0;
  tree.spare_entries++;
}

void entry_set(node_id folder, const char *name, node_id node, bool covers)
{
  struct file_entry *e = entry_find(folder, name);
  if (!e)
    e = entry_new(folder, name);
  e->node = node;
  e->covers |= covers;
}

void entry_remove(struct file_entry *e)
{
  if (e->covers)
    e->node = 0;
  else
    entry_drop(e);
}

struct file_entry *entry_next(node_id folder, uint32_t *index)
{
  while (++*index < tree.entries)
    if (tree.entry[*index].folder == folder)
      return &tree.entry[*index];
  return NULL;
}

/* ---- texts ---- */

uint32_t text_keep(const char *text, size_t n)
{
  if (n > TEXTS - tree.texts)
    no_room("bytes of symbolic links and addresses", TEXTS);
  copy_bytes(tree.text + tree.texts, text, n);
  tree.texts += (uint32_t)n;
  return tree.texts - (uint32_t)n;
}

const char *text_at(uint32_t text)
{
  return tree.text + text;
}

/* ---- room ---- */

static void node_free(node_id id)
{
  contents_drop(&tree.node[id]);
  tree.node[id].used = false;
  tree.spare_nodes++;
}

/* What only repeats what the real tree has. */
static void forget_real(void)
{
  for (uint32_t i = 1; i < tree.entries; i++) {
    struct file_entry *e = &tree.entry[i];
    const struct file_node *n = &tree.node[e->node];
    if (!e->folder || !e->node || S_ISDIR(n->mode) || S_ISFIFO(n->mode) || n->changed || n->mapped || n->held >= 0 ||
        n->links > 1 || n->real_parent != e->folder || text_compare(n->name, e->name))
      continue;
    node_free(e->node);
    entry_drop(e);
  }
}

/* What has no name and is not open any more. */
static void forget_unlinked(void)
{
  static bool open[NODES];
  struct stat s;
  fill_bytes(open, 0, sizeof open);
  for (long fd = -1; (fd = descriptor_next(fd)) >= 0;)
    open[node_of_descriptor(fd, &s)] = true;
  for (uint32_t i = ROOT + 1; i < tree.nodes; i++)
    if (tree.node[i].used && !tree.node[i].links && !open[i] && !S_ISDIR(tree.node[i].mode) &&
        !fifo_is_open((uint16_t)i))
      node_free((node_id)i);
}

void nodes_collect(void)
{
  if (NODES - tree.nodes + tree.spare_nodes >= ROOM && ENTRIES - tree.entries + tree.spare_entries >= ROOM)
    return;
  forget_real();
  if (rt.engine->processes == 1) /* which files others have open is not for this one to know */
    forget_unlinked();
}

void tree_reset(void)
{
  for (uint32_t i = ROOT; i < tree.nodes; i++) {
    if (tree.node[i].used)
      contents_drop(&tree.node[i]);
    tree.node[i].used = false;
  }
  for (uint32_t i = 1; i < tree.entries; i++)
    if (tree.entry[i].folder)
      *chain_of(tree.entry[i].folder, tree.entry[i].name) = 0;
  tree.changed = false;
  tree.nodes = tree.spare_nodes = tree.entries = tree.spare_entries = tree.texts = 0;
  tree.made = 0;
}

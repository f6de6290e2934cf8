/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of std::list, std::map, std::set and their kin that are no templates: libstdc++ links the nodes of lists
 * and trees in functions of its own, where there are no hooks. Also what it keeps for the whole program.
 *
 * Those of lists are done here, an access at a time. Those of trees remain the library's: to the search, inserting or
 * erasing a node writes to it, to what is above it, and to the tree's header, which every search reads; and to walk
 * from a node to the next reads the header, too, because that is all that is known to stay.
 */
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"

static inline bool hooked(uintptr_t pc)
{
  return unlikely(hd_self != NULL) && in_program(pc);
}

#define NODES_MOST 128 /* no tree is as high */

/* What one call accesses: known before its first step, for others may run then, and nothing of it twice, which would
 * look like a loop that waits. */
struct nodes {
  const void *node[NODES_MOST];
  unsigned count;
};

static void add_node(struct nodes *n, const void *node)
{
  for (unsigned i = 0; i < n->count; i++)
    if (n->node[i] == node)
      return;
  if (node && n->count < NODES_MOST)
    n->node[n->count++] = node;
}

static void access_nodes(const struct nodes *n, size_t size, enum op_kind kind, uintptr_t pc)
{
  for (unsigned i = 0; i < n->count; i++)
    memory_range(n->node[i], size, kind, pc);
}

/* ---- lists ---- */

struct list_node {
  struct list_node *next, *prev;
};

static inline struct list_node *load(struct list_node **from, uintptr_t pc)
{
  memory_access(from, sizeof *from, OP_READ, 0, pc);
  return *from;
}

static inline void store(struct list_node **to, struct list_node *value, uintptr_t pc)
{
  memory_access(to, sizeof *to, OP_WRITE, 0, pc);
  *to = value;
}

#define HOOK _ZNSt8__detail15_List_node_base7_M_hookEPS0_
#define UNHOOK _ZNSt8__detail15_List_node_base9_M_unhookEv
#define TRANSFER _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_
#define REVERSE _ZNSt8__detail15_List_node_base10_M_reverseEv
#define SWAP _ZNSt8__detail15_List_node_base4swapERS0_S1_

/* REAL() makes a text of the name. */
#define LIBRARY(name) REAL(name)

void HOOK(struct list_node *node, struct list_node *before);
EXPORT void HOOK(struct list_node *node, struct list_node *before)
{
  uintptr_t pc = CALLER();
  if (!hooked(pc)) {
    LIBRARY(HOOK)(node, before);
    return;
  }
  store(&node->next, before, pc);
  struct list_node *prev = load(&before->prev, pc);
  store(&node->prev, prev, pc);
  store(&prev->next, node, pc);
  store(&before->prev, node, pc);
}

void UNHOOK(struct list_node *node);
EXPORT void UNHOOK(struct list_node *node)
{
  uintptr_t pc = CALLER();
  if (!hooked(pc)) {
    LIBRARY(UNHOOK)(node);
    return;
  }
  struct list_node *next = load(&node->next, pc), *prev = load(&node->prev, pc);
  store(&prev->next, next, pc);
  store(&next->prev, prev, pc);
}

/* Moves the nodes from `first` to the one before `last` to where they come before `node`. */
void TRANSFER(struct list_node *node, struct list_node *first, struct list_node *last);
EXPORT void TRANSFER(struct list_node *node, struct list_node *first, struct list_node *last)
{
  uintptr_t pc = CALLER();
  if (!hooked(pc)) {
    LIBRARY(TRANSFER)(node, first, last);
    return;
  }
  if (node == last)
    return;
  struct list_node *final = load(&last->prev, pc), *above = load(&first->prev, pc), *before = load(&node->prev, pc);
  store(&final->next, node, pc);
  store(&above->next, last, pc);
  store(&before->next, first, pc);
  store(&node->prev, final, pc);
  store(&last->prev, above, pc);
  store(&first->prev, before, pc);
}

void REVERSE(struct list_node *node);
EXPORT void REVERSE(struct list_node *node)
{
  uintptr_t pc = CALLER();
  if (!hooked(pc)) {
    LIBRARY(REVERSE)(node);
    return;
  }
  struct list_node *at = node;
  do {
    struct list_node *next = load(&at->next, pc);
    store(&at->next, load(&at->prev, pc), pc);
    store(&at->prev, next, pc);
    at = next;
  } while (at != node);
}

/* Two lists' headers: their neighbours change, too. */
void SWAP(struct list_node *a, struct list_node *b);
EXPORT void SWAP(struct list_node *a, struct list_node *b)
{
  uintptr_t pc = CALLER();
  struct nodes all = {0};
  struct list_node *const header[] = {a, b};
  for (unsigned i = 0; i < 2 && hooked(pc); i++) {
    add_node(&all, header[i]);
    add_node(&all, header[i]->next);
    add_node(&all, header[i]->prev);
  }
  access_nodes(&all, sizeof *a, OP_WRITE, pc);
  LIBRARY(SWAP)(a, b);
}

/* ---- trees ---- */

struct tree_node {
  int color;
  struct tree_node *parent, *left, *right;
};

/* The header has the root for its parent, as the root has the header: nothing else is its own grandparent. */
static bool is_top(const struct tree_node *node)
{
  return !node->parent || node->parent->parent == node;
}

/* Adds the nodes from this one up to the root, or to the header. The last of them. */
static const struct tree_node *add_path(struct nodes *n, const struct tree_node *from)
{
  const struct tree_node *at = from;
  for (add_node(n, at); n->count < NODES_MOST && !is_top(at); add_node(n, at))
    at = at->parent;
  return at;
}

#define INSERT _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_
#define ERASE _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_

void INSERT(bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header);
EXPORT void INSERT(bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
{
  uintptr_t pc = CALLER();
  struct nodes all = {0};
  if (hooked(pc)) {
    add_node(&all, node);
    add_node(&all, header);
    add_path(&all, parent);
  }
  access_nodes(&all, sizeof *node, OP_WRITE, pc);
  LIBRARY(INSERT)(left, node, parent, header);
}

struct tree_node *ERASE(struct tree_node *node, struct tree_node *header);
EXPORT struct tree_node *ERASE(struct tree_node *node, struct tree_node *header)
{
  uintptr_t pc = CALLER();
  struct nodes all = {0};
  if (hooked(pc)) {
    add_node(&all, header);
    add_path(&all, node);
  }
  access_nodes(&all, sizeof *node, OP_WRITE, pc);
  return LIBRARY(ERASE)(node, header);
}

static void read_path(const struct tree_node *node, uintptr_t pc)
{
  struct nodes all = {0};
  if (!hooked(pc))
    return;
  const struct tree_node *top = add_path(&all, node);
  add_node(&all, top->parent); /* one of the two is the header */
  access_nodes(&all, sizeof *node, OP_READ, pc);
}

#define WALK(name)                                                                                                     \
  struct tree_node *name(struct tree_node *node);                                                                      \
  EXPORT struct tree_node *name(struct tree_node *node)                                                                \
  {                                                                                                                    \
    read_path(node, CALLER());                                                                                         \
    return REAL(name)(node);                                                                                           \
  }

WALK(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)
WALK(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base)
WALK(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)
WALK(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)

/* ---- hash tables: what is hashed is read, and when a table grows next is kept behind its load factor ---- */

#define HASH _ZSt11_Hash_bytesPKvmm
#define NEXT_SIZE _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm
#define NEEDS_MORE _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm

struct table_growth {
  float load;
  size_t next;
};

struct more {
  bool needed;
  size_t size;
};

static void change_growth(const struct table_growth *growth, uintptr_t pc)
{
  if (!hooked(pc))
    return;
  memory_range(growth, sizeof *growth, OP_READ, pc);
  memory_range(&growth->next, sizeof growth->next, OP_WRITE, pc);
}

size_t HASH(const void *bytes, size_t size, size_t seed);
EXPORT size_t HASH(const void *bytes, size_t size, size_t seed)
{
  if (hooked(CALLER()))
    memory_range(bytes, size, OP_READ, CALLER());
  return LIBRARY(HASH)(bytes, size, seed);
}

size_t NEXT_SIZE(const struct table_growth *growth, size_t size);
EXPORT size_t NEXT_SIZE(const struct table_growth *growth, size_t size)
{
  change_growth(growth, CALLER());
  return LIBRARY(NEXT_SIZE)(growth, size);
}

struct more NEEDS_MORE(const struct table_growth *growth, size_t size, size_t elements, size_t added);
EXPORT struct more NEEDS_MORE(const struct table_growth *growth, size_t size, size_t elements, size_t added) {
  change_growth(growth, CALLER());
  return LIBRARY(NEEDS_MORE)(growth, size, elements, added);
}

/* ---- handlers ---- */

/* std::set_terminate() and std::set_new_handler() exchange a word of the library's, as one may do from any thread. */
static uint64_t handlers[2]; /* only their addresses are of interest */

static void use_handler(unsigned which, enum op_kind kind, uintptr_t pc)
{
  if (hooked(pc))
    memory_access(&handlers[which], sizeof *handlers, kind, __ATOMIC_SEQ_CST, pc);
}

#define HANDLER(set, get, which)                                                                                       \
  void *set(void *handler);                                                                                            \
  EXPORT void *set(void *handler)                                                                                      \
  {                                                                                                                    \
    use_handler(which, OP_ATOMIC_RMW, CALLER());                                                                       \
    return REAL(set)(handler);                                                                                         \
  }                                                                                                                    \
  void *get(void);                                                                                                     \
  EXPORT void *get(void)                                                                                               \
  {                                                                                                                    \
    use_handler(which, OP_ATOMIC_LOAD, CALLER());                                                                      \
    return REAL(get)();                                                                                                \
  }

HANDLER(_ZSt13set_terminatePFvvE, _ZSt13get_terminatev, 0)
HANDLER(_ZSt15set_new_handlerPFvvE, _ZSt15get_new_handlerv, 1)

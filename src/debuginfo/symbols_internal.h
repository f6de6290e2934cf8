/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the symbols share: symbols.c (modules and lines), functions.c, variables.c (data and types),
 * heap_names.c (blocks by the line that allocated them), heap_users.c (by the pointers that lead to them), locals.c
 * (stacks), call_shapes.c (parameters), constants.c, demangle.c, source_text.c (files). Of no concern to others.
 */
#ifndef HEDDLE_TRACE_SYMBOLS_INTERNAL_H
#define HEDDLE_TRACE_SYMBOLS_INTERNAL_H

#include "core/address_name.h"
#include "debuginfo/symbols.h"
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct variable {
  uintptr_t low, high; /* [low, high) in the process */
  Dwarf_Die die;
};

/* A range of code and the compilation unit it comes from. */
struct unit_range {
  uintptr_t low, high; /* [low, high) in the process */
  Dwarf_Die unit;      /* has the line table */
  Dwarf_Die scopes;    /* has the functions: the same, but for split debug information */
};

struct module {
  char *path;
  const char *name; /* last part of path */
  uintptr_t start;
  Dwfl_Module *dwfl; /* NULL: could not be used */
  uintptr_t low, high;
  uintptr_t bias;             /* address in the process - address in the file */
  bool indexed;               /* the variables are */
  struct variable *variables; /* sorted by low */
  size_t variable_count, variable_room;
  bool units_known;
  struct unit_range *units; /* sorted by low */
  size_t unit_count, unit_room;
};

struct source_file {
  char *path;
  char *display; /* NULL: not made yet */
  char *text;    /* NULL: not loaded, or not there */
  char **lines;  /* point into text */
  size_t line_count;
  bool tried;
  bool dated, newer; /* newer: it was changed after the program was built; once it is dated */
};

struct place_entry {
  uintptr_t addr; /* 0: free */
  bool found;
  struct source_place place;
};

/* What the line that allocates a heap block says of it. */
struct heap_site {
  uintptr_t pc;
  char *expression;  /* the variable assigned to; NULL: unknown */
  Dwarf_Die pointee; /* its type, peeled */
  uint64_t size;     /* of pointee, not 0 */
  uint64_t counts;   /* bytes before it in the block that are none of it */
  bool exact;        /* the line may allocate others, too: this one has the size of what is made there */
  bool fixture;      /* made by a template, as test fixtures are: its members are known by their own names */
};

/* What those who use a heap block say of it, if the line that allocated it says nothing. */
struct heap_block {
  uintptr_t base; /* 0: free */
  char *expression;
  Dwarf_Die pointee;
  uint64_t size, counts; /* as in heap_site */
  uintptr_t asked[16];   /* places in the code that could not tell */
  unsigned asked_count;
};

/* What was answered last for memory in the same slot: traces ask for the same few places again and again. */
#define KNOWN_PLACES 64
struct known_place {
  struct memory_place place;
  bool typed, named; /* which of the two answers is there */
  bool has_type, has_name;
  Dwarf_Die type;
  char name[256];
};

struct symbols {
  struct module *modules; /* the program first */
  size_t module_count;
  uint64_t bias[NAME_MODULES]; /* of modules in the order of the dynamic linker, as far as that is known */
  unsigned biases;
  Dwfl *dwfl;      /* NULL: to be made from modules */
  char *directory; /* current, for display names; NULL: unknown */
  struct source_file **files;
  size_t file_count;
  bool newer_told;
  char **basenames; /* of all compilation units, sorted by file name, whole paths; for display names */
  size_t basename_count;
  bool basenames_known;
  struct place_entry *places; /* open addressing, a power of two */
  size_t place_count, place_room;
  char **strings; /* handed out */
  size_t string_count;
  struct heap_site *sites;
  size_t site_count;
  struct heap_block *blocks; /* open addressing, a power of two */
  size_t block_count, block_room;
  struct local_frame *frames; /* locals.c */
  size_t frame_count;
  struct known_place known[KNOWN_PLACES];
};

/* Text under construction; what does not fit is dropped. */
struct text_buffer {
  char *out;
  size_t size, used;
};

__attribute__((format(printf, 2, 3))) void text_add(struct text_buffer *t, const char *format, ...);

/* The module of an address with libdw ready to ask, or NULL. */
struct module *module_of(struct symbols *s, uintptr_t addr);

/* A copy that lives as long as the symbols; NULL when there is no memory. */
const char *keep_string(struct symbols *s, const char *text);

/* The file of that absolute path, made when new; NULL when there is no memory. */
struct source_file *source_file_of(struct symbols *s, const char *path);
const char *source_file_display(struct symbols *s, struct source_file *file);
const char *source_file_name(struct symbols *s, struct source_file *file);
void source_files_free(struct symbols *s);

/* Whether a source was changed after the program was built: its lines are not those that were compiled. */
bool source_is_newer(struct symbols *s, const char *path);

/* Whether a path is one of the system's headers or libraries. */
bool is_system_path(const char *path);

/* Debug information of a module, or NULL; bias is to be added to its addresses. */
Dwarf *module_dwarf(struct module *m, Dwarf_Addr *bias);

/* The compilation unit of an address, or NULL; bias as above. */
const struct unit_range *module_unit(struct module *m, uintptr_t addr, Dwarf_Addr *bias);

/* The name of an entity with its namespaces and classes. False: it has none. */
bool qualified_name(Dwarf_Die *die, struct text_buffer *out);

/* The name of the function of an address, the innermost when some are inlined there. False: no debug information. */
bool function_name(struct module *m, uintptr_t addr, struct text_buffer *out);

/* The function whose code is at a pc of the file, the one that others are inlined into. */
bool function_at(const struct unit_range *range, Dwarf_Addr pc, Dwarf_Die *out);

/* Definitions outside of their class or namespace, and code that was inlined, point to the declaration inside of it. */
Dwarf_Die declaration_of(const Dwarf_Die *die);

/* The file that an attribute of an entity names by number, or NULL. (dwarf_decl_file is not safe: it aborts on split
 * debug information without a line table.) */
const char *die_file(Dwarf_Die *die, unsigned attribute);

/* A variable of that name in the function at a pc, its blocks and those inlined there; the innermost. */
bool variable_around(const struct unit_range *range, Dwarf_Addr pc, const char *name, Dwarf_Die *out);

/* Of the functions inlined in each other at a pc of the file, the one of a library that is called by one of the
 * program's, or by nobody there. */
bool library_call(const struct unit_range *range, Dwarf_Addr pc, bool (*of_library)(const char *path),
                  const char **name);

/* Where the call stands that was replaced by the code of an inlined function. */
struct inlined_call_site {
  Dwarf_Die caller;
  const char *file;
  uint32_t line;
};

/* The call site of the inlined function at a pc of the file; level 0 is the innermost. False: there is none. */
bool inlined_call(const struct unit_range *range, Dwarf_Addr pc, int level, struct inlined_call_site *out);

/* Describes `size` bytes at `offset` of a type: appends `.member[3]` to name and leaves the innermost type, peeled of
 * nothing, in *leaf. False when leaf does not begin at offset. */
bool type_walk(Dwarf_Die *type, uint64_t offset, uint64_t size, struct text_buffer *name, Dwarf_Die *leaf);

/* Size of a type, 0 when unknown. */
uint64_t type_size(Dwarf_Die *type);

/* The type of an entity, typedefs and qualifiers removed. False: it has none (void). */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);

/* A value of a type as symbols_format_value() has it; type may be NULL: unknown. */
void type_format_value(struct symbols *s, Dwarf_Die *type, size_t size, uint64_t value, char *out, size_t n);

/* A member by name, also inside unnamed ones. */
bool type_member(Dwarf_Die *type, const char *name, Dwarf_Die *member);

/* Whether the last member of a struct is an array without a size. */
bool type_is_flexible(Dwarf_Die *type);

/* Names heap memory and finds its type. False: the line of its allocation does not tell. */
bool heap_walk(struct symbols *s, const struct memory_place *place, struct text_buffer *name, Dwarf_Die *leaf);
void heap_sites_free(struct symbols *s);

/* Whether the line of its allocation tells what is in a block. */
bool heap_site_tells(struct symbols *s, uintptr_t block_pc);

/* What its users told of the block that begins there; NULL: nothing. */
const struct heap_block *heap_block_at(struct symbols *s, uintptr_t base);
void heap_blocks_free(struct symbols *s);

/* The peeled type of what a pointer, plain or of the C++ library, points to, or an array is made of. False: it is
 * none. */
bool type_dereference(Dwarf_Die *type);

/* The peeled first parameter of a class template. */
bool first_parameter(Dwarf_Die *class, Dwarf_Die *type);

/* Whether a text has a name as a word of its own. */
bool has_name(const char *text, const char *name);

/* The same for memory on a stack. False: no variable is known there. */
bool local_walk(struct symbols *s, const struct memory_place *place, struct text_buffer *name, Dwarf_Die *leaf);
void local_frames_free(struct symbols *s);

/* The function in whose frame a place lies, or NULL. */
const char *local_function(struct symbols *s, const struct memory_place *place);

/* The string literal at an address, in quotes. False: there is none. */
bool constant_text(struct symbols *s, uintptr_t addr, struct text_buffer *name);

#endif

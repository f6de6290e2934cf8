/* SPDX-License-Identifier: Apache-2.0
 *
 * Symbols: names for the addresses of a tested process, by elfutils' libdw.
 *
 * It turns return addresses into lines of source, data addresses into expressions such as `table[3].next`, and values
 * into what a C programmer would write. It reads the program's files, never the process; it prints nothing. Missing
 * debug information is not an error: names degrade to ELF symbols, then to nothing.
 *
 * Strings handed out belong to the symbols and live as long as they do, but for symbols_source_line's (see there).
 * Not thread-safe. Every function takes NULL for the symbols and then finds nothing.
 */
#ifndef HEDDLE_TRACE_SYMBOLS_H
#define HEDDLE_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

struct source_place {
  const char *file;     /* as the debug information has it, made absolute; NULL if unknown */
  const char *display;  /* short: relative to the current directory when below it, else the last part of the path when
                         * no other file has the same, else the whole; NULL if unknown */
  const char *name;     /* shorter: the last part of the path when no other file has the same, else display */
  const char *function; /* NULL if unknown; in C++ with namespaces and classes */
  const char *module;   /* last part of the path of the program or library */
  uint32_t line;        /* 0 if unknown */
  uint32_t column;      /* from 1, in bytes; 0 if unknown */
  bool library;         /* not the program's own code: a library or header of the system */
  bool inlined;         /* it is, but what runs there is code of such a header that was inlined */
};

enum value_kind {
  VALUE_UNKNOWN,
  VALUE_SIGNED,
  VALUE_UNSIGNED,
  VALUE_BOOL,
  VALUE_CHAR,
  VALUE_POINTER,
  VALUE_FLOAT,
  VALUE_ENUM
};

/* Memory of the tested process as events and bugs know it. block_pc 0: not heap memory. block_size 0: unknown.
 * local_pc 0: not on a stack, as far as is known. */
/* What kind of memory a block is. */
enum block_kind { BLOCK_HEAP, BLOCK_MAPPED, BLOCK_SHARED };

struct memory_place {
  uintptr_t addr;
  uint32_t length;      /* bytes accessed; 0 for an object such as a mutex */
  bool whole;           /* not a part of it is meant, but all of its heap block, as when that is freed */
  enum block_kind kind; /* of the block, if it is of one */
  uintptr_t block_pc;
  uint64_t block_offset;
  uint64_t block_size;
  uintptr_t local_pc;   /* a place in the function in whose frame it lies */
  int64_t local_offset; /* from the canonical frame address of that frame */
};

/* Opens a program. Until maps or modules are loaded, the program is taken to be where Linux puts it without address
 * randomisation. NULL, with one line in error, when the file is missing, is no ELF file, is for another machine, or
 * there is no memory. */
struct symbols *symbols_open(const char *program, char *error, size_t error_size);
void symbols_close(struct symbols *s);

/* Whether the program itself (not its libraries) has debug information. */
bool symbols_have_debug_info(struct symbols *s);

/* A library (or the program itself, whose address is then corrected) mapped with its first byte at start. False, with
 * one line in error (which may be NULL), when the file cannot be used; what is known stays as it was. */
bool symbols_add_module(struct symbols *s, const char *path, uintptr_t start, char *error, size_t error_size);

/* Adds all modules of the text of /proc/PID/maps; it may be cut at any byte. Lines that make no sense and files that
 * cannot be used are passed over. Returns the number of modules now known. */
size_t symbols_load_maps(struct symbols *s, const char *text);

/* The same for another program, by its number (core/address_name.h): its addresses have that above them. */
void symbols_load_image(struct symbols *s, const char *text, unsigned image);

/* The place of the code a return address belongs to (pc - 1 is looked up). True when at least the function or the line
 * is known; *out is always filled. Cached. */
bool symbols_line(struct symbols *s, uintptr_t pc, struct source_place *out);

/* The same for the address of an instruction itself, such as a thread's start routine. */
bool symbols_exact_line(struct symbols *s, uintptr_t addr, struct source_place *out);

/* The function of a library that the program called, as it calls it ("request_stop"), by the return address of that
 * function's own code, or of the program's into which it was inlined. False: unknown. */
bool symbols_library_call(struct symbols *s, uintptr_t pc, char *out, size_t n);

/* The C++ name of a symbol, or the symbol itself. */
void demangle(const char *symbol, char *out, size_t n);

/* "bank.c:22", or "pthread_mutex_lock (libc.so.6)", or "bank+0x11f3", or "0x7f…". Cannot fail. */
void symbols_format_place(struct symbols *s, uintptr_t pc, char *out, size_t n);

/* The module of an address, and the address as the module's file has it; what `addr2line -e` takes. False: in none. */
bool symbols_module_offset(struct symbols *s, uintptr_t addr, const char **module, uint64_t *offset);

/* And back; module is the last part of a path. False: no such module, or not inside it. */
bool symbols_module_address(struct symbols *s, const char *module, uint64_t offset, uintptr_t *addr);

/* Where the modules of a process are, in the order of the dynamic linker (struct control), for the names of
 * addresses. */
void symbols_load_biases(struct symbols *s, const uint64_t *bias, unsigned count);
/* The address of code by its name (core/address_name.h) in the process whose modules are known; 0: unknown. */
uintptr_t symbols_named_address(struct symbols *s, uint64_t name);
/* And back; 0: in no module of that order. */
uint64_t symbols_address_name(struct symbols *s, uintptr_t addr);

/* Where the program's file has the variable of that name, or a member of it (`queue.head`), and how many bytes of it.
 * False: there is none, or several. */
bool symbols_find_variable(struct symbols *s, const char *name, uint64_t *place, uint64_t *bytes);

/* Names global and static data: `balance[0]`, `queue.head`, `bank::total`, `table[1..3]` for a range of elements; ELF
 * symbol + offset when there is no debug information. Members that belong to the implementation (`__data`, `_M_i`) are
 * left out. size 0 asks for the object that starts there. False: unknown, out is empty. */
bool symbols_variable(struct symbols *s, uintptr_t addr, size_t size, char *out, size_t n);

/* Names memory on a stack, by local_pc and local_offset: `counter`, `q.closed`; else `a local of main`. False: not even
 * the function is known, out is empty. */
bool symbols_local(struct symbols *s, const struct memory_place *place, char *out, size_t n);

/* Whether it is data that nobody can write: a string literal, a constant table. */
bool symbols_is_constant(struct symbols *s, uintptr_t addr);

/* What is stored there. VALUE_UNKNOWN when not known or not of that size. */
enum value_kind symbols_variable_type(struct symbols *s, uintptr_t addr, size_t size);

/* Names any memory: a variable, also on a stack; heap memory by the variable its allocation was assigned to (`n->next`,
 * `a[2]`) or else `heap block of 24 bytes from main.c:12, offset 8`; a string literal; else the address. True when
 * better than an address. */
bool symbols_memory(struct symbols *s, const struct memory_place *place, char *out, size_t n);

/* The code at pc accesses heap memory there: from its line and the pointers in sight it may be known what is in the
 * block, if the line that allocated it does not tell. To be called for those who use it before it is named. */
void symbols_learn_block(struct symbols *s, const struct memory_place *place, uintptr_t pc);

/* Blocks of another execution may lie at the same addresses: what users told is forgotten. */
void symbols_forget_blocks(struct symbols *s);

/* Whether memory has a name that the program gave it: a variable, or a way to it from one. */
bool symbols_is_named(struct symbols *s, const struct memory_place *place);

/* A value as the program's source would write it: 100, -1, true, NULL, 0x5555…, 'a', an enumerator, 1.5. When the type
 * is unknown a small number is printed as signed decimal and another in hex. place may be NULL. Cannot fail. */
void symbols_format_value(struct symbols *s, const struct memory_place *place, size_t size, uint64_t value, char *out,
                          size_t n);

/* The text of a line of source, without indentation and newline; NULL if the file is not there or has no such line.
 * Valid until the symbols are closed. */
const char *symbols_source_line(struct symbols *s, const char *path, uint32_t line);

/* The sources that the program was compiled from, as far as they are its own: absolute, malloc'ed with their list;
 * *count of them. NULL with *count 0: none are known. */
char **symbols_sources(struct symbols *s, size_t *count);

/* A source, of those that were asked for, that was changed after the program was built, as it is displayed; NULL: there
 * is none, or it was told before. */
const char *symbols_newer_source(struct symbols *s);

#define FINGERPRINT_SIZE 65

/* Identifies the content of an executable: its GNU build id in hex, else a 64-bit hash of the whole file in hex. False,
 * with one line in error, when it cannot be read or is no ELF file. */
bool program_fingerprint(const char *path, char out[FINGERPRINT_SIZE], char *error, size_t error_size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Symbols: small programs are compiled here, with each compiler at hand and DWARF 4 and 5, and asked about. Addresses
 * come from nm, so that nothing depends on what a compiler puts where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "addresses.h"
#include "debuginfo/symbols.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START ((uintptr_t)0x555555554000)

static char directory[] = "/tmp/heddle-symbols-XXXXXX";

static const char c_program[] =
    "#include <pthread.h>\n"                            /* 1 */
    "#include <stdbool.h>\n"                            /* 2 */
    "#include <stdint.h>\n"                             /* 3 */
    "#include <stdlib.h>\n"                             /* 4 */
    "enum state { IDLE, BUSY = 5, GONE = -1 };\n"       /* 5 */
    "struct node { long value; struct node *next; };\n" /* 6 */
    "struct queue { pthread_mutex_t lock; struct node *head; struct { short low, high; }; union { int i; "
    "float f; } u; };\n"
    "struct packet { int length; unsigned char bytes[]; };\n" /* 8 */
    "int balance[2] = {1, 1};\n"                              /* 9 */
    "int grid[3][4] = {{1}};\n"                               /* 10 */
    "struct queue queue = {.u.i = 1};\n"                      /* 11 */
    "struct node table[4] = {{1, 0}};\n"                      /* 12 */
    "static unsigned hidden = 7;\n"                           /* 13 */
    "bool flag = true; char letter = 'a'; double ratio = 1.5; float half = 0.5f; enum state state = BUSY;\n"
    "uint8_t octet = 65; volatile int64_t wide = -1; struct node *first; void (*callback)(void);\n"
    "pthread_cond_t conds[2];\n"                                                              /* 16 */
    "_Atomic int atomic_one;\n"                                                               /* 17 */
    "static struct node *make(void)\n"                                                        /* 18 */
    "{\n"                                                                                     /* 19 */
    "  struct node *n = malloc(sizeof *n);\n"                                                 /* 20 */
    "  int *a = calloc(10, sizeof *a);\n"                                                     /* 21 */
    "  queue.head = malloc(sizeof(struct node));\n"                                           /* 22 */
    "  struct packet *p = malloc(sizeof *p + 100);\n"                                         /* 23 */
    "  void *raw = malloc(3);\n"                                                              /* 24 */
    "  free(a); free(p); free(raw);\n"                                                        /* 25 */
    "  return n;\n"                                                                           /* 26 */
    "}\n"                                                                                     /* 27 */
    "int count(void) { static long calls = 3; return (int)(calls++ + hidden); }\n"            /* 28 */
    "int main(void) { callback = (void (*)(void))count; first = make(); return count(); }\n"; /* 29 */

static const char cpp_program[] =
    "#include <atomic>\n"
    "#include <mutex>\n"
    "namespace bank {\n"
    "  int total = 3;\n"
    "  struct base { int id; };\n"
    "  struct account : base { static int made; std::atomic<int> amount; int twice() { return amount * 2; } "
    "};\n"
    "  int account::made = 1;\n"
    "  account mine = {};\n"
    "  std::mutex guard;\n"
    "}\n"
    "namespace { int secret = 4; }\n"
    "int main() { bank::mine.amount = secret; return bank::mine.twice() + bank::account::made; }\n";

#if defined __x86_64__
/* Tells where the variables of main lie from its canonical frame address. */
static const char local_program[] =
    "#include <cstdio>\n"
    "#include <mutex>\n"
    "#include <vector>\n"
    "struct queue { std::mutex m; bool closed; int ring[3]; std::vector<int> items; std::pair<int, int> ends; };\n"
    "__attribute__((noinline)) void put(const char *name, void *at, unsigned size, char *frame)\n"
    "{\n"
    "  printf(\"%s %u %ld\\n\", name, size, (long)((char *)at - frame));\n"
    "}\n"
    "int main(int argc, char **)\n"
    "{\n"
    "  char *frame = (char *)__builtin_frame_address(0) + 16;\n"
    "  queue q{};\n"
    "  put(\"q.m\", &q.m, 0, frame);\n" /* 13 */
    "  put(\"q.closed\", &q.closed, 1, frame);\n"
    "  put(\"q.ring[2]\", &q.ring[2], 4, frame);\n"
    "  put(\"q.items\", &q.items, 8, frame);\n"
    "  put(\"q.ends.second\", &q.ends.second, 4, frame);\n"
    "  for (int i = 0; i < argc; i++) {\n"
    "    long inner[2] = {};\n"
    "    put(\"inner[1]\", &inner[1], 8, frame);\n"
    "  }\n"
    "}\n";
#endif

/* Without headers: compiled in no time. */
static const char small_cpp_program[] =
    "namespace bank { struct account { int amount; int twice() { return amount * 2; } }; }\n"
    "int main()\n"
    "{\n"
    "  bank::account mine = {};\n"
    "  auto twice = [](int n) { return n * 2; };\n"
    "  return mine.twice() + twice(0);\n"
    "}\n";

static void write_text(const char *name, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

/* Compiles source to "<directory>/<name>". False when there is no such compiler. */
static bool compile(const char *command, const char *source, const char *name, char *path, size_t n)
{
  char line[512];
  snprintf(line, sizeof line, "command -v %.*s >/dev/null", (int)strcspn(command, " "), command);
  if (system(line) != 0)
    return false;
  snprintf(path, n, "%s/%s", directory, name);
  snprintf(line, sizeof line, "cd %s && %s %s -o %s -pthread", directory, command, source, name);
  if (system(line) != 0)
    fail_msg("%s", line);
  addresses_of(path);
  return true;
}

static struct symbols *open_symbols(const char *path)
{
  char error[256] = "";
  struct symbols *s = symbols_open(path, error, sizeof error);
  if (!s)
    fail_msg("%s", error);
  return s;
}

static void expect_name(struct symbols *s, uintptr_t addr, size_t size, const char *expected)
{
  char name[256];
  if (!symbols_variable(s, addr, size, name, sizeof name))
    fail_msg("no name, expected %s", expected);
  assert_string_equal(name, expected);
}

static void expect_shown(struct symbols *s, uintptr_t addr, size_t size, uint64_t value, const char *expected)
{
  char text[256];
  const struct memory_place place = {.addr = addr};
  symbols_format_value(s, &place, size, value, text, sizeof text);
  assert_string_equal(text, expected);
}

static void check_names(struct symbols *s, uintptr_t bias)
{
  const uintptr_t balance = address("balance") + bias, grid = address("grid") + bias, queue = address("queue") + bias,
                  table = address("table") + bias, conds = address("conds") + bias;
  expect_name(s, balance, 4, "balance[0]");
  expect_name(s, balance + 4, 4, "balance[1]");
  expect_name(s, balance, 8, "balance");
  expect_name(s, balance + 5, 1, "balance[1]+1");
  expect_name(s, grid + 4 * (4 * 2 + 3), 4, "grid[2][3]");
  expect_name(s, grid + 4 * 4, 8, "grid[1][0..1]");
  expect_name(s, queue, 0, "queue.lock");
  expect_name(s, queue + 8, 4, "queue.lock");
  expect_name(s, queue + 40, 8, "queue.head");
  expect_name(s, queue + 50, 2, "queue.high");
  expect_name(s, queue + 52, 4, "queue.u.i");
  expect_name(s, table + 3 * 16 + 8, 8, "table[3].next");
  expect_name(s, table + 16, 32, "table[1..2]");
  expect_name(s, conds + 48, 0, "conds[1]");
  expect_name(s, address("hidden") + bias, 4, "hidden");
  expect_name(s, address("calls") + bias, 8, "calls");
  expect_name(s, address("atomic_one") + bias, 4, "atomic_one");
}

static void check_values(struct symbols *s, uintptr_t bias)
{
  const uintptr_t first = address("first") + bias, state = address("state") + bias;
  expect_shown(s, address("balance") + bias, 4, 100, "100");
  expect_shown(s, address("balance") + bias, 4, 0xffffffff, "-1");
  expect_shown(s, address("hidden") + bias, 4, 0xffffffff, "4294967295");
  expect_shown(s, address("wide") + bias, 8, UINT64_MAX, "-1");
  expect_shown(s, address("flag") + bias, 1, 1, "true");
  expect_shown(s, address("flag") + bias, 1, 0, "false");
  expect_shown(s, address("letter") + bias, 1, 'a', "'a'");
  expect_shown(s, address("octet") + bias, 1, 65, "65");
  expect_shown(s, address("ratio") + bias, 8, UINT64_C(0x3ff8000000000000), "1.5");
  expect_shown(s, address("half") + bias, 4, 0x3f000000, "0.5");
  expect_shown(s, state, 4, 5, "BUSY");
  expect_shown(s, state, 4, 0xffffffff, "GONE");
  expect_shown(s, state, 4, 77, "77");
  expect_shown(s, first, 8, 0, "NULL");
  expect_shown(s, first, 8, 0x7fff12345678, "0x7fff12345678");
  expect_shown(s, first, 8, address("table") + bias + 16, "&table[1]");
  expect_shown(s, address("callback") + bias, 8, address("count") + bias, "count");
  assert_int_equal(symbols_variable_type(s, state, 4), VALUE_ENUM);
  assert_int_equal(symbols_variable_type(s, state, 2), VALUE_UNKNOWN);
  assert_int_equal(symbols_variable_type(s, first, 8), VALUE_POINTER);
  assert_int_equal(symbols_variable_type(s, 1, 8), VALUE_UNKNOWN);
}

static void check_lines(struct symbols *s, uintptr_t bias)
{
  struct source_place place, again;
  const uintptr_t function = address("count") + bias;
  assert_true(symbols_exact_line(s, function, &place));
  assert_int_equal(place.line, 28);
  assert_string_equal(place.display, "subject.c");
  assert_string_equal(place.function, "count");
  assert_non_null(strstr(place.file, "/subject.c"));
  assert_int_equal(strncmp(symbols_source_line(s, place.file, 28), "int count(void)", 15), 0);
  assert_string_equal(symbols_source_line(s, place.file, 20), "struct node *n = malloc(sizeof *n);");
  assert_null(symbols_source_line(s, place.file, 1000));
  assert_null(symbols_source_line(s, "/nowhere/x.c", 1));
  assert_true(symbols_line(s, function + 1, &again));
  assert_memory_equal(&place, &again, sizeof place);
  assert_true(symbols_line(s, function + 5, &again));
  assert_string_equal(again.function, "count");
  assert_false(symbols_line(s, 0x1000, &place));
  const char *module;
  uint64_t offset;
  uintptr_t back;
  assert_true(symbols_module_offset(s, function, &module, &offset));
  assert_int_equal(offset, function - bias);
  assert_true(symbols_module_address(s, module, offset, &back));
  assert_int_equal(back, function);
  assert_false(symbols_module_address(s, "nothing", offset, &back));
  assert_false(symbols_module_address(s, module, UINT64_C(1) << 40, &back));
}

/* A return address on that line of the program, after a call when there is one: the first whose place is the line. */
static uintptr_t pc_on_line(struct symbols *s, uintptr_t function, uint32_t line)
{
  struct source_place place;
  for (uintptr_t pc = function + 1; pc < function + 400; pc++)
    if (symbols_line(s, pc, &place) && place.line == line)
      return pc;
  fail_msg("no code on line %u", line);
  return 0;
}

static void expect_block(struct symbols *s, uintptr_t pc, uint64_t offset, uint32_t length, uint64_t size,
                         const char *expected)
{
  char name[256];
  const struct memory_place place = {
      .addr = 0x10000, .length = length, .block_pc = pc, .block_offset = offset, .block_size = size};
  assert_true(symbols_memory(s, &place, name, sizeof name));
  assert_string_equal(name, expected);
}

static void check_heap(struct symbols *s, uintptr_t bias)
{
  const uintptr_t make = address("make") + bias;
  char text[64];
  expect_block(s, pc_on_line(s, make, 20), 8, 8, 16, "n->next");
  expect_block(s, pc_on_line(s, make, 20), 0, 8, 0, "n->value");
  expect_block(s, pc_on_line(s, make, 20), 16, 8, 16, "heap block of 16 bytes from subject.c:20, offset 16");
  expect_block(s, pc_on_line(s, make, 21), 8, 4, 40, "a[2]");
  expect_block(s, pc_on_line(s, make, 21), 0, 4, 40, "a[0]");
  expect_block(s, pc_on_line(s, make, 22), 8, 8, 16, "queue.head->next");
  expect_block(s, pc_on_line(s, make, 23), 0, 4, 104, "p->length");
  expect_block(s, pc_on_line(s, make, 23), 9, 1, 104, "p->bytes[5]");
  expect_block(s, pc_on_line(s, make, 24), 2, 1, 3, "heap block of 3 bytes from subject.c:24, offset 2");
  const struct memory_place next = {
      .addr = 1, .block_pc = pc_on_line(s, make, 20), .block_offset = 8, .block_size = 16};
  symbols_format_value(s, &next, 8, 0, text, sizeof text);
  assert_string_equal(text, "NULL");
}

static void c_programs(void **state)
{
  (void)state;
  static const char *const commands[] = {
      "gcc -g -gdwarf-5 -O0 -pie -fPIE",     "gcc -g -gdwarf-4 -O0 -pie -fPIE", "clang -g -gdwarf-5 -O0 -pie -fPIE",
      "clang -g -gdwarf-4 -O0 -pie -fPIE",   "gcc -g -no-pie -fno-pie -O0",     "clang -gsplit-dwarf -g -O0 -pie -fPIE",
      "gcc -g -gsplit-dwarf -O0 -pie -fPIE",
  };
  char path[128];
  write_text("subject.c", c_program);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (!compile(commands[i], "subject.c", "subject", path, sizeof path))
      continue;
    const uintptr_t bias = strstr(commands[i], "-no-pie") ? 0 : START;
    struct symbols *s = open_symbols(path);
    assert_true(symbols_have_debug_info(s));
    check_names(s, bias);
    check_values(s, bias);
    check_lines(s, bias);
    check_heap(s, bias);
    symbols_close(s);
  }
}

static void cpp_programs(void **state)
{
  (void)state;
  static const char *const commands[] = {"g++ -g", "clang++ -g", "g++ -g -gdwarf-4"};
  char path[128];
  write_text("subject.cc", cpp_program);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    struct source_place place;
    if (!compile(commands[i], "subject.cc", "subject++", path, sizeof path))
      continue;
    struct symbols *s = open_symbols(path);
    const uintptr_t mine = address("_ZN4bank4mineE") + START;
    expect_name(s, address("_ZN4bank5totalE") + START, 4, "bank::total");
    expect_name(s, address("_ZN4bank7account4madeE") + START, 4, "bank::account::made");
    expect_name(s, address("_ZN12_GLOBAL__N_16secretE") + START, 4, "(anonymous)::secret");
    expect_name(s, address("_ZN4bank5guardE") + START, 0, "bank::guard");
    expect_name(s, mine, 4, "bank::mine.id");
    expect_name(s, mine + 4, 4, "bank::mine.amount");
    expect_shown(s, mine + 4, 4, 0xfffffffe, "-2");
    assert_true(symbols_exact_line(s, address("_ZN4bank7account5twiceEv") + START, &place));
    assert_string_equal(place.function, "bank::account::twice");
    assert_int_equal(place.line, 6);
    symbols_close(s);
  }
}

#if defined __x86_64__
/* Runs the program and asks for everything it tells of. */
static void check_locals(struct symbols *s, const char *path, uintptr_t pc)
{
  char name[64], shown[128];
  unsigned size;
  long offset;
  int told = 0;
  FILE *in = popen(path, "r");
  assert_non_null(in);
  while (fscanf(in, "%63s %u %ld", name, &size, &offset) == 3) {
    const struct memory_place place = {.addr = 0x7fff00001000, .length = size, .local_pc = pc, .local_offset = offset};
    assert_true(symbols_memory(s, &place, shown, sizeof shown));
    assert_string_equal(shown, name);
    told++;
    if (strcmp(name, "q.closed") == 0) {
      symbols_format_value(s, &place, 1, 1, shown, sizeof shown);
      assert_string_equal(shown, "true");
    }
  }
  pclose(in);
  assert_int_equal(told, 6);
  const struct memory_place nothing = {.addr = 1, .length = 4, .local_pc = pc, .local_offset = -100000};
  assert_true(symbols_local(s, &nothing, shown, sizeof shown));
  assert_string_equal(shown, "a local of main");
}
#endif

static void names_locals(void **state)
{
  (void)state;
#if defined __x86_64__
  static const char *const commands[] = {"g++ -g -O0 -fno-omit-frame-pointer", "g++ -g -O1 -fno-omit-frame-pointer",
                                         "clang++ -g -O0 -fno-omit-frame-pointer",
                                         "clang++ -g -O1 -fno-omit-frame-pointer"};
  char path[128], shown[128];
  write_text("local.cc", local_program);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (!compile(commands[i], "local.cc", "local", path, sizeof path))
      continue;
    struct symbols *s = open_symbols(path);
    check_locals(s, path, pc_on_line(s, address("main") + START, 13));
    symbols_close(s);
  }
  /* Without a frame pointer nothing is known of where things lie: no name is better than a wrong one. */
  write_text("small.cc", small_cpp_program);
  if (!compile("g++ -g -O1 -fomit-frame-pointer", "small.cc", "small", path, sizeof path))
    return;
  struct symbols *s = open_symbols(path);
  const struct memory_place place = {
      .addr = 1, .length = 4, .local_pc = address("main") + START + 1, .local_offset = -16};
  assert_true(symbols_local(s, &place, shown, sizeof shown));
  assert_string_equal(shown, "a local of main");
  symbols_close(s);
#endif
}

static void names_of_cpp_functions(void **state)
{
  (void)state;
  char path[128];
  struct source_place place;
  write_text("small.cc", small_cpp_program);
  if (!compile("g++", "small.cc", "bare++", path, sizeof path))
    skip();
  struct symbols *s = open_symbols(path);
  assert_true(symbols_exact_line(s, address("_ZN4bank7account5twiceEv") + START, &place));
  assert_string_equal(place.function, "bank::account::twice()");
  symbols_close(s);
  compile("g++ -g", "small.cc", "small", path, sizeof path);
  s = open_symbols(path);
  assert_true(symbols_exact_line(s, address("_ZZ4mainENKUliE_clEi") + START, &place));
  assert_string_equal(place.function, "a lambda in main");
  symbols_close(s);
}

/* What nobody can write, by its content where it is text. */
static void knows_constants(void **state)
{
  (void)state;
  char path[128], shown[128];
  bool found = false;
  write_text("constant.c", "#include <stdio.h>\n"
                           "const char *word = \"config\"; int number = 4; const int table[] = {1};\n"
                           "int main(void) { puts(word); return number - 4 + table[0]; }\n");
  if (!compile("gcc -g", "constant.c", "constant", path, sizeof path))
    skip();
  struct symbols *s = open_symbols(path);
  const uintptr_t from = address("_IO_stdin_used") + START, word = address("word") + START;
  assert_true(symbols_is_constant(s, address("table") + START));
  assert_false(symbols_is_constant(s, word));
  assert_false(symbols_is_constant(s, 0x7fff00001000));
  for (uintptr_t addr = from + 4; addr < from + 64 && !found; addr++) {
    const struct memory_place place = {.addr = addr, .length = 1};
    found = symbols_memory(s, &place, shown, sizeof shown) && strcmp(shown, "\"config\"") == 0;
    if (found)
      expect_shown(s, word, 8, addr, "\"config\"");
  }
  assert_true(found);
  symbols_close(s);
}

static void degrades_without_debug_info(void **state)
{
  (void)state;
  char path[128], name[64];
  struct source_place place;
  write_text("subject.c", c_program);
  if (!compile("gcc -O0", "subject.c", "bare", path, sizeof path))
    skip();
  struct symbols *s = open_symbols(path);
  assert_false(symbols_have_debug_info(s));
  expect_name(s, address("balance") + START + 4, 4, "balance+4");
  expect_shown(s, address("balance") + START, 4, 0xffffffff, "-1");
  expect_shown(s, address("balance") + START, 8, 0x7fff00001111, "0x7fff00001111");
  assert_true(symbols_exact_line(s, address("count") + START, &place));
  assert_string_equal(place.function, "count");
  assert_int_equal(place.line, 0);
  symbols_format_place(s, address("count") + START + 1, name, sizeof name);
  assert_string_equal(name, "count (bare)");
  assert_false(symbols_variable(s, 0x7ffffff00000, 4, name, sizeof name));
  symbols_close(s);
}

/* Modules from our own process: addresses are randomised here, so only the maps can tell. */
static void reads_maps(void **state)
{
  (void)state;
  static char text[1 << 16];
  char self[256] = "", name[128];
  FILE *in = fopen("/proc/self/maps", "r");
  assert_non_null(in);
  const size_t length = fread(text, 1, sizeof text - 1, in);
  text[length] = '\0';
  fclose(in);
  assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  struct symbols *s = open_symbols(self);
  assert_true(symbols_load_maps(s, text) >= 2);
  assert_true(symbols_variable(s, (uintptr_t)directory, 0, name, sizeof name));
  assert_int_equal(strncmp(name, "directory", 9), 0);
  struct source_place place;
  assert_true(symbols_exact_line(s, (uintptr_t)(void *)&strtoull, &place));
  assert_non_null(place.function);
  assert_int_equal(place.line, 0); /* whether or not the debug information of the C library is installed */
  for (size_t cut = 0; cut < length; cut += 97) { /* cut anywhere: no harm */
    char saved = text[cut];
    text[cut] = '\0';
    symbols_load_maps(s, text);
    text[cut] = saved;
  }
  assert_true(symbols_variable(s, (uintptr_t)directory, 0, name, sizeof name));
  symbols_load_maps(s, "garbage\n-\n1-2 r--p 0 0:0 0 /etc/passwd\n\n");
  symbols_close(s);
}

static void says_why_a_file_is_no_use(void **state)
{
  (void)state;
  char error[256], path[128], print[FINGERPRINT_SIZE];
  assert_null(symbols_open("/nowhere/x", error, sizeof error));
  assert_string_equal(error, "/nowhere/x: No such file or directory");
  assert_false(program_fingerprint("/nowhere/x", print, error, sizeof error));
  write_text("text", "hello\n");
  snprintf(path, sizeof path, "%s/text", directory);
  assert_null(symbols_open(path, error, sizeof error));
  assert_non_null(strstr(error, "not an ELF file"));
  assert_false(program_fingerprint(path, print, error, sizeof error));
  unsigned char header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 243, 0, 1};
  header[52] = 64;
  snprintf(path, sizeof path, "%s/foreign", directory);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fwrite(header, 1, sizeof header, out);
  fclose(out);
  assert_null(symbols_open(path, error, sizeof error));
  assert_non_null(strstr(error, "made for another machine"));
  assert_null(symbols_open(directory, error, sizeof error));
  assert_non_null(strstr(error, "heddle-symbols"));
  struct source_place place;
  char name[8];
  assert_false(symbols_line(NULL, 1, &place));
  assert_false(symbols_variable(NULL, 1, 1, name, sizeof name));
  assert_int_equal(symbols_load_maps(NULL, ""), 0);
  symbols_close(NULL);
}

static void fingerprints(void **state)
{
  (void)state;
  char path[128], error[256], first[FINGERPRINT_SIZE], second[FINGERPRINT_SIZE];
  write_text("a.c", "int x; int main(void) { return x; }\n");
  write_text("b.c", "int x; int main(void) { return x + 1; }\n");
  static const char *const commands[] = {"gcc -Wl,--build-id", "gcc -Wl,--build-id=none"};
  for (size_t i = 0; i < 2; i++) {
    if (!compile(commands[i], "a.c", "a", path, sizeof path))
      skip();
    assert_true(program_fingerprint(path, first, error, sizeof error));
    assert_int_equal(strlen(first), i == 0 ? 40 : 16);
    assert_true(program_fingerprint(path, second, error, sizeof error));
    assert_string_equal(first, second);
    compile(commands[i], "b.c", "b", path, sizeof path);
    assert_true(program_fingerprint(path, second, error, sizeof error));
    assert_string_not_equal(first, second);
  }
}

static int make_directory(void **state)
{
  (void)state;
  /* Names of files are shown relative to the current directory: the programs are not below this one. */
  return mkdtemp(directory) && chdir("/") == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
  char line[64];
  (void)state;
  snprintf(line, sizeof line, "rm -r %s", directory);
  return system(line);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(c_programs),      cmocka_unit_test(cpp_programs),
      cmocka_unit_test(reads_maps),      cmocka_unit_test(degrades_without_debug_info),
      cmocka_unit_test(fingerprints),    cmocka_unit_test(says_why_a_file_is_no_use),
      cmocka_unit_test(names_locals),    cmocka_unit_test(names_of_cpp_functions),
      cmocka_unit_test(knows_constants),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

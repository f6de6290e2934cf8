/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks for inline assembly; see insert_hooks.h. The compiler marks it by #APP and #NO_APP, and its place in the source
 * by a line `# 7 "file.c"` (gcc) or by the .loc before (clang).
 *
 * Calls whose result nobody reads are replaced where that makes a difference: updates of atomic variables (the
 * compiler's own hooks), and barriers.
 *
 * An access is announced right before its instruction, as the compiler's own instrumentation does. An update without a
 * lock is a load and a store that others can come between, so it is done in a register in between. Where a hook cannot
 * be (a loop instruction cannot jump far, a macro is not yet text, the syntax is another one, the function is not a
 * compiler's) a note in the object file tells of it.
 */
#include "assemble/insert_hooks.h"
#include "assemble/access.h"
#include "assemble/insertion.h"
#include "assemble/leftovers.h"
#include "assemble/liveness.h"
#include "assemble/object_file.h"
#include "core/assembly.h"
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

static bool lines_find(struct insertion *w, struct span text)
{
  size_t room = 0;
  struct span line;
  bool written = false;
  while (take_line(&text, &line)) {
    if (w->lines == room) {
      room = room ? 2 * room : 1024;
      struct text_line *more = realloc(w->line, room * sizeof *more);
      if (!more)
        return false;
      w->line = more;
    }
    struct span bare = span_trim(line);
    bool begins = span_is(bare, "#APP") || span_begins(bare, "# Start of file scope inline assembly");
    bool ends = span_is(bare, "#NO_APP") || span_begins(bare, "# End of file scope inline assembly");
    written = written && !ends;
    w->line[w->lines++] = (struct text_line){line, written, false, ANNOUNCED};
    w->has_hooks |= !written && span_has(line, "__tsan_init");
    w->macros |= written && span_has(line, ".macro");
    written |= begins;
  }
  return true;
}

/* Sections that nobody reads. The list of the places with room for a call (core/sled.h): in the way some compilers
 * write it, the linker refuses it as soon as two files have the same inline function. Options for a linker of LLVM's,
 * which clang writes for C++20: the assembler warns of their type. */
static bool is_unread(struct span section)
{
  return span_begins(section, "__patchable_function_entries") || span_begins(section, "\".linker-options\"");
}

static void drop_unread_sections(struct insertion *w)
{
  bool dropping = false;
  for (size_t i = 0; i < w->lines; i++) {
    if (w->line[i].written)
      continue;
    if (dropping && selects_section(w->line[i].text))
      dropping = false;
    if (is_unread(directive_arguments(w->line[i].text, ".section")))
      dropping = true;
    w->line[i].dropped = dropping;
  }
}

/* Compilers name the source before anything else. */
static bool by_compiler(const struct insertion *w)
{
  for (size_t i = 0; i < w->lines; i++) {
    struct span bare = span_trim(w->line[i].text);
    if (span_begins(bare, ".file\t\""))
      return true;
    if (bare.length && *bare.at != '#' && !span_begins(bare, ".text") && !span_begins(bare, ".intel_syntax") &&
        !w->line[i].written)
      return false;
  }
  return false;
}

/* ---- places in the source ---- */

static unsigned long take_count(struct span *s)
{
  unsigned long n = 0;
  *s = span_trim(*s);
  while (s->length && *s->at >= '0' && *s->at <= '9') {
    n = n * 10 + (unsigned long)(*s->at - '0');
    s->at++, s->length--;
  }
  *s = span_trim(*s);
  return n;
}

static struct span take_quoted(struct span *s)
{
  *s = span_trim(*s);
  if (!s->length || *s->at != '"')
    return (struct span){0};
  const char *end = memchr(s->at + 1, '"', s->length - 1);
  if (!end)
    return (struct span){0};
  struct span quoted = {s->at + 1, (size_t)(end - s->at) - 1};
  s->length -= (size_t)(end + 1 - s->at);
  s->at = end + 1;
  return quoted;
}

#define FILES_MOST 65536

/* .file 1 "folder" "name" or .file 1 "name" */
static bool note_file(struct insertion *w, struct span arguments)
{
  if (*arguments.at == '"') {
    if (!w->place.file.length)
      w->place.file = take_quoted(&arguments);
    return true;
  }
  unsigned long number = take_count(&arguments);
  struct span first = take_quoted(&arguments), second = take_quoted(&arguments);
  if (number >= FILES_MOST)
    return true;
  if (number >= w->files) {
    struct span *more = realloc(w->file, (number + 1) * sizeof *more);
    if (!more)
      return false;
    memset(more + w->files, 0, (number + 1 - w->files) * sizeof *more);
    w->file = more;
    w->files = number + 1;
  }
  w->file[number] = second.length ? second : first;
  return true;
}

static void note_loc(struct insertion *w, struct span arguments)
{
  unsigned long file = take_count(&arguments), line = take_count(&arguments);
  if (file < w->files && w->file[file].length && line)
    w->place = (struct assembly_place){w->file[file], line};
}

/* # 7 "file.c" 1 */
static void note_marker(struct insertion *w, struct span line)
{
  struct span rest = {line.at + 1, line.length - 1};
  unsigned long number = take_count(&rest);
  struct span file = take_quoted(&rest);
  if (number && file.length)
    w->place = (struct assembly_place){file, number};
}

static bool note_place(struct insertion *w, struct span line)
{
  struct span bare = span_trim(line), arguments;
  if (bare.length > 2 && bare.at[0] == '#' && bare.at[1] == ' ')
    note_marker(w, bare);
  else if ((arguments = directive_arguments(line, ".loc")).length)
    note_loc(w, arguments);
  else if ((arguments = directive_arguments(line, ".file")).length)
    return note_file(w, arguments);
  return true;
}

/* "file.c:7: instruction", for a .string or .asciz. */
static void put_place(const struct insertion *w, struct span what, FILE *out)
{
  struct span file = w->place.file;
  const char *slash = file.length ? memrchr(file.at, '/', file.length) : NULL;
  if (slash)
    file = (struct span){slash + 1, file.length - (size_t)(slash + 1 - file.at)};
  if (file.length)
    fprintf(out, "%.*s", SPAN(file));
  else
    fputs(w->name, out);
  if (w->place.line)
    fprintf(out, ":%lu", w->place.line);
  fputs(": ", out);
  for (size_t i = 0; i < what.length && i < 48; i++) {
    char c = what.at[i];
    if (c == '"' || c == '\\')
      fputc('\\', out);
    fputc(c >= ' ' && c < 127 ? c : ' ', out);
  }
}

static void put_note(struct insertion *w, struct span what)
{
  if (w->noted)
    return;
  w->noted = true;
  fprintf(w->notes,
          "\t.section\t.note.heddle.asm,\"a\",@note\n\t.p2align\t2\n\t.long\t2f-1f\n\t.long\t4f-3f\n"
          "\t.long\t%d\n1:\t.asciz\t\"%s\"\n2:\t.p2align\t2\n3:\t.asciz\t\"",
          ASSEMBLY_NOTE_TYPE, ASSEMBLY_NOTE);
  put_place(w, what, w->notes);
  fputs("\"\n4:\t.p2align\t2\n\t.text\n", w->notes);
}

/* ---- what cannot have hooks ---- */

/* Whether the statement may access memory, told without any care for where. */
static bool may_access(struct statement s)
{
  if (s.kind == STATEMENT_DIRECTIVE)
    return bytes_may_access(s.text);
  if (s.kind != STATEMENT_INSTRUCTION)
    return false;
  struct instruction in = instruction_parse(s.text);
  enum effect effect = access_of(&in).effect;
  return (effect != EFFECT_NONE && effect != EFFECT_FENCE) || memchr(s.text.at, '[', s.text.length);
}

static void follow_section(struct insertion *w, struct statement s)
{
  static const char *const there[] = {".pushsection", ".section", ".data", ".bss"};
  static const char *const back[] = {".popsection", ".previous", ".text"};
  for (size_t i = 0; s.kind == STATEMENT_DIRECTIVE && i < sizeof there / sizeof *there; i++)
    if (span_begins(s.text, there[i]))
      w->elsewhere = !span_has(s.text, ".text");
  for (size_t i = 0; s.kind == STATEMENT_DIRECTIVE && i < sizeof back / sizeof *back; i++)
    if (span_begins(s.text, back[i]))
      w->elsewhere = false;
}

/* Notes the first access in a line without hooks. Bytes in other sections are data. */
static bool note_accesses(struct insertion *w, const struct text_line *line)
{
  struct span rest = line->text;
  struct statement s;
  if (!note_place(w, rest))
    return false;
  if (span_begins(span_trim(rest), "#"))
    return true;
  while (take_statement(&rest, &s)) {
    follow_section(w, s);
    if ((s.kind == STATEMENT_INSTRUCTION || (line->written && !w->elsewhere)) && may_access(s))
      put_note(w, s.text);
  }
  return true;
}

/* ---- hooks ---- */

/* The operand as it is written after so many bytes were pushed. */
static void put_operand(FILE *out, struct span operand, unsigned pushed)
{
  const char *open = memchr(operand.at, '(', operand.length);
  size_t displacement = open ? (size_t)(open - operand.at) : 0;
  if (open && pushed && operand.length - displacement > 5 && memcmp(open, "(%rsp", 5) == 0)
    fprintf(out, displacement ? "%u+" : "%u", pushed);
  fprintf(out, "%.*s", SPAN(operand));
}

static unsigned logarithm(unsigned n)
{
  unsigned l = 0;
  while (n >> (l + 1))
    l++;
  return l;
}

static unsigned word_of(enum assembly_kind kind, unsigned size, unsigned live)
{
  return (unsigned)kind << ASSEMBLY_KIND_SHIFT | logarithm(size) << ASSEMBLY_SIZE_SHIFT | live;
}

static void put_call(FILE *out, unsigned word)
{
  fprintf(out, "\tpushq\t$%u\n\tcall\t*__heddle_asm@GOTPCREL(%%rip)\n\tleaq\t%d(%%rsp), %%rsp\n\tpopq\t%%rdi\n", word,
          word & ASSEMBLY_BIT ? 16 : 8);
}

static const char *const whole_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

static void put_hook(struct insertion *w, const struct instruction_access *a, enum assembly_kind kind, unsigned live,
                     unsigned pushed)
{
  FILE *out = w->out;
  unsigned word = word_of(kind, a->size, live);
  if (w->plain && (kind == ASSEMBLY_LOAD || kind == ASSEMBLY_STORE))
    word |= ASSEMBLY_PLAIN;
  fputs("\tpushq\t%rdi\n", out);
  pushed += 8;
  if (a->bit.length) {
    word |= ASSEMBLY_BIT;
    fprintf(out, "\tpushq\t%%%s\n", whole_names[operand_register(a->bit).number]);
    pushed += 8;
  }
  if (a->operand.length) {
    fputs("\tleaq\t", out);
    put_operand(out, a->operand, pushed);
    fputs(", %rdi\n", out);
  }
  put_call(out, word);
}

/* Says at run time, when it is reached, that the instruction is unseen. */
static void put_unseen(struct insertion *w, struct span what, unsigned live)
{
  fprintf(w->out, "\tpushq\t%%rdi\n\tleaq\t.Lheddle_unseen%u(%%rip), %%rdi\n", w->texts);
  put_call(w->out, word_of(ASSEMBLY_UNSEEN, 1, live));
  fprintf(w->notes, "\t.section\t.rodata\n.Lheddle_unseen%u:\t.asciz\t\"", w->texts++);
  put_place(w, what, w->notes);
  fputs("\"\n\t.text\n", w->notes);
}

static void take_number(void *context, struct register_name r)
{
  if (r.class == REGISTER_GENERAL)
    *(unsigned *)context |= 1u << r.number;
}

/* A register that the instruction does not use. */
static unsigned free_register(struct span text)
{
  unsigned used = 1u << 0 | 1u << 4 | 1u << 5; /* rax, of cmpxchg; the stack's */
  each_register(text, take_number, &used);
  unsigned r = 11;
  while (used & 1u << r)
    r--;
  return r;
}

static const char *register_name(unsigned r, unsigned size, char out[8])
{
  static const char *const bytes[] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
  const char *whole = whole_names[r];
  if (r >= 8)
    snprintf(out, 8, "%s%s", whole, size == 8 ? "" : size == 4 ? "d" : size == 2 ? "w" : "b");
  else if (size == 1)
    snprintf(out, 8, "%s", bytes[r]);
  else
    snprintf(out, 8, "%s%s", size == 8 ? "r" : size == 4 ? "e" : "", whole + 1);
  return out;
}

/* A load, the operation in a register, and a store. What was dead before the load is cleared by its hook. */
static void put_divided(struct insertion *w, const struct flow_node *n, const struct instruction_access *a,
                        unsigned live)
{
  static const char suffixes[] = "bwlq";
  char suffix = suffixes[logarithm(a->size)], name[8];
  unsigned r = free_register(n->statement.text);
  const char *value = register_name(r, a->size, name);
  put_hook(w, a, ASSEMBLY_LOAD, live, 0);
  fprintf(w->out, "\tpushq\t%%%s\n\tmov%c\t", whole_names[r], suffix);
  put_operand(w->out, a->operand, 8);
  fprintf(w->out, ", %%%s\n\t%.*s\t", value, SPAN(n->in.mnemonic));
  for (unsigned i = 0; i + 1 < n->in.operands; i++)
    fprintf(w->out, "%.*s, ", SPAN(n->in.operand[i]));
  fprintf(w->out, "%%%s\n", value);
  put_hook(w, a, ASSEMBLY_STORE, live | ASSEMBLY_SCALARS_LIVE, 8);
  fprintf(w->out, "\tmov%c\t%%%s, ", suffix, value);
  put_operand(w->out, a->operand, 8);
  fprintf(w->out, "\n\tpopq\t%%%s\n", whole_names[r]);
}

/* Puts the hook before the instruction. True: the instruction itself, too, is put. */
static bool put_access(struct insertion *w, const struct flow_node *n)
{
  struct instruction_access a = n->written ? access_of(&n->in) : compiled_access_of(&n->in);
  if (a.effect == EFFECT_NONE && n->written && w->macros && !access_is_known(&n->in))
    a.effect = EFFECT_UNSEEN;
  static const enum assembly_kind kinds[] = {
      [EFFECT_LOAD] = ASSEMBLY_LOAD,       [EFFECT_STORE] = ASSEMBLY_STORE, [EFFECT_UPDATE] = ASSEMBLY_UPDATE,
      [EFFECT_COMPARE] = ASSEMBLY_COMPARE, [EFFECT_FENCE] = ASSEMBLY_FENCE, [EFFECT_COPY] = ASSEMBLY_COPY,
      [EFFECT_FILL] = ASSEMBLY_FILL};
  unsigned live = liveness_mask(n->live);
  if (a.effect == EFFECT_NONE)
    return false;
  w->result->hooks++;
  if (a.effect == EFFECT_UNSEEN) {
    put_unseen(w, n->statement.text, live);
    return false;
  }
  if (a.effect == EFFECT_UPDATE && !a.locked) {
    put_divided(w, n, &a, live);
    return true;
  }
  put_hook(w, &a, kinds[a.effect], live, 0);
  return false;
}

/* ---- results that nobody uses ---- */

/* Functions that tell something, and those that do the same if nobody reads it: then the order of updates does not show
 * (core/dependence.c), and it does not matter which thread a barrier makes the serial one. */
static const struct {
  const char *name, *silent;
} telling[] = {
#define TELLING(bits, what) {"__tsan_atomic" #bits "_fetch_" #what, "__heddle_atomic" #bits "_fetch_" #what},
#define TELLING_UPDATES(bits)                                                                                          \
  TELLING(bits, add) TELLING(bits, sub) TELLING(bits, and) TELLING(bits, or) TELLING(bits, xor)
    TELLING_UPDATES(8) TELLING_UPDATES(16) TELLING_UPDATES(32)
        TELLING_UPDATES(64){"pthread_barrier_wait", "__heddle_barrier_wait"}};
#define TELLING_FUNCTIONS (sizeof telling / sizeof *telling)

/* A line of the compiler's that is a call of something. */
static bool takes_call(const struct text_line *line, struct instruction *call)
{
  struct span text = line->text;
  struct statement s;
  if (line->written || !span_has(text, "call") || !take_statement(&text, &s) || s.kind != STATEMENT_INSTRUCTION)
    return false;
  *call = instruction_parse(s.text);
  return span_begins(call->mnemonic, "call") && call->operands == 1;
}

/* Which of them it calls; TELLING_FUNCTIONS: none. */
static size_t told_by(const struct text_line *line)
{
  struct instruction call;
  size_t i = 0;
  if (!takes_call(line, &call))
    return TELLING_FUNCTIONS;
  struct span target = call.operand[0];
  if (target.length && *target.at == '*')
    target = (struct span){target.at + 1, target.length - 1};
  const char *end = memchr(target.at, '@', target.length);
  if (end)
    target.length = (size_t)(end - target.at);
  while (i < TELLING_FUNCTIONS && !span_is(target, telling[i].name))
    i++;
  return i;
}

static void put_silent(struct insertion *w, struct span line, size_t which)
{
  size_t length = strlen(telling[which].name);
  const char *at = memmem(line.at, line.length, telling[which].name, length);
  struct span rest = {at + length, line.length - (size_t)(at - line.at) - length};
  fprintf(w->out, "%.*s%s%.*s\n", (int)(at - line.at), line.at, telling[which].silent, SPAN(rest));
}

/* ---- functions ---- */

/* A line of the compiler's that is nothing but this kind of statement. */
static bool is_only(const struct insertion *w, size_t line, enum statement_kind kind, struct statement *s)
{
  struct span text = w->line[line].text;
  return !w->line[line].written && !span_begins(span_trim(text), "#") && take_statement(&text, s) && s->kind == kind;
}

static bool does_nothing(const struct insertion *w, size_t line)
{
  struct span text = w->line[line].text;
  struct statement s;
  return !w->line[line].written &&
         (span_begins(span_trim(text), "#") || !take_statement(&text, &s) || s.kind == STATEMENT_NOTHING ||
          s.kind == STATEMENT_DIRECTIVE || (s.kind == STATEMENT_INSTRUCTION && span_is(s.text, "nop")));
}

/* The jump back of a loop without anything in it. */
static bool idles(const struct insertion *w, size_t line)
{
  struct statement jump, label;
  if (!w->has_hooks || w->how == HOOKING_NOTES || !is_only(w, line, STATEMENT_INSTRUCTION, &jump) ||
      !span_begins(jump.text, "jmp"))
    return false;
  struct instruction parsed = instruction_parse(jump.text);
  size_t i = line;
  while (i > 0 && does_nothing(w, i - 1))
    i--;
  for (; parsed.operands == 1 && i > 0 && is_only(w, i - 1, STATEMENT_LABEL, &label); i--)
    if (label.text.length == parsed.operand[0].length &&
        memcmp(label.text.at, parsed.operand[0].at, label.text.length) == 0)
      return true;
  return false;
}

static void put_lines(struct insertion *w, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++) { /* line numbers stay */
    if (idles(w, i))
      fputs("\tcall\t*__heddle_idle@GOTPCREL(%rip);", w->out);
    fprintf(w->out, "%.*s\n", w->line[i].dropped ? 0 : (int)w->line[i].text.length, w->line[i].text.at);
  }
}

/* Labels and instructions of the function; NULL: no memory left. */
static struct flow_node *function_nodes(const struct insertion *w, size_t from, size_t to, size_t *count)
{
  size_t room = 256;
  struct flow_node *node = malloc(room * sizeof *node);
  *count = 0;
  for (size_t i = from; node && i < to; i++) {
    struct span line = w->line[i].text;
    struct statement s;
    if (w->line[i].dropped || span_begins(span_trim(line), "#"))
      continue;
    while (node && take_statement(&line, &s)) {
      if (s.kind == STATEMENT_DIRECTIVE)
        continue;
      if (*count == room) {
        struct flow_node *more = realloc(node, 2 * room * sizeof *more);
        if (!more)
          free(node);
        node = more;
        room *= 2;
      }
      if (!node)
        break;
      node[*count] = (struct flow_node){.statement = s, .written = w->line[i].written};
      if (s.kind == STATEMENT_INSTRUCTION)
        node[*count].in = instruction_parse(s.text);
      ++*count;
    }
  }
  return node;
}

/* Prefixes that stand alone belong to the next instruction. */
static void join_prefixes(struct flow_node *node, size_t count)
{
  for (size_t i = 0; i + 1 < count; i++)
    if (node[i].statement.kind == STATEMENT_INSTRUCTION && !node[i].in.mnemonic.length &&
        node[i + 1].statement.kind == STATEMENT_INSTRUCTION) {
      node[i + 1].in.lock |= node[i].in.lock;
      node[i + 1].in.repeats |= node[i].in.repeats;
    }
}

static bool is_prefix(const struct flow_node *n)
{
  return n->statement.kind == STATEMENT_INSTRUCTION && !n->in.mnemonic.length;
}

/* A written line with hooks: a statement a line. Returns the next node. Prefixes that stand alone are put together with
 * their instruction, since the hook comes before both. */
static size_t put_written(struct insertion *w, struct span line, const struct flow_node *node, size_t at)
{
  struct statement s;
  if (span_begins(span_trim(line), "#"))
    return at;
  while (take_statement(&line, &s)) {
    follow_section(w, s);
    if (s.kind == STATEMENT_DIRECTIVE) {
      if (!w->elsewhere && bytes_may_access(s.text)) {
        put_unseen(w, s.text, ASSEMBLY_ALL_LIVE);
        w->result->hooks++;
      }
      fprintf(w->out, "\t%.*s\n", SPAN(s.text));
      continue;
    }
    const struct flow_node *n = &node[at++];
    if (s.kind == STATEMENT_LABEL) {
      fprintf(w->out, "%.*s:\n", SPAN(s.text));
    } else if (w->elsewhere) {
      if (may_access(s))
        put_note(w, s.text);
      fprintf(w->out, "\t%.*s\n", SPAN(s.text));
    } else if (!is_prefix(n) && !put_access(w, n)) {
      if (at > 1 && is_prefix(n - 1) && n[-1].written)
        fprintf(w->out, "\t%.*s\n", SPAN(n[-1].statement.text));
      fprintf(w->out, "\t%.*s\n", SPAN(s.text));
    }
  }
  return at;
}

static size_t statements_in(struct span line)
{
  struct statement s;
  size_t n = 0;
  if (span_begins(span_trim(line), "#"))
    return 0;
  while (take_statement(&line, &s))
    n += s.kind != STATEMENT_DIRECTIVE;
  return n;
}

/* Whether hooks may stand in the inline assembly from this line on, until the compiler's own. */
static bool takes_hooks(const struct insertion *w, size_t from, size_t to)
{
  static const char *const directives[] = {".macro",        ".rept", ".irp",      ".if",    ".else",
                                           ".intel_syntax", ".org",  ".altmacro", ".code32"};
  for (size_t i = from; i < to && w->line[i].written; i++) {
    struct span line = w->line[i].text;
    struct statement s;
    if (span_begins(span_trim(line), "#"))
      continue;
    while (take_statement(&line, &s)) {
      if (s.kind == STATEMENT_INSTRUCTION &&
          (span_begins(s.text, "loop") || span_begins(s.text, "jrcxz") || span_begins(s.text, "jecxz")))
        return false;
      for (size_t k = 0; s.kind == STATEMENT_DIRECTIVE && k < sizeof directives / sizeof *directives; k++)
        if (span_begins(s.text, directives[k]))
          return false;
    }
  }
  return true;
}

static bool note_written(struct insertion *w, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++)
    if (!(w->line[i].written ? note_accesses(w, &w->line[i]) : note_place(w, w->line[i].text)))
      return false;
  return true;
}

/* What a function has that lines are changed for. */
struct contents {
  bool written; /* inline assembly */
  bool tells;   /* results that may be of no use */
  bool looks;   /* atomic operations before which leftovers are cleared */
  bool anything;
};

static struct contents contents_of(struct insertion *w, size_t from, size_t to, struct leftovers *leftovers)
{
  struct contents c = {0};
  for (size_t i = from; i < to; i++) {
    struct instruction call;
    c.written |= w->line[i].written;
    leftovers_note(leftovers, span_trim(w->line[i].text));
    if (w->how != HOOKING_ALL)
      continue;
    c.tells |= told_by(&w->line[i]) < TELLING_FUNCTIONS;
    c.looks |= takes_call(&w->line[i], &call) && leftovers_matter_at(&call);
  }
  bool unannounced = w->how == HOOKING_ALL && find_unannounced(w, from, to);
  c.anything = c.written || c.tells || c.looks || unannounced;
  return c;
}

static bool put_function(struct insertion *w, size_t from, size_t to)
{
  struct leftovers leftovers = {0};
  struct contents contents = contents_of(w, from, to, &leftovers);
  if (!contents.anything) {
    put_lines(w, from, to);
    return true;
  }
  if (w->how == HOOKING_NOTES) {
    put_lines(w, from, to);
    return note_written(w, from, to);
  }
  size_t count, at = 0;
  struct flow_node *node = function_nodes(w, from, to, &count);
  if (!node)
    return false;
  join_prefixes(node, count);
  if (contents.looks)
    leftovers_look_for(&leftovers, node, count);
  else
    liveness_find(node, count);
  bool right = true, hooks = false;
  for (size_t i = from; i < to && right; i++) {
    if (w->line[i].dropped)
      continue;
    struct span line = w->line[i].text;
    if (w->line[i].written && !w->line[i - 1].written)
      hooks = takes_hooks(w, i, to);
    right = note_place(w, line);
    if ((w->line[i].written && hooks) || w->line[i].access != ANNOUNCED) {
      w->plain = w->line[i].access == UNANNOUNCED;
      at = put_written(w, line, node, at);
      w->plain = false;
    } else {
      right = right && (!w->line[i].written || note_accesses(w, &w->line[i]));
      size_t call = at, which = told_by(&w->line[i]);
      at += statements_in(line);
      if (at == call + 1 && leftovers_matter_at(&node[call].in))
        leftovers_clear(&leftovers, node, count, call, w->out);
      if (which < TELLING_FUNCTIONS && at == call + 1 && liveness_result_unused(node, call))
        put_silent(w, line, which);
      else
        put_lines(w, i, i + 1);
    }
  }
  free(node);
  return right;
}

/* ---- the whole text ---- */

/* ".type NAME, @function" begins one, ".size NAME, ..." ends it. The line after its last, or 0. */
static size_t function_end(const struct insertion *w, size_t from)
{
  struct span arguments = directive_arguments(w->line[from].text, ".type");
  const char *comma = arguments.length ? memchr(arguments.at, ',', arguments.length) : NULL;
  if (!comma || w->line[from].written || !span_has(arguments, "@function"))
    return 0;
  struct span name = span_trim((struct span){arguments.at, (size_t)(comma - arguments.at)});
  for (size_t i = from + 1; i < w->lines; i++) {
    struct span size = directive_arguments(w->line[i].text, ".size");
    if (!w->line[i].written && size.length > name.length && memcmp(size.at, name.at, name.length) == 0 &&
        size.at[name.length] == ',')
      return i + 1;
  }
  return 0;
}

static bool put_text(struct insertion *w)
{
  for (size_t i = 0; i < w->lines;) {
    size_t end = function_end(w, i);
    if (end) {
      if (!put_function(w, i, end))
        return false;
      i = end;
      continue;
    }
    if (!note_written(w, i, i + 1))
      return false;
    put_lines(w, i, i + 1);
    i++;
  }
  return true;
}

/* Text that somebody wrote. A line that tells a place tells that of the next. */
static bool note_all(struct insertion *w)
{
  fputs("\t.section\t" SEEN_SECTION ",\"e\",@progbits\n\t.byte\t1\n\t.text\n", w->notes);
  w->place = (struct assembly_place){{w->name, strlen(w->name)}, 1};
  for (size_t i = 0; i < w->lines && !w->noted; i++) {
    if (!note_accesses(w, &w->line[i]))
      return false;
    w->place.line += !span_begins(w->line[i].text, "# ");
  }
  return true;
}

static bool is_att(const struct insertion *w)
{
  for (size_t i = 0; i < w->lines; i++)
    if (!w->line[i].written && span_begins(span_trim(w->line[i].text), ".intel_syntax"))
      return false;
  return true;
}

bool hooks_insert(struct span text, const char *name, enum hooking how, FILE *out, struct hooked *result)
{
  struct insertion w = {.name = name, .how = how, .out = out, .result = result};
  char *notes = NULL;
  size_t size = 0;
  *result = (struct hooked){0};
  w.notes = open_memstream(&notes, &size);
  bool right = w.notes && lines_find(&w, text) && constants_find(&w);
  if (right) {
    result->by_compiler = by_compiler(&w);
    if (!is_att(&w))
      w.how = HOOKING_NOTES;
    drop_unread_sections(&w);
    right = result->by_compiler ? put_text(&w) : note_all(&w);
  }
  if (w.notes && fclose(w.notes) == 0)
    fwrite(notes, 1, size, out);
  else
    right = false;
  free(notes);
  free(w.line);
  free(w.file);
  free(w.constant);
  return right && !ferror(out);
}

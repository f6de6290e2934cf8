/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle spec: a specification as a file in C, to be linked into the program with libheddle-enforce, which then keeps
 * it without heddle and without a text to be read. The file needs no header of heddle's; what it declares is
 * core/spec_link.h.
 */
#include "cli/command/commands.h"
#include "cli/find/property_notes.h"
#include "cli/find/specifications.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "cli/option/result_file.h"
#include "core/property_pack.h"
#include "core/spec_link.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>

#define BYTES_A_LINE 24

static const char declarations[] = "struct hd_property_event;\n"
                                   "typedef void hd_property_handler(const struct hd_property_event *);\n"
                                   "struct hd_spec {\n"
                                   "  unsigned version;\n"
                                   "  unsigned long size;\n"
                                   "  const unsigned char *bytes;\n"
                                   "  unsigned functions;\n"
                                   "  const struct hd_spec_function {\n"
                                   "    const char *name;\n"
                                   "    void (*code)(void);\n"
                                   "  } *function;\n"
                                   "  hd_property_handler *(*handler)[2];\n"
                                   "};\n"
                                   "void hd__spec(const struct hd_spec *spec);\n\n";

static void write_bytes(FILE *out, const unsigned char *bytes, size_t size)
{
  fputs("static const unsigned char bytes[] = {", out);
  for (size_t i = 0; i < size; i++)
    fprintf(out, "%s%u,", i % BYTES_A_LINE ? "" : "\n  ", bytes[i]);
  fputs("\n};\n\n", out);
}

/* Those of the program are found when it is linked; the others are libraries'. */
static void write_functions(FILE *out, const struct control_config *config)
{
  for (uint32_t i = 0; i < config->calls; i++)
    fprintf(out, "extern void function_%u(void) __asm__(\"%s\") __attribute__((weak));\n", i, config->call[i].name);
  fputs("static const struct hd_spec_function functions[] = {\n", out);
  for (uint32_t i = 0; i < config->calls; i++)
    fprintf(out, "  {\"%s\", function_%u},\n", config->call[i].name, i);
  fputs("  {0, 0}};\n\n", out);
}

static void write_handlers(FILE *out, const struct property_set *set)
{
  for (uint32_t p = 0; p < set->properties; p++)
    for (unsigned what = 0; what < HANDLED; what++)
      if (set->property[p].calls[what])
        fprintf(out, "extern hd_property_handler handler_%u_%u __asm__(\"%s\");\n", p, what,
                &set->name[set->property[p].calls[what]]);
  fprintf(out, "static hd_property_handler *handlers[%u][2] = {\n", set->properties);
  for (uint32_t p = 0; p < set->properties; p++) {
    fputs("  {", out);
    for (unsigned what = 0; what < HANDLED; what++)
      if (set->property[p].calls[what])
        fprintf(out, "handler_%u_%u, ", p, what);
      else
        fputs("0, ", out);
    fputs("},\n", out);
  }
  fputs("};\n\n", out);
}

static void write_spec(FILE *out, const char *name, const struct control_config *config, const struct property_set *set,
                       const unsigned char *bytes, size_t size)
{
  fprintf(
      out,
      "/* heddle specification: made from %s by heddle spec. Link it with -lheddle-enforce; what is an event of the\n"
      " * program's own functions must be compiled with -fpatchable-function-entry=5. */\n",
      name);
  fputs(declarations, out);
  write_bytes(out, bytes, size);
  write_functions(out, config);
  write_handlers(out, set);
  fprintf(out, "static const struct hd_spec spec = {%d, sizeof bytes, bytes, %u, functions, handlers};\n\n",
          HD_SPEC_VERSION, config->calls);
  fputs("__attribute__((constructor)) static void give_spec(void)\n{\n  hd__spec(&spec);\n}\n", out);
}

static int write_file(const struct options *o, const struct control_config *config, const struct property_set *set)
{
  char error[1024];
  struct output_file output;
  size_t size = property_pack(set, NULL, 0);
  unsigned char *bytes = malloc(size);
  if (!bytes) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  property_pack(set, bytes, size);
  bool written = output_file_open(&output, o->into, FILE_SPECIFICATION, error, sizeof error);
  if (written) {
    write_spec(output.file, o->operands[0], config, set, bytes, size);
    written = output_file_close(&output, error, sizeof error);
  }
  if (!written)
    console_error("%s", error);
  free(bytes);
  return written ? STATUS_OK : STATUS_FAILED;
}

static int compile(const struct options *o)
{
  struct control_config *config = calloc(1, sizeof *config);
  struct target target = {0};
  int status = STATUS_USAGE;
  if (!config) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  control_config_init(config);
  bool open = o->operand_count < 2 || target_open(&target, o->operands[1], NULL, 0);
  target.label = o->operand_count < 2 ? NULL : o->operands[1];
  if (open && properties_open(config, &target, o->operands[0], NULL)) {
    print_property_notes(config, &target, o->operands[0], NULL);
    status = write_file(o, config, target.properties);
  }
  if (open)
    target_close(&target);
  free(config);
  return status;
}

int cmd_spec(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_SPEC, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("spec", options.all_options);
  if (options.operand_count < 1 || options.operand_count > 2 || !options.into) {
    console_error("spec needs a specification and where it goes: heddle spec -o FILE.c SPECIFICATION [PROGRAM]");
    return STATUS_USAGE;
  }
  return compile(&options);
}

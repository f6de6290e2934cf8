/* SPDX-License-Identifier: Apache-2.0
 *
 * The object file with the notes; see note.h. It has no symbols and no code: the notes, and a word that it needs no
 * executable stack.
 */
#include "link/note.h"
#include "core/assembly.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const char section_names[] = "\0.note.heddle.unhooked\0.note.GNU-stack\0.shstrtab";

enum { SECTION_NULL, SECTION_NOTES, SECTION_STACK, SECTION_NAMES, SECTIONS };

static Elf64_Word name_at(const char *name)
{
  const char *at = memmem(section_names, sizeof section_names, name, strlen(name) + 1);
  return (Elf64_Word)(at - section_names);
}

static void pad(FILE *out)
{
  while (ftell(out) % 4)
    fputc(0, out);
}

static void put_note(FILE *out, const char *text)
{
  const Elf64_Nhdr header = {sizeof ASSEMBLY_NOTE, (Elf64_Word)strlen(text) + 1, UNHOOKED_NOTE_TYPE};
  fwrite(&header, sizeof header, 1, out);
  fwrite(ASSEMBLY_NOTE, sizeof ASSEMBLY_NOTE, 1, out);
  pad(out);
  fwrite(text, strlen(text) + 1, 1, out);
  pad(out);
}

/* The notes as bytes; NULL: no memory left. */
static char *notes_of(char *const names[], size_t count, size_t *size)
{
  char *bytes = NULL;
  FILE *out = open_memstream(&bytes, size);
  if (!out)
    return NULL;
  for (size_t i = 0; i < count; i++)
    put_note(out, names[i]);
  if (fclose(out) == 0)
    return bytes;
  free(bytes);
  return NULL;
}

bool note_object_write(FILE *out, char *const names[], size_t count)
{
  size_t size;
  char *notes = notes_of(names, count, &size);
  if (!notes)
    return false;
  const size_t notes_at = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
  const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_REL,
                             .e_machine = EM_X86_64,
                             .e_version = EV_CURRENT,
                             .e_shoff = sizeof(Elf64_Ehdr),
                             .e_ehsize = sizeof(Elf64_Ehdr),
                             .e_shentsize = sizeof(Elf64_Shdr),
                             .e_shnum = SECTIONS,
                             .e_shstrndx = SECTION_NAMES};
  const Elf64_Shdr sections[SECTIONS] = {[SECTION_NOTES] = {.sh_name = name_at(".note.heddle.unhooked"),
                                                            .sh_type = SHT_NOTE,
                                                            .sh_flags = SHF_ALLOC,
                                                            .sh_offset = notes_at,
                                                            .sh_size = size,
                                                            .sh_addralign = 4},
                                         [SECTION_STACK] = {.sh_name = name_at(".note.GNU-stack"),
                                                            .sh_type = SHT_PROGBITS,
                                                            .sh_offset = notes_at + size,
                                                            .sh_addralign = 1},
                                         [SECTION_NAMES] = {.sh_name = name_at(".shstrtab"),
                                                            .sh_type = SHT_STRTAB,
                                                            .sh_offset = notes_at + size,
                                                            .sh_size = sizeof section_names,
                                                            .sh_addralign = 1}};
  fwrite(&header, sizeof header, 1, out);
  fwrite(sections, sizeof sections, 1, out);
  fwrite(notes, size, 1, out);
  fwrite(section_names, sizeof section_names, 1, out);
  free(notes);
  return fflush(out) == 0 && !ferror(out);
}

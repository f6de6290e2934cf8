/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the program and looking at its file. Reads the ELF header, the program headers and the dynamic section, and
 * no more: names and lines are debuginfo/symbols.c's.
 */
#include "session/target.h"
#include "file/input_file.h"
#include "session/console.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined __x86_64__
enum { THIS_MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { THIS_MACHINE = EM_AARCH64 };
#else
#error "heddle does not know this machine"
#endif

/* ---- the file ---- */

/* A mapped file; every read is checked against its size. */
struct image {
  const unsigned char *bytes;
  size_t size;
};

static const void *image_at(const struct image *image, uint64_t offset, uint64_t length)
{
  if (offset > image->size || length > image->size - offset)
    return NULL;
  return image->bytes + offset;
}

static const char *machine_name(unsigned machine)
{
  static const struct {
    unsigned machine;
    const char *name;
  } names[] = {{EM_386, "32-bit x86"}, {EM_X86_64, "x86-64"}, {EM_ARM, "32-bit ARM"}, {EM_AARCH64, "64-bit ARM"},
               {EM_RISCV, "RISC-V"},   {EM_PPC64, "PowerPC"}, {EM_S390, "S/390"},     {EM_MIPS, "MIPS"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].machine == machine)
      return names[i].name;
  return "another machine";
}

static const Elf64_Phdr *find_header(const struct image *image, const Elf64_Ehdr *elf, uint32_t type)
{
  const Elf64_Phdr *headers = image_at(image, elf->e_phoff, (uint64_t)elf->e_phnum * sizeof *headers);
  for (unsigned i = 0; headers && i < elf->e_phnum; i++)
    if (headers[i].p_type == type)
      return &headers[i];
  return NULL;
}

/* The file offset of a virtual address, or all ones. */
static uint64_t file_offset(const struct image *image, const Elf64_Ehdr *elf, uint64_t addr)
{
  const Elf64_Phdr *headers = image_at(image, elf->e_phoff, (uint64_t)elf->e_phnum * sizeof *headers);
  for (unsigned i = 0; headers && i < elf->e_phnum; i++)
    if (headers[i].p_type == PT_LOAD && addr >= headers[i].p_vaddr && addr - headers[i].p_vaddr < headers[i].p_filesz)
      return headers[i].p_offset + (addr - headers[i].p_vaddr);
  return UINT64_MAX;
}

/* What the file tells the dynamic linker: its entries, and the strings they refer to. */
struct dynamic {
  const Elf64_Dyn *entry;
  size_t count;
  const char *strings; /* NULL: none */
  size_t bytes;        /* of them */
};

static struct dynamic read_dynamic(const struct image *image, const Elf64_Ehdr *elf)
{
  const Elf64_Phdr *header = find_header(image, elf, PT_DYNAMIC);
  struct dynamic d = {.entry = header ? image_at(image, header->p_offset, header->p_filesz) : NULL};
  size_t most = d.entry ? header->p_filesz / sizeof *d.entry : 0;
  uint64_t offset = UINT64_MAX;
  for (; d.count < most && d.entry[d.count].d_tag != DT_NULL; d.count++) {
    const Elf64_Dyn *entry = &d.entry[d.count];
    if (entry->d_tag == DT_STRTAB)
      offset = file_offset(image, elf, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_STRSZ)
      d.bytes = entry->d_un.d_val;
  }
  d.strings = image_at(image, offset, d.bytes);
  return d;
}

/* The name of a sanitizer's library the program needs, or NULL. */
static const char *needed_sanitizer(const struct dynamic *d)
{
  static const char *const sanitizers[] = {"libasan.so",       "libtsan.so",       "libmsan.so",        "liblsan.so",
                                           "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan"};
  for (size_t i = 0; i < d->count && d->strings; i++) {
    uint64_t at = d->entry[i].d_un.d_val;
    if (d->entry[i].d_tag != DT_NEEDED || at >= d->bytes)
      continue;
    for (size_t k = 0; k < sizeof sanitizers / sizeof sanitizers[0]; k++)
      if (strlen(sanitizers[k]) < d->bytes - at && !strncmp(d->strings + at, sanitizers[k], strlen(sanitizers[k])))
        return sanitizers[k];
  }
  return NULL;
}

/* Whether it asks for what only the driver of heddle_stress.h does. */
static bool has_stress_driver(const struct dynamic *d)
{
  static const char name[] = "\0hd__stress_keeps"; /* between two zero bytes */
  return d->strings && memmem(d->strings, d->bytes, name, sizeof name);
}

static bool refuse(const char *name, const char *why)
{
  console_error("%s %s", name, why);
  return false;
}

static bool check_interpreter(const char *name, const struct image *image, const Elf64_Ehdr *elf)
{
  const Elf64_Phdr *header = find_header(image, elf, PT_INTERP);
  if (!header && elf->e_type == ET_DYN && !find_header(image, elf, PT_PHDR) && elf->e_entry == 0)
    return refuse(name, "is a shared library, not a program; check a program that uses it");
  if (!header)
    return refuse(name, "is statically linked; heddle needs a dynamically linked program (link it without -static)");
  const char *interpreter = image_at(image, header->p_offset, header->p_filesz);
  if (!interpreter || !memchr(interpreter, 0, header->p_filesz))
    return refuse(name, "is damaged: its program headers lead out of the file");
  if (strstr(interpreter, "musl")) {
    console_error("%s uses the C library musl; heddle needs one built against glibc", name);
    return false;
  }
  if (access(interpreter, X_OK) != 0) {
    console_error("%s needs the dynamic linker %s, which is not there", name, interpreter);
    return false;
  }
  return true;
}

static bool check_elf(struct target *target, const char *name, const struct image *image)
{
  const Elf64_Ehdr *elf = image_at(image, 0, sizeof *elf);
  if (image->size == 0)
    return refuse(name, "is empty");
  if (image->size >= 2 && !memcmp(image->bytes, "#!", 2))
    return refuse(name, "is a script; heddle takes compiled programs (start heddle inside the script)");
  if (image->size < SELFMAG || memcmp(image->bytes, ELFMAG, SELFMAG))
    return refuse(name, "is not a program (no ELF file) nor a C or C++ source file");
  if (!elf || elf->e_phentsize > image->size)
    return refuse(name, "is damaged: the file is cut short");
  if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != THIS_MACHINE) {
    unsigned machine = elf->e_ident[EI_DATA] == ELFDATA2LSB ? elf->e_machine : __builtin_bswap16(elf->e_machine);
    console_error("%s is built for another machine (%s); this is %s", name,
                  machine == THIS_MACHINE ? "32-bit pointers" : machine_name(machine), machine_name(THIS_MACHINE));
    return false;
  }
  if (elf->e_type == ET_REL)
    return refuse(name, "is an object file; link it to a program first");
  if (elf->e_type != ET_EXEC && elf->e_type != ET_DYN)
    return refuse(name, "is an ELF file but not a program");
  if (elf->e_phentsize != sizeof(Elf64_Phdr) || !image_at(image, elf->e_phoff, (uint64_t)elf->e_phnum * 56))
    return refuse(name, "is damaged: its program headers lead out of the file");
  if (!check_interpreter(name, image, elf))
    return false;
  const struct dynamic dynamic = read_dynamic(image, elf);
  target->stress_test = has_stress_driver(&dynamic);
  target->sanitizer = needed_sanitizer(&dynamic);
  return true;
}

/* A program that runs with more rights than its caller does not load heddle's library. */
static bool gains_rights(const char *path, const struct stat *st)
{
  if ((st->st_mode & S_ISUID) && st->st_uid != getuid())
    return true;
  if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != getgid())
    return true;
  return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool check_file(struct target *target, const char *name, const char *path)
{
  struct stat st;
  if (stat(path, &st) != 0) {
    console_error("%s: %s", name, errno == ENOENT ? "no such program or source file" : strerror(errno));
    return false;
  }
  if (S_ISDIR(st.st_mode))
    return refuse(name, "is a folder, not a program");
  if (!S_ISREG(st.st_mode))
    return refuse(name, "is not a regular file");
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    console_error("%s cannot be read: %s", name, strerror(errno));
    return false;
  }
  struct image image = {NULL, (size_t)st.st_size};
  if (image.size)
    image.bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (image.bytes == MAP_FAILED) {
    console_error("%s cannot be read: %s", name, strerror(errno));
    return false;
  }
  bool right = check_elf(target, name, &image);
  if (image.size)
    munmap((void *)image.bytes, image.size);
  if (right && access(path, X_OK) != 0)
    return refuse(name, "is not executable (chmod +x it, or mount its file system without noexec)");
  if (right && gains_rights(path, &st))
    return refuse(name,
                  "runs with the rights of another user (setuid, setgid or capabilities); check a plain copy of it");
  return right;
}

/* ---- finding it ---- */

static char *join_path(const char *folder, size_t length, const char *name)
{
  char *path = NULL;
  if (asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0)
    return NULL;
  return path;
}

/* In PATH, as a shell would; NULL when it is not there. */
static char *search_path(const char *name)
{
  const char *folders = getenv("PATH");
  while (folders && *folders) {
    size_t length = strcspn(folders, ":");
    char *path = length ? join_path(folders, length, name) : NULL;
    struct stat st;
    if (path && access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
      return path;
    free(path);
    folders += length + (folders[length] == ':');
  }
  return NULL;
}

static char *find_program(const char *name)
{
  if (strchr(name, '/'))
    return strdup(name);
  char *here = join_path(".", 1, name);
  if (!here || access(here, F_OK) == 0)
    return here;
  char *found = search_path(name);
  if (!found)
    return here;
  free(here);
  return found;
}

bool target_find(struct target *target, const char *name, char **args, size_t arg_count)
{
  *target = (struct target){.name = name, .label = name, .args = args, .arg_count = arg_count};
  target->path = find_program(name);
  if (!target->path) {
    console_error("no memory left");
    return false;
  }
  if (check_file(target, name, target->path))
    return true;
  target_close(target);
  return false;
}

bool target_open(struct target *target, const char *name, char **args, size_t arg_count)
{
  if (!target_find(target, name, args, arg_count))
    return false;
  if (!target->sanitizer)
    return true;
  console_error("%s is built with a sanitizer (%s*), which takes the same places as heddle; build it without "
                "-fsanitize",
                name, target->sanitizer);
  target_close(target);
  return false;
}

void target_close(struct target *target)
{
  free(target->path);
  free(target->input);
  free(target->properties);
  free(target->changed);
  *target = (struct target){0};
}

/* ---- standard input ---- */

enum {
  INPUT_MOST = 256 << 20, /* every worker keeps a copy of it */
  INPUT_SILENCE_MS = 2000 /* a pipe that nobody writes to and nobody closes must not stop us */
};

static bool read_all(struct target *target, int fd, const char *name)
{
  size_t room = 0;
  for (;;) {
    if (target->input_bytes == room) {
      room = room ? room * 2 : 65536;
      char *grown = realloc(target->input, room);
      if (!grown) {
        console_error("no memory left for %s", name);
        return false;
      }
      target->input = grown;
    }
    ssize_t n = read(fd, target->input + target->input_bytes, room - target->input_bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      console_error("%s cannot be read: %s", name, strerror(errno));
      return false;
    }
    if (n == 0)
      return true;
    target->input_bytes += (size_t)n;
    if (target->input_bytes > INPUT_MOST) {
      console_error("%s is larger than 256 MiB; every execution gets all of it", name);
      return false;
    }
  }
}

bool target_read_stdin(struct target *target)
{
  struct stat st;
  if (fstat(0, &st) != 0 || isatty(0))
    return true;
  if (!S_ISREG(st.st_mode)) {
    struct pollfd ready = {.fd = 0, .events = POLLIN};
    if (poll(&ready, 1, INPUT_SILENCE_MS) == 0) {
      console_note("nothing came on standard input for 2 s: the program gets an empty one");
      return true;
    }
  }
  if (S_ISDIR(st.st_mode))
    return true;
  return read_all(target, 0, "standard input");
}

bool target_read_input(struct target *target, const char *path)
{
  char error[256];
  int fd = input_descriptor(path, error, sizeof error);
  if (fd < 0) {
    console_error("%s, the program's standard input, %s", path, error);
    return false;
  }
  bool done = read_all(target, fd, path);
  close(fd);
  return done;
}

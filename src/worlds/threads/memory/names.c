/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of addresses; see the header, and core/address_name.h for the numbers.
 */
#include "worlds/threads/memory/names.h"
#include "core/address_name.h"
#include "core/rng.h"
#include "worlds/threads/runtime.h"
#include <elf.h>
#include <link.h>

#define MIDDLE (UINT64_C(1) << 40) /* the offset of a zone's anchor, if there is something below it */
#define PAGE 4096u

/* Where zones are in this process, by number. */
static struct zone {
  uintptr_t low, high, anchor;
} zones[ZONES];
static unsigned zone_count;

static size_t tls_bytes; /* of the initial thread, at most */

static int note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size, (void)unused;
  struct zone z = {.low = UINTPTR_MAX};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
    if (p->p_type == PT_TLS)
      tls_bytes += p->p_memsz + p->p_align;
    if (p->p_type != PT_LOAD)
      continue;
    z.low = start < z.low ? start : z.low;
    z.high = end > z.high ? end : z.high;
  }
  z.low &= ~(uintptr_t)(PAGE - 1);
  z.high = (z.high + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  z.anchor = info->dlpi_addr;
  rt.control->module_bias[zone_count - ZONE_MODULES] = info->dlpi_addr;
  zones[zone_count++] = z;
  rt.control->modules = zone_count - ZONE_MODULES;
  return zone_count == ZONES;
}

/* Around an anchor. */
static struct zone around(uintptr_t low, uintptr_t high, uintptr_t anchor)
{
  return (struct zone){low, high, anchor - MIDDLE};
}

void names_boot(uintptr_t main_sp, char *const *arguments, size_t stack_bytes)
{
  uintptr_t array = (uintptr_t)arguments, strings = arguments[0] ? (uintptr_t)arguments[0] : array;
  uintptr_t tls = hd_own.fiber[0].fs;
  zone_count = ZONE_MODULES;
  tls_bytes = 0;
  dl_iterate_phdr(note_module, NULL);
  zones[ZONE_STACK] = around(main_sp - stack_bytes, array, main_sp);
  zones[ZONE_ARGUMENTS] = around(array, strings, array);
  zones[ZONE_STRINGS] = around(strings, strings + stack_bytes, strings);
  zones[ZONE_TLS] = around(tls - tls_bytes - PAGE, tls + PAGE, tls);
}

uint64_t names_layout(void)
{
  uint64_t hash = 0;
  for (unsigned i = ZONE_STACK; i < zone_count; i++)
    hash = mix64(hash ^ zones[i].anchor);
  return hash;
}

uint64_t name_of(uintptr_t addr)
{
  if (addr >> IMAGE_SHIFT)
    return addr;
  for (unsigned i = zone_count; i-- > ZONE_STACK;) /* modules first: others are only nearly known */
    if (addr >= zones[i].low && addr < zones[i].high)
      return name_in_zone(i, addr - zones[i].anchor);
  return addr;
}

uintptr_t address_of(uint64_t name)
{
  if (name >> IMAGE_SHIFT)
    return name;
  uint64_t zone = name >> NAME_ZONE_SHIFT;
  return zone && zone < zone_count ? zones[zone].anchor + (name & NAME_OFFSET) : name;
}

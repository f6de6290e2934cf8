/* SPDX-License-Identifier: Apache-2.0
 *
 * A specification that is linked into a program: what heddle spec writes and libheddle-enforce.so reads. The file that
 * is written has these declarations in it (cli/command/spec.c), so that it needs no header of heddle's; whoever changes
 * them counts the version up.
 */
#ifndef HEDDLE_CORE_SPEC_LINK_H
#define HEDDLE_CORE_SPEC_LINK_H

#include "core/property.h"
#include "heddle_property.h"

#define HD_SPEC_VERSION 1

struct hd_spec {
  unsigned version;
  unsigned long size; /* of the bytes: property_pack.h */
  const unsigned char *bytes;
  unsigned functions; /* numbered from 1 */
  const struct hd_spec_function {
    const char *name;
    void (*code)(void); /* NULL: it is a library's */
  } * function;
  hd_property_handler *(*handler)[HANDLED]; /* of each property */
};

#endif

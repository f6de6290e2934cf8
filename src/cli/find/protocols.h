/* SPDX-License-Identifier: Apache-2.0
 *
 * Protocols of objects and the person at the terminal: files of protocols, and a line on what was looked
 * at. */
#ifndef HEDDLE_CLI_PROTOCOLS_H
#define HEDDLE_CLI_PROTOCOLS_H

#include "core/config.h"
#include "file/output_file.h"
#include "predict/protocol/protocol.h"

/* Those of a file count instead of what a run teaches; no file is none. False: an error was printed. */
bool protocols_give(struct protocol *p, const char *path);
/* Those in use, as text that can be edited and given, or as a graph (.dot); no file is none. False: an error was
 * printed. */
bool protocols_write(const struct protocol *p, const struct control_config *config, const char *path);
/* What would be written there. */
enum file_format protocols_format(const char *path);
/* In a line, when there were calls at all. */
void protocols_tell(const struct protocol_figures *f);

#endif

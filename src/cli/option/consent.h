/* SPDX-License-Identifier: Apache-2.0
 *
 * Consent: a command that stands in a file of the project is shown to the person at the terminal before it is run for
 * the first time, and never run without a yes. What was agreed to is kept in the user's private folder
 * (cli/find/signature.h) as hashes of folder, option and command: another command, or the same in another folder, is
 * asked about again.
 */
#ifndef HEDDLE_CLI_CONSENT_H
#define HEDDLE_CLI_CONSENT_H

#include <stdbool.h>
#include <stddef.h>

struct consent {
  const char *folder; /* of the file, resolved */
  const char *file;
  size_t line;
  const char *option, *command;
};

/* Asks if it is not known. False: no, or there is nobody to ask; that was told. */
bool consent_given(const struct consent *consent);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The value of a setting as a person would give it on the command line.
 */
#ifndef HEDDLE_TRACE_SETTING_TEXT_H
#define HEDDLE_TRACE_SETTING_TEXT_H

#include "core/settings.h"

#define SETTING_TEXT_SIZE 256

/* Returns out: empty when the setting was not given and its default is no value. */
const char *setting_text(const struct setting *setting, const struct settings *settings, char out[SETTING_TEXT_SIZE]);

#endif

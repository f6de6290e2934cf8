/* SPDX-License-Identifier: Apache-2.0
 *
 * The stepper: a traced execution on a screen, one step at a time. What is shown (the steps, the source of the current
 * one, the threads and their locks) and what keys do. It knows neither terminals nor signals: keys come in as numbers,
 * a screen goes out as text with ANSI escapes, so that a test can be the terminal.
 */
#ifndef HEDDLE_REPORT_STEPPER_H
#define HEDDLE_REPORT_STEPPER_H

#include "report/document/trace_log_line.h"
#include "report/story/story.h"

/* Keys that are no character. */
enum stepper_key {
  KEY_UP = 0x110000, /* beyond Unicode */
  KEY_DOWN,
  KEY_PAGE_UP,
  KEY_PAGE_DOWN,
  KEY_HOME,
  KEY_END,
  KEY_ESCAPE,
  KEY_ENTER,
  KEY_BACKSPACE
};

#define STEPPER_ALL UINT32_MAX

struct stepper {
  const struct story *story;
  const char *title;
  size_t at;         /* an event of the story, or behind the last one: the end */
  uint32_t only;     /* a thread whose steps alone are listed, or STEPPER_ALL */
  bool typing;       /* what to search for */
  bool helping;      /* the keys are shown */
  char search[64];   /* typed so far, and last searched for */
  char message[128]; /* until the next key; may be empty */
  struct trace_columns columns;
};

/* At the first step. The story must have a trace; it is borrowed, as the title is. */
void stepper_open(struct stepper *stepper, const struct story *story, const char *title);

/* Does what the key says; page is how many lines of steps are shown. False: the user has seen enough. */
bool stepper_key(struct stepper *stepper, int key, unsigned page);

/* Lines of steps on a screen of so many rows. */
unsigned stepper_page(const struct stepper *stepper, unsigned rows);

/* The whole screen, from its upper left corner. */
void stepper_draw(FILE *out, const struct stepper *stepper, unsigned rows, unsigned columns);

/* Whether an item of the list is shown under the filter. */
bool stepper_shows(const struct stepper *stepper, size_t item);

#endif

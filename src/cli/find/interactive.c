/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of heddle show -i: draw, wait for a key, do what it says. The screen is report/stepper/stepper.h's, the
 * terminal terminal.h's.
 */
#include "cli/find/interactive.h"
#include "cli/find/terminal.h"
#include "report/stepper/stepper.h"
#include "session/console.h"
#include <stdlib.h>

/* In one piece, so that it does not flicker. */
static void draw(const struct stepper *stepper, unsigned rows, unsigned columns)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return;
  stepper_draw(out, stepper, rows, columns);
  if (fclose(out) == 0) {
    fwrite(text, bytes, 1, stdout);
    fflush(stdout);
  }
  free(text);
}

int interactive_show(const struct story *story, const char *title)
{
  struct stepper stepper;
  unsigned rows, columns;
  if (!story->events || !story->event_count) {
    console_error("%s has no steps to show", title);
    return STATUS_FAILED;
  }
  stepper_open(&stepper, story, title);
  if (!terminal_open()) {
    console_error("the terminal cannot be set up");
    return STATUS_FAILED;
  }
  int key = TERMINAL_RESIZED;
  do {
    terminal_size(&rows, &columns);
    if (key == TERMINAL_RESIZED)
      fputs("\033[2J", stdout);
    draw(&stepper, rows, columns);
    key = terminal_key();
  } while (key != TERMINAL_GONE &&
           (key == TERMINAL_RESIZED || stepper_key(&stepper, key, stepper_page(&stepper, rows))));
  terminal_close();
  return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * See images.h.
 */
#include "session/images.h"
#include <stdlib.h>
#include <string.h>

void images_load(struct symbols *symbols, const struct control *control)
{
  for (unsigned i = 1; i < IMAGES; i++) {
    if (!control->image_maps_bytes[i])
      continue;
    char *text = strndup(CONTROL_AT(control, CONTROL_IMAGE_MAPS_OFFSET + i * IMAGE_MAPS_MOST), IMAGE_MAPS_MOST);
    if (text)
      symbols_load_image(symbols, text, i);
    free(text);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of predictions; see prediction.h.
 */
#include "predict/prediction.h"
#include <stdlib.h>

const char *const prediction_name[PREDICTION_COUNT] = {
#define X(id, name) [PREDICT_##id] = name,
    HD_PREDICTIONS(X)
#undef X
};

void predictions_add(struct predictions *p, const struct prediction *prediction)
{
  if ((p->count & (p->count - 1)) == 0) { /* 0, 1, 2, 4, … */
    struct prediction *grown = realloc(p->list, (p->count ? 2 * p->count : 1) * sizeof *grown);
    if (!grown) {
      p->failed = true;
      return;
    }
    p->list = grown;
  }
  p->list[p->count++] = *prediction;
}

void predictions_free(struct predictions *p)
{
  free(p->list);
  *p = (struct predictions){0};
}

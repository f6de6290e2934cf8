/* SPDX-License-Identifier: Apache-2.0
 *
 * What pages are put together from. Of no concern outside of page*.c.
 */
#ifndef HEDDLE_REPORT_PAGE_PARTS_H
#define HEDDLE_REPORT_PAGE_PARTS_H

#include "report/document/build_json.h"
#include "report/page/page.h"

/* What stands in a template in place of `{{name}}`. */
struct page_part {
  const char *name;
  const char *text; /* written as it is */
};

void page_fill(FILE *out, const char *template, const struct page_part *parts, size_t count);

/* Text for an element or an attribute in quotes, malloc'ed; what is no UTF-8 is escaped. NULL: no memory. */
char *page_markup(const char *text);

/* JSON that can stand inside of a script element, malloc'ed, made of any JSON; frees that. NULL: no memory. */
char *page_json(char *json);

/* The data of the page of one execution (data.js reads it), malloc'ed. NULL: no memory. */
char *page_data(const struct story *story, const struct trace_origin *origin);

#endif

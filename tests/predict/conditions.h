/* SPDX-License-Identifier: Apache-2.0
 *
 * What subjects say about their conditions. With -DUNANNOTATED they say nothing, and conditions must be inferred.
 */
#include <heddle.h>

#ifdef UNANNOTATED
#undef HD__SAY
#define HD__SAY(function, arguments) ((void)0)
#endif

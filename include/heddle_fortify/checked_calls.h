/* SPDX-License-Identifier: Apache-2.0
 *
 * With -D_FORTIFY_SOURCE the C library's headers use functions of the compiler's that check sizes, which it expands in
 * line where it knows them, behind the back of its own instrumentation. Here they are the library's functions. heddle
 * cc puts this folder before the system's headers.
 */
#ifndef HEDDLE_FORTIFY_CHECKED_CALLS_H
#define HEDDLE_FORTIFY_CHECKED_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

void *__memcpy_chk(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
void *__memmove_chk(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
void *__mempcpy_chk(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
void *__memset_chk(void *, int, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
char *__strcpy_chk(char *, const char *, __SIZE_TYPE__) __THROW;
char *__stpcpy_chk(char *, const char *, __SIZE_TYPE__) __THROW;
char *__strcat_chk(char *, const char *, __SIZE_TYPE__) __THROW;
char *__strncpy_chk(char *, const char *, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
char *__stpncpy_chk(char *, const char *, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
char *__strncat_chk(char *, const char *, __SIZE_TYPE__, __SIZE_TYPE__) __THROW;
int __sprintf_chk(char *, int, __SIZE_TYPE__, const char *, ...) __THROW;
int __vsprintf_chk(char *, int, __SIZE_TYPE__, const char *, __builtin_va_list) __THROW;
int __snprintf_chk(char *, __SIZE_TYPE__, int, __SIZE_TYPE__, const char *, ...) __THROW;
int __vsnprintf_chk(char *, __SIZE_TYPE__, int, __SIZE_TYPE__, const char *, __builtin_va_list) __THROW;

#ifdef __cplusplus
}
#endif

#define __builtin___memcpy_chk __memcpy_chk
#define __builtin___memmove_chk __memmove_chk
#define __builtin___mempcpy_chk __mempcpy_chk
#define __builtin___memset_chk __memset_chk
#define __builtin___strcpy_chk __strcpy_chk
#define __builtin___stpcpy_chk __stpcpy_chk
#define __builtin___strcat_chk __strcat_chk
#define __builtin___strncpy_chk __strncpy_chk
#define __builtin___stpncpy_chk __stpncpy_chk
#define __builtin___strncat_chk __strncat_chk
#define __builtin___sprintf_chk __sprintf_chk
#define __builtin___vsprintf_chk __vsprintf_chk
#define __builtin___snprintf_chk __snprintf_chk
#define __builtin___vsnprintf_chk __vsnprintf_chk

#endif

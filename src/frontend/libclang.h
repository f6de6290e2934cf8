/* SPDX-License-Identifier: Apache-2.0
 *
 * libclang, opened when it is needed: its libraries take longer to load than most commands of heddle run. Whoever reads
 * C with it calls its functions as members of the table. Where heddle was built without its headers, or the library is
 * not installed, there is none, and the error says what to install.
 */
#ifndef HEDDLE_FRONTEND_LIBCLANG_H
#define HEDDLE_FRONTEND_LIBCLANG_H

#include <stddef.h>

#ifdef HEDDLE_HAS_LIBCLANG
#include <clang-c/Index.h>

#define HD_CLANG_FUNCTIONS(X)                                                                                          \
  X(createIndex)                                                                                                       \
  X(disposeIndex)                                                                                                      \
  X(parseTranslationUnit2)                                                                                             \
  X(IndexAction_create)                                                                                                \
  X(IndexAction_dispose)                                                                                               \
  X(indexSourceFile)                                                                                                   \
  X(indexLoc_getFileLocation)                                                                                          \
  X(disposeTranslationUnit)                                                                                            \
  X(getTranslationUnitCursor)                                                                                          \
  X(getDiagnosticSetFromTU)                                                                                            \
  X(getNumDiagnosticsInSet)                                                                                            \
  X(getDiagnosticInSet)                                                                                                \
  X(getDiagnosticSeverity)                                                                                             \
  X(formatDiagnostic)                                                                                                  \
  X(disposeDiagnostic)                                                                                                 \
  X(visitChildren)                                                                                                     \
  X(getCursorKind)                                                                                                     \
  X(getCursorLocation)                                                                                                 \
  X(getCursorExtent)                                                                                                   \
  X(getCanonicalCursor)                                                                                                \
  X(getCursorReferenced)                                                                                               \
  X(getOverriddenCursors)                                                                                              \
  X(disposeOverriddenCursors)                                                                                          \
  X(CXXMethod_isPureVirtual)                                                                                           \
  X(Cursor_isDynamicCall)                                                                                              \
  X(getCursorSemanticParent)                                                                                           \
  X(getCursorSpelling)                                                                                                 \
  X(getCursorType)                                                                                                     \
  X(getCursorUSR)                                                                                                      \
  X(getSpecializedCursorTemplate)                                                                                      \
  X(getCursorBinaryOperatorKind)                                                                                       \
  X(getCursorUnaryOperatorKind)                                                                                        \
  X(Cursor_getVarDeclInitializer)                                                                                      \
  X(Cursor_getNumArguments)                                                                                            \
  X(getCanonicalType)                                                                                                  \
  X(getPointeeType)                                                                                                    \
  X(isConstQualifiedType)                                                                                              \
  X(isVolatileQualifiedType)                                                                                           \
  X(getInclusions)                                                                                                     \
  X(getTypeSpelling)                                                                                                   \
  X(getRangeStart)                                                                                                     \
  X(getRangeEnd)                                                                                                       \
  X(getExpansionLocation)                                                                                              \
  X(getSpellingLocation)                                                                                               \
  X(getFileLocation)                                                                                                   \
  X(getFileName)                                                                                                       \
  X(getFileContents)                                                                                                   \
  X(File_tryGetRealPathName)                                                                                           \
  X(Location_isInSystemHeader)                                                                                         \
  X(Cursor_getStorageClass)                                                                                            \
  X(Cursor_hasAttrs)                                                                                                   \
  X(Cursor_getArgument)                                                                                                \
  X(isCursorDefinition)                                                                                                \
  X(isAttribute)                                                                                                       \
  X(isStatement)                                                                                                       \
  X(isExpression)                                                                                                      \
  X(Cursor_isNull)                                                                                                     \
  X(getCString)                                                                                                        \
  X(disposeString)

struct libclang {
#define X(name) __typeof__(&clang_##name) name;
  HD_CLANG_FUNCTIONS(X)
#undef X
};
#else
struct libclang;
#endif

/* The same one each time. NULL, with one line in error that says what to install. */
const struct libclang *libclang_open(char *error, size_t error_size);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * C++, Rust and D symbol names as the source has them.
 */
#ifndef PCSAMPLE_SYMBOLS_DEMANGLE_H
#define PCSAMPLE_SYMBOLS_DEMANGLE_H

/**
 * demangle() - the source's name of a symbol
 * @name: as in the symbol table
 *
 * Return: from malloc(), or NULL if @name is no mangled name.
 */
char *demangle(const char *name);

#endif /* PCSAMPLE_SYMBOLS_DEMANGLE_H */

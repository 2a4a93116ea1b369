/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare-metal proof of the CPU's Profiling exceptions and trace buffer
 */
#include "suites.h"
#include "tables.h"

void main(void)
{
    find_features();
    ppi_setup();
    find_irq_gated();
    if (features.ebep) {
        suite_d13_1();
        suite_pm();
        suite_overflow();
    }
    if (features.sebep) {
        suite_d13_2();
        suite_signals();
        suite_sync();
    }
    if (features.trbe_exc) {
        suite_d6_record();
        suite_d6_deliver();
    }
    if (features.ete) {
        suite_buffer();
        suite_faults();
        suite_prohibited();
        if (features.trbe_exc) {
            suite_taken();
        }
    }
    suite_access();
    if (features.ebep || features.trbe_exc) {
        suite_rows();
    }
    finish();
}

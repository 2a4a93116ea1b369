/* SPDX-License-Identifier: GPL-2.0-or-later */
DEF_HELPER_3(retire_insn, void, env, i64, i32)
DEF_HELPER_3(retire_branch, void, env, i32, i64)
DEF_HELPER_1(tsb, void, env)
DEF_HELPER_2(msr_i_pm, void, env, i32)

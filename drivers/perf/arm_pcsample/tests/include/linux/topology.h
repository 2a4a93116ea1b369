/* SPDX-License-Identifier: GPL-2.0-only */
int topology_physical_package_id(int cpu);

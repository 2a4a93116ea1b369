// SPDX-License-Identifier: GPL-2.0-only
#include "lib/progress.h"

const struct progress_listener *progress_listener;

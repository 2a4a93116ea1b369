// SPDX-License-Identifier: GPL-2.0-only
#include "base/progress.h"

const struct progress_listener *progress_listener;

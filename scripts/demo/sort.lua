-- SPDX-License-Identifier: GPL-2.0-only
-- Sorts numbers that come in no order.
local numbers = {}
for i = 1, 120000 do
	numbers[i] = i * 7919 % 1000003
end
table.sort(numbers)

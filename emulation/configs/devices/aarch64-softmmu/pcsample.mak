# SPDX-License-Identifier: GPL-2.0-or-later
#
# The virt machine with what scripts/vm uses, and nothing else
CONFIG_ARM_VIRT=y
CONFIG_ARM_PCSAMPLE=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_SERIAL=y

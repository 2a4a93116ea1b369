# SPDX-License-Identifier: GPL-2.0-only
# What the pages say of kernels before this one, of modules, and of files that are not there
/^Before some release after 6\.12/,/^$/d
s/\(all other fields can be asked for\.\) Stock 6\.1 kernels .*/\1/
/^stacks, code page sizes and cgroups to a driver/,/^EOPNOTSUPP there/d
s/^Documentation\/boards\.md lists the boards.* Such$/Such a node belongs to one driver./
s/^a node belongs to one driver\. If coresight/If coresight/
s/ or had a vCPU$//
s/^\(preempted     was not made: the reader was over its budget\),/\1/
/^              loaded (see above)$/d
s/^\(			preempted	the reader was over its budget\),$/\1/
/^					loaded on a kernel that would have taken that$/,/^					for the sample's$/d
s/^KernelVersion:	6\.1$/KernelVersion:	7.4/
/^Debian's kernels start with 3/,/^other kernels, for CAP_PERFMON\.$/d
s/^(``exclude_kernel`` without ``exclude_hv``) needs CAP_PERFMON\.$/(``exclude_kernel`` without ``exclude_hv``) needs what one of the kernel does./
/^\* BPF programs cannot/c\
* ``kernel.perf_event_max_sample_rate`` is for each event, whose samples are those of all\
  its targets together: with many targets it throttles what a single one would not reach.\
* To perf a batch is one sample: ``kernel.perf_event_max_sample_rate`` and\
  ``PERF_EVENT_IOC_REFRESH`` count it once, and a BPF program runs once for it.
/^\* On Linux 6\.1/,/6\.12\.117 is mended\.$/d
/^\* ``PERF_EVENT_IOC_REFRESH``/,/^  down\.$/d

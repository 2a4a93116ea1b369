#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The device-tree binding holds together: it is YAML of the form that dt-schema wants, dtc takes its
example, the example is one of its own, and the driver and the emulated machine mean the same nodes.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

TOP = Path(__file__).resolve().parents[4]
BINDING = TOP / "Documentation/devicetree/bindings/perf/arm,pmu-pc-sample.yaml"
DRIVER = TOP / "drivers/perf/arm_pcsample/core.c"
DEVICE = TOP / "emulation/hw/misc/arm_pcsample.c"

HEAD = """/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	interrupt-parent = <&gic>;
	gic: interrupt-controller {
		interrupt-controller;
		#address-cells = <0>;
		#interrupt-cells = <3>;
	};
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;
		cpu0: cpu@0 { device_type = "cpu"; reg = <0>; };
		cpu1: cpu@1 { device_type = "cpu"; reg = <1>; };
	};
	soc_clk: clock { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <1>; };
	debug_pd: power-controller { #power-domain-cells = <0>; };
"""

schema = yaml.safe_load(BINDING.read_text())


def has_the_form():
    """The keys that meta-schemas/base.yaml requires, and an $id that is the file's place"""
    for key in ("$id", "$schema", "title", "maintainers", "properties", "additionalProperties"):
        assert key in schema, key
    place = BINDING.relative_to(TOP / "Documentation/devicetree/bindings")
    assert schema["$id"] == f"http://devicetree.org/schemas/{place}#", schema["$id"]
    assert schema["$schema"] == "http://devicetree.org/meta-schemas/core.yaml#"
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    assert all(len(line) <= 80 for line in BINDING.read_text().splitlines())


def compiled_example():
    """The example as dtc understands it: [{property: value}] of its nodes"""
    with tempfile.NamedTemporaryFile("w", suffix=".dts") as source:
        source.write(HEAD + schema["examples"][0] + "};\n")
        source.flush()
        run = subprocess.run(["dtc", "-Wno-simple_bus_reg", "-O", "dts", source.name],
                             capture_output=True, text=True, check=False)
    assert run.returncode == 0 and not run.stderr, run.stderr
    nodes = re.findall(r"pc-sample@([0-9a-f]+) \{(.*?)\};", run.stdout, re.S)
    return [(unit, dict(re.findall(r"^\s*([\w,-]+)(?: = (.*))?;$", body, re.M)))
            for unit, body in nodes]


def takes_the_example():
    """dtc compiles it; each node has the properties that are required, and all are shown"""
    nodes = compiled_example()
    assert len(nodes) == 2, nodes
    for unit, properties in nodes:
        assert set(schema["required"]) <= set(properties), properties
        assert set(properties) <= set(schema["properties"]), properties
        assert properties["compatible"] == f'"{schema["properties"]["compatible"]["const"]}"'
        assert properties["reg"] == f"<0x{unit} 0x1000>", properties["reg"]
    used = {name for _, properties in nodes for name in properties}
    assert used == set(schema["properties"]), used


def is_what_the_driver_reads():
    """The driver matches the compatible and asks for the properties, and so does the machine"""
    compatible = f'"{schema["properties"]["compatible"]["const"]}"'
    assert f".compatible = {compatible}" in DRIVER.read_text()
    assert '"cpu", 0)' in DRIVER.read_text()
    assert "devm_clk_bulk_get_all(" in DRIVER.read_text()
    assert "devm_pm_runtime_enable(" in DRIVER.read_text()
    assert compatible in DEVICE.read_text()
    assert '"arm,pmu-snapshots")' in DRIVER.read_text()
    assert '"arm,pmu-snapshots"' in DEVICE.read_text()


def main():
    tests = (has_the_form, takes_the_example, is_what_the_driver_reads)
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - binding: {test.__name__.replace('_', ' ')}")
        except AssertionError as error:
            failed += 1
            print(f"not ok {number} - binding: {test.__name__.replace('_', ' ')}")
            print("# " + str(error).replace("\n", "\n# "))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample doctor: tell what works on this machine, what does not, and which command helps.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <arch-model/pmpcsr-regs.h>

#include "base/json.h"
#include "capture/doctor.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"

static const char *const grades[] = {
	[FINDING_OK] = "ok",
	[FINDING_NOTE] = "note",
	[FINDING_BAD] = "bad",
	[FINDING_SKIPPED] = "-",
};

static const char *const json_grades[] = {
	[FINDING_OK] = "ok",
	[FINDING_NOTE] = "note",
	[FINDING_BAD] = "bad",
	[FINDING_SKIPPED] = "skipped",
};

struct doctor_options {
	bool json, sample;
};

static const struct argp_option option_table[] = {
	{ "sample", 's', NULL, 0, "take samples, to find registers that are frozen", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 }
};

static const struct plain_option plain[] = {
	SETS('s', struct doctor_options, sample),
	SETS('j', struct doctor_options, json),
	NO_ARGUMENTS(""),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return plain_option(plain, key, arg, state);
}

const struct argp doctor_argp = {
	.options = option_table,
	.parser = parse,
	.doc = "Tell what will work on this machine, what will not, and what to do about it. Looks"
	       " at what the kernel and the device tree say; no hardware register is read without"
	       " --sample."
	       "\vExit status: 0 if arm_pcsample can be sampled by this user, else 2.",
};

static const char *verdict(const struct doctor *d)
{
	if (doctor_can_sample(d))
		return "pcsample record will sample the PC-sample registers here";
	return "pcsample record cannot sample the PC-sample registers here; -e cpu-clock samples by"
	       " interrupt";
}

static const char *kind(const struct candidate *c)
{
	return c->pmu ? "external PMU block" : "external debug block";
}

static void print_candidates(struct out *o, const struct doctor *d)
{
	const struct candidate *c;

	for (c = d->candidate; c < d->candidate + d->nr_candidates; c++) {
		out_spaces(o, 6);
		out_left(o, "", 12);
		out_text(o, "CPU ");
		out_u64(o, c->cpu, 0);
		out_text(o, ": ");
		out_text(o, kind(c));
		out_text(o, " at ");
		out_hex(o, c->address, 8);
		out_text(o, ", according to ");
		out_clean(o, c->evidence, strlen(c->evidence));
		out_char(o, '\n');
	}
}

static bool is_auth_disabled(const struct doctor *d, const struct block *b)
{
	return doctor_has(d, b) && cpus_has(&d->disabled, b->cpu);
}

static const u32 *authstatus(const struct doctor *d, const struct block *b)
{
	return doctor_has(d, b) ? doctor_authstatus(d, b->cpu) : NULL;
}

static void json_address(struct json *j, const char *key, u64 address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(j, key, text);
}

static void json_other_states(struct json *j, const u32 *status)
{
	if (!status)
		return;
	json_address(j, "authstatus", *status);
	json_string(j, "secure_noninvasive_debug", authstatus_of(*status, PMAUTHSTATUS_SNID));
	json_string(j, "realm_noninvasive_debug", authstatus_of(*status, PMAUTHSTATUS_RLNID));
	json_string(j, "root_noninvasive_debug", authstatus_of(*status, PMAUTHSTATUS_RTNID));
}

static const char *state(const struct doctor *d, const struct block *b)
{
	if (b->disabled)
		return ", disabled";
	if (is_auth_disabled(d, b))
		return ", non-invasive debug is disabled";
	return doctor_has(d, b) ? ", non-invasive debug is enabled" : "";
}

static void print_block(struct out *o, const struct doctor *d, const struct block *b)
{
	const u32 *status = authstatus(d, b);
	char text[AUTHSTATUS_TEXT_MAX];

	out_spaces(o, 6);
	out_left(o, "", 12);
	if (b->cpu >= 0) {
		out_text(o, "CPU ");
		out_u64(o, b->cpu, 0);
	} else {
		out_text(o, "no CPU");
	}
	out_text(o, ": ");
	out_text(o, block_kind(b));
	if (b->has_address) {
		out_text(o, " at ");
		out_hex(o, b->address, 8);
	}
	out_text(o, ", ");
	out_clean(o, b->name, strlen(b->name));
	if (b->registers) {
		out_text(o, ", ");
		out_text(o, b->registers);
	}
	if (b->driver) {
		out_text(o, doctor_has(d, b) ? ", used by " : ", held by ");
		out_text(o, b->driver);
	}
	out_text(o, state(d, b));
	if (status) {
		authstatus_tell(*status, text);
		out_text(o, text);
	}
	out_char(o, '\n');
}

static void print_blocks(struct out *o, const struct doctor *d)
{
	const struct block *b;

	for (b = d->block; b < d->block + d->nr_blocks; b++)
		print_block(o, d, b);
}

static void print_text(struct out *o, const struct doctor *d)
{
	const struct finding *f;

	for (f = d->finding; f < d->finding + d->nr; f++) {
		out_left(o, grades[f->grade], 6);
		out_left(o, f->check, 12);
		out_clean(o, f->text, strlen(f->text));
		out_char(o, '\n');
		if (!strcmp(f->check, "candidates"))
			print_candidates(o, d);
		if (!strcmp(f->check, "blocks"))
			print_blocks(o, d);
		if (!f->fix[0])
			continue;
		out_spaces(o, 6);
		out_left(o, "  do:", 12);
		out_clean(o, f->fix, strlen(f->fix));
		out_char(o, '\n');
	}
	out_text(o, "\n");
	out_text(o, verdict(d));
	out_text(o, ".\n");
}

static void json_block(struct json *j, const struct doctor *d, const struct block *b)
{
	json_object(j, NULL);
	if (b->cpu >= 0)
		json_u64(j, "cpu", b->cpu);
	json_string(j, "block", block_kind(b));
	json_string(j, "name", b->name);
	if (b->has_address)
		json_address(j, "address", b->address);
	if (b->registers)
		json_string(j, "registers", b->registers);
	json_bool(j, "disabled", b->disabled);
	if (b->driver)
		json_string(j, "driver", b->driver);
	json_bool(j, "usable", doctor_has(d, b));
	if (doctor_has(d, b))
		json_string(j, "noninvasive_debug",
			    is_auth_disabled(d, b) ? "disabled" : "enabled");
	json_other_states(j, authstatus(d, b));
	json_object_end(j);
}

static void print_json(struct out *o, const struct doctor *d)
{
	const struct candidate *c;
	const struct finding *f;
	const struct block *b;
	const struct rom *rom;
	struct json j;

	json_begin(&j, o, "pcsample-doctor", 1);
	json_bool(&j, "can_sample", doctor_can_sample(d));
	json_string(&j, "machine", d->machine);
	json_string(&j, "kernel", d->release);
	json_array(&j, "checks");
	for (f = d->finding; f < d->finding + d->nr; f++) {
		json_object(&j, NULL);
		json_string(&j, "check", f->check);
		json_string(&j, "grade", json_grades[f->grade]);
		json_string(&j, "text", f->text);
		if (f->fix[0])
			json_string(&j, "fix", f->fix);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "blocks");
	for (b = d->block; b < d->block + d->nr_blocks; b++)
		json_block(&j, d, b);
	json_array_end(&j);
	json_array(&j, "rom_tables");
	for (rom = d->rom; rom < d->rom + d->nr_roms; rom++) {
		json_object(&j, NULL);
		json_string(&j, "cpus", rom->cpus);
		json_address(&j, "mdrar", rom->mdrar);
		json_bool(&j, "valid", rom_is_valid(rom));
		if (rom_is_valid(rom))
			json_address(&j, "address", rom->mdrar & MDRAR_ROMADDR);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "candidates");
	for (c = d->candidate; c < d->candidate + d->nr_candidates; c++) {
		json_object(&j, NULL);
		json_u64(&j, "cpu", c->cpu);
		json_string(&j, "block", kind(c));
		json_address(&j, "address", c->address);
		json_string(&j, "evidence", c->evidence);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_end(&j);
}

int cmd_doctor(int argc, char **argv)
{
	static struct doctor d = { .root = "" };
	static struct out o;
	struct doctor_options options = { 0 };
	struct utsname uts;

	argp_parse(&doctor_argp, argc, argv, 0, NULL, &options);
	uname(&uts);
	d.machine = uts.machine;
	d.release = uts.release;
	d.sample = options.sample;
	doctor_examine(&d);
	out_init(&o, STDOUT_FILENO);
	if (options.json)
		print_json(&o, &d);
	else
		print_text(&o, &d);
	if (output_end(&o, "pcsample doctor"))
		return EXIT_FAILED;
	return doctor_can_sample(&d) ? EXIT_OK : EXIT_NOTHING;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfdata/tracing.h"
#include "profile/tracepoints.h"

#if HAVE_TRACEEVENT
#include <traceevent/event-parse.h>

/*
 * The library reads at offsets that formats and samples give, and both come from the recording. So
 * a sample's data is copied into a buffer that has zeros behind it for as far as offset and length
 * of a field of variable size, 16 bits each, can reach. Formats that lead further are not used:
 * takes_fields(), is_harmless().
 */
#define DATA_FRONT	64
#define DATA_MAX	65536
#define DATA_SIZE	(DATA_FRONT + 4 * DATA_MAX)

/* The name of the key that is the whole text of a sample */
#define ALL_FIELDS "trace"

struct tracepoints {
	struct session *s;
	struct tep_handle *tep;
	struct tracing_head head;
	struct trace_seq seq;
	struct tep_event **format;	/* by event of the recording; NULL for none */
	u8 *data;			/* DATA_SIZE; a sample's data is at DATA_FRONT */
	size_t used;			/* size of the sample's data; behind it are zeros */
	struct resolver resolver;
	struct resolved at;		/* for function_at(): the sample that is printed */

	struct tep_event_filter *filter;

	const char *key[TRACEPOINT_KEYS_MAX];
	unsigned int nr_keys;
	struct intern tuples;		/* the values of the keys in samples: add_part() */
	char **value;			/* by id and key */
	size_t values_cap;
	char *tuple;
	size_t tuple_size, tuple_cap;
};

/* Formats */

static bool takes_fields(const struct tep_format_field *f)
{
	for (; f; f = f->next)
		if (f->offset < 0 || f->size < 0 || f->offset > DATA_MAX ||
		    f->size > DATA_MAX - f->offset)
			return false;
	return true;
}

static int add_format(void *ctx, const char *system, const char *text, size_t size)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct tracepoints *t = ctx;
	char *copy;

	/* The head is complete when the first format comes */
	tep_set_file_bigendian(t->tep, t->head.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, t->head.long_size == 4 ? 4 : 8);
	/* If the library cannot read it, the event has no format */
	if (system) {
		tep_parse_event(t->tep, text, size, system);
		return 0;
	}
	copy = strndup(text, size);
	if (!copy)
		return -ENOMEM;
	tep_parse_printk_formats(t->tep, copy);
	free(copy);
	return 0;
}

static struct tep_event *find_format(const struct tracepoints *t, const struct recorded_event *e)
{
	struct tep_event *f = tracepoints_is(e) ? tep_find_event(t->tep, e->attr.config) : NULL;

	return f && takes_fields(f->format.common_fields) && takes_fields(f->format.fields) ?
	       f : NULL;
}

/* "%ps": the function of the kernel that is at an address */
static char *function_at(void *ctx, unsigned long long *addr, char **module)
{
	struct tracepoints *t = ctx;
	const struct range *r = resolve_address(&t->resolver, &t->at, PERF_RECORD_MISC_KERNEL,
						*addr);
	const struct symtab *st = &session_load_dso(t->s, r->dso)->symtab;
	u32 sym = symtab_find(st, *addr + r->shift);

	*module = NULL;
	if (sym == SYM_NONE)
		return NULL;
	*addr = st->syms[sym].start - r->shift;
	return (char *)symtab_name(st, sym);
}

/* A sample */

static struct tep_event *format_of(const struct tracepoints *t, const struct recorded_event *e)
{
	return t->format[e - session_event(t->s, 0)];
}

static u8 *sample_data(const struct tracepoints *t)
{
	return t->data + DATA_FRONT;
}

static bool has_all(const struct tep_format_field *f, u32 size)
{
	for (; f; f = f->next)
		if (f->offset + f->size > size)
			return false;
	return true;
}

/* Make @record of a sample. Return: its format; NULL if it has none */
static struct tep_event *take_sample(struct tracepoints *t, const struct tracepoint_sample *x,
				     struct tep_record *record)
{
	struct tep_event *f = format_of(t, x->e);
	const u8 *raw;
	u32 size;

	raw = f ? sample_raw(&x->e->layout, x->rec, &size) : NULL;
	if (!raw || !has_all(f->format.common_fields, size) || !has_all(f->format.fields, size))
		return NULL;
	if (t->used > size)
		memset(sample_data(t) + size, 0, t->used - size);
	memcpy(sample_data(t), raw, size);
	t->used = size;
	*record = (struct tep_record){
		.ts = x->time, .cpu = x->cpu, .size = size, .data = sample_data(t),
	};
	/* The library chooses the format by the id in the data, which must be the event's */
	return tep_find_event_by_record(t->tep, record) == f ? f : NULL;
}

/* Print formats: how far do they read? */

#define UNKNOWN UINT64_MAX

/* An upper bound of a number of a print format in this sample */
static u64 most(const struct tracepoints *t, struct tep_event *f, const struct tep_print_arg *arg)
{
	const struct tep_format_field *field;
	unsigned long long value;
	u64 left, right;

	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return strtoull(arg->atom.atom, NULL, 0);
	case TEP_PRINT_TYPE:
		return most(t, f, arg->typecast.item);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return DATA_MAX;
	case TEP_PRINT_FIELD:
		field = tep_find_any_field(f, arg->field.name);
		if (field && !tep_read_number_field((struct tep_format_field *)field,
						    sample_data(t), &value))
			return value;
		return UNKNOWN;
	case TEP_PRINT_OP:
		if (!arg->op.left || !arg->op.right)
			return UNKNOWN;
		left = most(t, f, arg->op.left);
		right = most(t, f, arg->op.right);
		if (!strcmp(arg->op.op, "/"))
			return left;
		if (!strcmp(arg->op.op, "*") && left <= DATA_MAX && right <= DATA_MAX)
			return left * right;
		return UNKNOWN;
	default:
		return UNKNOWN;
	}
}

static bool is_harmless(const struct tracepoints *t, struct tep_event *f,
			const struct tep_print_arg *arg);

static bool op_is_harmless(const struct tracepoints *t, struct tep_event *f,
			   const struct tep_print_arg_op *op)
{
	if (op->right && !strcmp(op->op, "[") && most(t, f, op->right) > DATA_MAX / 8)
		return false;
	return is_harmless(t, f, op->left) && is_harmless(t, f, op->right);
}

/* Does printing read no more than DATA_MAX bytes from the place of a field on? */
static bool is_harmless(const struct tracepoints *t, struct tep_event *f,
			const struct tep_print_arg *arg)
{
	if (!arg)
		return true;
	switch (arg->type) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return most(t, f, arg->hex.size) <= DATA_MAX && is_harmless(t, f, arg->hex.field);
	case TEP_PRINT_INT_ARRAY:
		return most(t, f, arg->int_array.count) <= DATA_MAX / 8 &&
		       most(t, f, arg->int_array.el_size) <= 8 &&
		       is_harmless(t, f, arg->int_array.field);
	case TEP_PRINT_OP:
		return op_is_harmless(t, f, &arg->op);
	case TEP_PRINT_TYPE:
		return is_harmless(t, f, arg->typecast.item);
	case TEP_PRINT_FLAGS:
		return is_harmless(t, f, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return is_harmless(t, f, arg->symbol.field);
	default:
		return true;
	}
}

/* "%64ph" prints so many bytes, "%*ph" as many as an argument says */
static bool prints_bytes(const char *format)
{
	const char *p, *at = format;

	while ((at = strstr(at + 1, "ph"))) {
		for (p = at; p > format && (isdigit(p[-1]) || p[-1] == '*'); p--)
			;
		if (p > format && p[-1] == '%' && (*p == '*' || strtoul(p, NULL, 10) > 64))
			return true;
	}
	return false;
}

static bool format_is_harmless(const struct tracepoints *t, struct tep_event *f)
{
	const struct tep_print_arg *arg;

	if (!f->print_fmt.format || !f->print_fmt.format[0])
		return true;
	if (prints_bytes(f->print_fmt.format))
		return false;
	for (arg = f->print_fmt.args; arg; arg = arg->next)
		if (!is_harmless(t, f, arg))
			return false;
	return true;
}

static const char *end_text(struct tracepoints *t)
{
	trace_seq_terminate(&t->seq);
	return t->seq.state == TRACE_SEQ__GOOD ? t->seq.buffer : NULL;
}

static const char *print(struct tracepoints *t, struct tep_event *f, struct tep_record *record,
			 u64 time)
{
	t->at.time = time;
	trace_seq_reset(&t->seq);
	if (format_is_harmless(t, f))
		tep_print_event(t->tep, &t->seq, record, "%s", TEP_PRINT_INFO);
	else
		tep_record_print_fields(&t->seq, record, f);
	return end_text(t);
}

/* Opening */

/* Print a sample of zeros */
static void try_print(struct tracepoints *t, struct tep_event *f)
{
	const struct tep_format_field *type = tep_find_common_field(f, "common_type");
	struct tep_record record = { .size = DATA_MAX, .data = sample_data(t) };
	u16 id = t->head.big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ?
		 f->id : __builtin_bswap16(f->id);

	if (!type || type->size != sizeof(id))
		return;
	memset(sample_data(t), 0, DATA_MAX);
	memcpy(sample_data(t) + type->offset, &id, sizeof(id));
	print(t, f, &record, 0);
}

/* Input of the library that is of foreign origin */
struct attempt {
	struct tracepoints *t;
	struct perfdata_span formats;
	const char *expression;
};

static int read_formats(const struct attempt *a)
{
	struct tracepoints *t = a->t;
	int ret = tracing_read(a->formats, &t->head, add_format, t);
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < session_events(t->s); i++)
		t->format[i] = find_format(t, session_event(t->s, i));
	return 0;
}

static int try_formats(const struct attempt *a)
{
	int ret = read_formats(a);
	size_t i;

	for (i = 0; !ret && i < session_events(a->t->s); i++)
		if (a->t->format[i])
			try_print(a->t, a->t->format[i]);
	return ret;
}

/*
 * The library's parsers follow bad pointers (1.7.1: behind an operator without its right side). So
 * a child does first what this process is about to do.
 *
 * Return: 0; -EINVAL if the child was ended by a signal or failed; another errno if there was none.
 */
static int in_child(int (*fn)(const struct attempt *a), const struct attempt *a)
{
	const struct rlimit seconds = { 10, 10 }, none = { 0, 0 };
	pid_t child = fork();
	int status;

	if (!child) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
		setrlimit(RLIMIT_CPU, &seconds);
		setrlimit(RLIMIT_CORE, &none);
		_exit(fn(a) == -ENOMEM);
	}
	while (child < 0 || waitpid(child, &status, 0) < 0)
		if (child < 0 || errno != EINTR)
			return -errno;
	return status ? -EINVAL : 0;
}

static int make(struct tracepoints *t, struct perfdata_span s, struct error *err)
{
	const struct attempt a = { .t = t, .formats = s };
	int ret;

	tep_set_loglevel(TEP_LOG_NONE);
	t->tep = tep_alloc();
	t->format = calloc(session_events(t->s), sizeof(*t->format));
	t->data = calloc(1, DATA_SIZE);
	trace_seq_init(&t->seq);
	if (!t->tep || !t->format || !t->data || t->seq.state != TRACE_SEQ__GOOD)
		return error_set(err, -ENOMEM, "out of memory");
	resolver_init(&t->resolver, t->s);
	tep_set_function_resolver(t->tep, function_at, t);
	ret = in_child(try_formats, &a);
	if (!ret)
		ret = read_formats(&a);
	if (ret)
		return error_set(err, ret, "fields of tracepoints: their formats in %s: %s",
				 session_path(t->s),
				 ret == -EINVAL ? "damaged" : strerror(-ret));
	return 0;
}

int tracepoints_open(struct tracepoints **ret_t, struct session *s, struct error *err)
{
	struct perfdata_span formats = s->pd->feature[PERFDATA_TRACING_DATA];
	struct tracepoints *t;
	int ret;

	if (!formats.size)
		return error_set(err, -ENOENT, "fields of tracepoints: %s has no formats of them",
				 session_path(s));
	t = calloc(1, sizeof(*t));
	if (!t)
		return error_set(err, -ENOMEM, "out of memory");
	t->s = s;
	ret = make(t, formats, err);
	if (ret)
		tracepoints_close(t);
	else
		*ret_t = t;
	return ret;
}

void tracepoints_close(struct tracepoints *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->values_cap; i++)
		free(t->value[i]);
	free(t->value);
	free(t->tuple);
	intern_deinit(&t->tuples);
	if (t->filter)
		tep_filter_free(t->filter);
	trace_seq_destroy(&t->seq);
	tep_free(t->tep);
	free(t->format);
	free(t->data);
	free(t);
}

/* The text */

const char *tracepoints_text(struct tracepoints *t, const struct tracepoint_sample *x)
{
	struct tep_record record;
	struct tep_event *f = take_sample(t, x, &record);

	return f ? print(t, f, &record, x->time) : NULL;
}

/* Its fields */

/* Bytes of a field of the sample in t->data; never outside of it */
static const u8 *field_bytes(const struct tracepoints *t, const struct tep_format_field *field,
			     size_t *size)
{
	const u8 *p = sample_data(t) + field->offset;
	u32 place;

	*size = field->size;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		place = tep_read_number(t->tep, p, field->size);
		p = field->flags & TEP_FIELD_IS_RELATIVE ? p + field->size : sample_data(t);
		p += place & 0xffff;
		*size = place >> 16;
	}
	if (field->flags & TEP_FIELD_IS_STRING)
		*size = strnlen((const char *)p, *size);
	return p;
}

static const char *field_text(struct tracepoints *t, struct tep_format_field *field)
{
	const u8 *p;
	size_t size, i;

	trace_seq_reset(&t->seq);
	if (field->flags & TEP_FIELD_IS_STRING) {
		p = field_bytes(t, field, &size);
		for (i = 0; i < size; i++)
			trace_seq_putc(&t->seq, p[i]);
	} else {
		tep_print_field_content(&t->seq, sample_data(t), t->used, field);
	}
	return end_text(t);
}

static const struct tep_format_field *nth_field(const struct tracepoints *t,
						const struct recorded_event *e, unsigned int i)
{
	const struct tep_event *f = format_of(t, e);
	const struct tep_format_field *field = f ? f->format.fields : NULL;

	while (field && i--)
		field = field->next;
	return field;
}

const char *tracepoints_field_name(const struct tracepoints *t, const struct recorded_event *e,
				   unsigned int i)
{
	const struct tep_format_field *field = nth_field(t, e, i);

	return field ? field->name : NULL;
}

static bool is_number(const char *text)
{
	size_t digits;

	text += *text == '-';
	digits = strspn(text, "0123456789");
	return digits && !text[digits] && (*text != '0' || digits == 1);
}

const char *tracepoints_field_text(struct tracepoints *t, const struct tracepoint_sample *x,
				   unsigned int i, bool *number)
{
	struct tep_format_field *field;
	struct tep_record record;
	const char *text = NULL;

	if (take_sample(t, x, &record)) {
		field = (struct tep_format_field *)nth_field(t, x->e, i);
		text = field ? field_text(t, field) : NULL;
		*number = text && !(field->flags & TEP_FIELD_IS_STRING) && is_number(text);
	}
	return text;
}

/* Telling samples apart */

bool tracepoints_has_field(const struct tracepoints *t, const char *name)
{
	size_t i;

	for (i = 0; i < session_events(t->s); i++)
		if (t->format[i] && (!strcmp(name, ALL_FIELDS) ||
				     tep_find_any_field(t->format[i], name)))
			return true;
	return false;
}

void tracepoints_tell_apart(struct tracepoints *t, const char *name)
{
	if (t->nr_keys < TRACEPOINT_KEYS_MAX)
		t->key[t->nr_keys++] = name;
}

/* A tuple is a text: the event and the value of each key, with two letters for each byte */
static int add_part(struct tracepoints *t, const void *p, size_t size)
{
	const u8 *byte = p;
	char *to;

	if (mem_grow(&t->tuple, &t->tuple_cap, t->tuple_size + 2 * size + 1))
		return -ENOMEM;
	to = t->tuple + t->tuple_size;
	t->tuple_size += 2 * size + 1;
	while (size--) {
		*to++ = 'a' + (*byte >> 4);
		*to++ = 'a' + (*byte++ & 0xf);
	}
	*to = ' ';
	return 0;
}

static int add_key(struct tracepoints *t, const struct tracepoint_sample *x, struct tep_event *f,
		   struct tep_record *record, const char *name)
{
	const struct tep_format_field *field = f ? tep_find_any_field(f, name) : NULL;
	const char *text;
	const u8 *p;
	size_t size;

	if (field) {
		p = field_bytes(t, field, &size);
		return add_part(t, p, size);
	}
	text = f && !strcmp(name, ALL_FIELDS) ? print(t, f, record, x->time) : NULL;
	return text ? add_part(t, text, strlen(text)) : add_part(t, "", 0);
}

/*
 * As in perf: what follows "NAME=" in the sample's text, up to a space; if there is none, the
 * field's number. But strings are taken whole.
 */
static char *make_value(struct tracepoints *t, const struct tracepoint_sample *x,
			struct tep_event *f, struct tep_record *record, const char *name)
{
	struct tep_format_field *field = f ? tep_find_any_field(f, name) : NULL;
	size_t len = strlen(name);
	const char *text, *at;

	if (!f || (!field && strcmp(name, ALL_FIELDS)))
		return strdup("N/A");
	if (field && field->flags & TEP_FIELD_IS_STRING) {
		text = field_text(t, field);
		return text ? strdup(text) : NULL;
	}
	text = print(t, f, record, x->time);
	if (!text || !field)
		return text ? strdup(text) : NULL;
	for (at = text; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (!strncmp(at, name, len) && at[len] == '=')
			return strndup(at + len + 1, strcspn(at + len + 1, " "));
	}
	text = field_text(t, field);
	return text ? strdup(text) : NULL;
}

static int add_values(struct tracepoints *t, const struct tracepoint_sample *x,
		      struct tep_event *f, struct tep_record *record, u32 id)
{
	size_t had = t->values_cap;
	unsigned int k;

	if (mem_grow(&t->value, &t->values_cap, (size_t)(id + 1) * t->nr_keys))
		return -ENOMEM;
	memset(t->value + had, 0, (t->values_cap - had) * sizeof(*t->value));
	for (k = 0; k < t->nr_keys; k++) {
		t->value[(size_t)id * t->nr_keys + k] = make_value(t, x, f, record, t->key[k]);
		if (!t->value[(size_t)id * t->nr_keys + k])
			return -ENOMEM;
	}
	return 0;
}

int tracepoints_key(struct tracepoints *t, const struct tracepoint_sample *x, u32 *id)
{
	u32 event = x->e - session_event(t->s, 0);
	size_t known = t->tuples.nr;
	struct tep_record record;
	struct tep_event *f = take_sample(t, x, &record);
	unsigned int k;
	int ret;

	t->tuple_size = 0;
	ret = add_part(t, &event, sizeof(event));
	for (k = 0; !ret && k < t->nr_keys; k++)
		ret = add_key(t, x, f, &record, t->key[k]);
	if (!ret)
		ret = intern_add(&t->tuples, t->tuple, t->tuple_size);
	if (ret < 0)
		return ret;
	*id = ret;
	return t->tuples.nr == known ? 0 : add_values(t, x, f, &record, *id);
}

const char *tracepoints_value(const struct tracepoints *t, u32 id, unsigned int key)
{
	return t->value[(size_t)id * t->nr_keys + key];
}

/* Filters */

/*
 * Find a left operand that is not the name of a field: the library accepts it, and then no
 * comparison with it is true
 */
static const char *unknown_field(const struct tracepoints *t, const char *p, size_t *len)
{
	static const char two[][3] = { "&&", "||" };
	const char *end;
	char name[64];

	for (; *p; p = end) {
		end = p + 1;
		if (*p == '"' || *p == '\'') {
			end += strcspn(end, *p == '"' ? "\"" : "'");
			end += !!*end;
		}
		if (!isalpha(*p) && *p != '_')
			continue;
		for (end = p; isalnum(*end) || *end == '_'; end++)
			;
		*len = end - p;
		end += strspn(end, " \t");
		if (!*end || !strchr("=!<>~&|+-*/^%", *end) || !strncmp(end, two[0], 2) ||
		    !strncmp(end, two[1], 2))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)*len, p);
		if (strcmp(name, "COMM") && strcmp(name, "CPU") &&
		    !tracepoints_has_field(t, name))
			return p;
	}
	return NULL;
}

/* For the library (1.7.1) a comparison with a negative number is always true */
static bool has_negative_number(const char *p)
{
	const char *before = p;

	for (; *p; p++) {
		if (*p == '-' && isdigit(p[1]) && strchr("=<>&", *before))
			return true;
		if (*p == '"')
			p += strcspn(p + 1, "\"");
		else if (*p != ' ')
			before = p;
	}
	return false;
}

/* Return: 0, -ENOMEM, or an error number of the library */
static int add_filter(const struct attempt *a)
{
	struct tracepoints *t = a->t;
	char *text;
	int ret = 0;
	size_t i;

	for (i = 0; i < session_events(t->s) && !ret; i++) {
		if (!t->format[i])
			continue;
		if (asprintf(&text, "%s/%s:%s", t->format[i]->system, t->format[i]->name,
			     a->expression) < 0)
			return -ENOMEM;
		ret = tep_filter_add_filter_str(t->filter, text);
		free(text);
	}
	return ret;
}

int tracepoints_filter(struct tracepoints *t, const char *expression, struct error *err)
{
	const struct attempt a = { .t = t, .expression = expression };
	const char *name;
	size_t len;

	/* The kernel's operator for patterns, which means something else to the library */
	name = strchr(expression, '~');
	if (name && (name == expression || (name[-1] != '=' && name[-1] != '!')))
		return error_set(err, -EINVAL, "--filter '%s': instead of ~, write FIELD =~ "
				 "\"REGEX\", with a regular expression", expression);
	if (has_negative_number(expression))
		return error_set(err, -EINVAL, "--filter '%s': libtraceevent cannot compare with "
				 "negative numbers", expression);
	name = unknown_field(t, expression, &len);
	if (name)
		return error_set(err, -EINVAL, "--filter: no tracepoint of %s has a field '%.*s'",
				 session_path(t->s), (int)len, name);
	t->filter = tep_filter_alloc(t->tep);
	if (!t->filter)
		return error_set(err, -ENOMEM, "out of memory");
	if (!in_child(add_filter, &a) && !add_filter(&a))
		return 0;
	return error_set(err, -EINVAL, "--filter '%s': expected FIELD == VALUE, with ==, !=, <, "
			 "<=, >, >=, & or =~ and a regular expression; &&, || and () join several",
			 expression);
}

bool tracepoints_pass(struct tracepoints *t, const struct tracepoint_sample *x)
{
	struct tep_record record;

	if (!t->filter)
		return true;
	return take_sample(t, x, &record) &&
	       tep_filter_match(t->filter, &record) == TEP_ERRNO__FILTER_MATCH;
}

#else

int tracepoints_open(struct tracepoints **ret, struct session *s, struct error *err)
{
	return error_set(err, -EOPNOTSUPP, "fields of tracepoints: built without libtraceevent; "
			 "perf script shows them");
}

void tracepoints_close(struct tracepoints *t)
{
}

const char *tracepoints_text(struct tracepoints *t, const struct tracepoint_sample *x)
{
	return NULL;
}

bool tracepoints_has_field(const struct tracepoints *t, const char *name)
{
	return false;
}

const char *tracepoints_field_name(const struct tracepoints *t, const struct recorded_event *e,
				   unsigned int i)
{
	return NULL;
}

const char *tracepoints_field_text(struct tracepoints *t, const struct tracepoint_sample *x,
				   unsigned int i, bool *number)
{
	return NULL;
}

void tracepoints_tell_apart(struct tracepoints *t, const char *name)
{
}

int tracepoints_key(struct tracepoints *t, const struct tracepoint_sample *x, u32 *id)
{
	return 0;
}

const char *tracepoints_value(const struct tracepoints *t, u32 id, unsigned int key)
{
	return "";
}

int tracepoints_filter(struct tracepoints *t, const char *expression, struct error *err)
{
	return 0;
}

bool tracepoints_pass(struct tracepoints *t, const struct tracepoint_sample *x)
{
	return true;
}
#endif

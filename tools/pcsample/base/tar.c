// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/array.h"
#include "base/atomic-file.h"
#include "base/tar.h"
#include "base/temporary.h"

/* The format */

#define BLOCK		512
#define SIZE_MAX_TAR	(8ULL << 30)	/* eleven octal digits */
#define BUFFER		(256U << 10)

/* IEEE Std 1003.1, pax, ustar Interchange Format: numbers are octal text */
struct tar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char chksum[8];
	char typeflag;
	char linkname[100];
	char magic[6];
	char version[2];
	char uname[32];
	char gname[32];
	char devmajor[8];
	char devminor[8];
	char prefix[155];
	char pad[12];
};

_Static_assert(sizeof(struct tar_header) == BLOCK, "a header is one block");

/* Sum of the header's bytes, with spaces for the sum itself */
static unsigned int checksum(const struct tar_header *h)
{
	const u8 *p = (const u8 *)h;
	unsigned int sum = 0;
	size_t i;

	for (i = 0; i < sizeof(*h); i++)
		sum += i - offsetof(struct tar_header, chksum) < sizeof(h->chksum) ? ' ' : p[i];
	return sum;
}

/* Does a name stay below the directory? */
static bool name_is_safe(const char *name)
{
	const char *p = name;
	size_t n;

	if (!*name || *name == '/')
		return false;
	for (; *p; p += n + !!p[n]) {
		n = strcspn(p, "/");
		if (!n || (n == 1 && p[0] == '.') || (n == 2 && !memcmp(p, "..", 2)))
			return false;
	}
	return true;
}

/* Writing */

struct tar_writer {
	struct output_file file;
	const char *path;		/* for messages */
	bool open;
	u64 written;
	bool compress;
#if HAVE_ZSTD
	struct ZSTD_CCtx_s *zstd;
#endif
	u8 out[BUFFER];
};

static int put(struct tar_writer *w, const void *data, size_t size, struct error *err)
{
	size_t n = write_all(w->file.fd, data, size);

	w->written += n;
	return n == size ? 0 : error_set(err, -errno, "%s: %s", w->path, strerror(errno));
}

#if HAVE_ZSTD
static int compress(struct tar_writer *w, const void *data, size_t size, ZSTD_EndDirective mode,
		    struct error *err)
{
	ZSTD_inBuffer in = { data, size, 0 };
	ZSTD_outBuffer out;
	size_t left;
	int ret;

	do {
		out = (ZSTD_outBuffer){ w->out, sizeof(w->out), 0 };
		left = ZSTD_compressStream2(w->zstd, &out, &in, mode);
		if (ZSTD_isError(left))
			return error_set(err, -EIO, "%s: %s", w->path, ZSTD_getErrorName(left));
		ret = put(w, w->out, out.pos, err);
	} while (!ret && (mode == ZSTD_e_end ? left : in.pos < in.size));
	return ret;
}
#endif

static int feed(struct tar_writer *w, const void *data, size_t size, struct error *err)
{
#if HAVE_ZSTD
	if (w->compress)
		return compress(w, data, size, ZSTD_e_continue, err);
#endif
	return put(w, data, size, err);
}

static int start_compression(struct tar_writer *w, struct error *err)
{
#if HAVE_ZSTD
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		return error_set(err, -ENOMEM, "out of memory");
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
#else
	return error_set(err, -EOPNOTSUPP,
			 "pcsample was built without zstd: name the archive .tar instead");
#endif
}

int tar_create(struct tar_writer **ret, const char *path, bool compressed, struct error *err)
{
	struct tar_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return error_set(err, -ENOMEM, "out of memory");
	w->path = strcmp(path, "-") ? path : "standard output";
	w->compress = compressed;
	rc = compressed ? start_compression(w, err) : 0;
	if (!rc)
		rc = output_file_open(&w->file, path, true, err);
	w->open = !rc;
	if (rc) {
		tar_destroy(w);
		return rc;
	}
	*ret = w;
	return 0;
}

/* A name of more than 100 bytes is split at a slash */
static int set_name(struct tar_header *h, const char *name)
{
	size_t len = strlen(name), cut;

	if (len <= sizeof(h->name)) {
		memcpy(h->name, name, len);
		return 0;
	}
	for (cut = min(len, sizeof(h->prefix)); cut && name[cut] != '/'; cut--)
		;
	if (!cut || len - cut - 1 > sizeof(h->name))
		return -ENAMETOOLONG;
	memcpy(h->prefix, name, cut);
	memcpy(h->name, name + cut + 1, len - cut - 1);
	return 0;
}

static int add_header(struct tar_writer *w, const char *name, u64 size, struct error *err)
{
	struct tar_header h = { .typeflag = '0', .version = "00" };

	/* tar_unpack() would refuse it. A recording may contain such names. */
	if (!name_is_safe(name))
		return error_set(err, -EINVAL, "%s: would lead out of the archive", name);
	if (set_name(&h, name))
		return error_set(err, -ENAMETOOLONG, "%s: too long a name for an archive", name);
	if (size >= SIZE_MAX_TAR)
		return error_set(err, -EFBIG, "%s: more than 8 GiB", name);
	snprintf(h.mode, sizeof(h.mode), "%07o", 0644);
	snprintf(h.uid, sizeof(h.uid), "%07o", 0);
	snprintf(h.gid, sizeof(h.gid), "%07o", 0);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)size);
	snprintf(h.mtime, sizeof(h.mtime), "%011o", 0);
	memcpy(h.magic, "ustar", 6);
	memcpy(h.version, "00", 2);
	snprintf(h.chksum, sizeof(h.chksum), "%06o", checksum(&h));
	h.chksum[7] = ' ';
	return feed(w, &h, sizeof(h), err);
}

static int add_padding(struct tar_writer *w, u64 size, struct error *err)
{
	static const u8 zeros[BLOCK];

	return size % BLOCK ? feed(w, zeros, BLOCK - size % BLOCK, err) : 0;
}

int tar_add(struct tar_writer *w, const char *name, const void *data, u64 size, struct error *err)
{
	int ret = add_header(w, name, size, err);

	if (!ret && size)
		ret = feed(w, data, size, err);
	return ret ? ret : add_padding(w, size, err);
}

int tar_add_fd(struct tar_writer *w, const char *name, int fd, struct error *err)
{
	u8 *buf = malloc(BUFFER);
	struct stat st;
	off_t at = 0;
	ssize_t n;
	int ret;

	if (!buf)
		return error_set(err, -ENOMEM, "out of memory");
	ret = fstat(fd, &st) ? error_set(err, -errno, "%s: %s", name, strerror(errno)) :
			       add_header(w, name, st.st_size, err);
	while (!ret && at < st.st_size) {
		n = pread(fd, buf, min((off_t)BUFFER, st.st_size - at), at);
		if (n <= 0)
			ret = error_set(err, n ? -errno : -EIO, "%s: %s", name,
					n ? strerror(errno) : "became shorter meanwhile");
		else
			ret = feed(w, buf, n, err);
		at += n;
	}
	free(buf);
	return ret ? ret : add_padding(w, st.st_size, err);
}

int tar_finish(struct tar_writer *w, u64 *bytes, struct error *err)
{
	static const u8 end[2 * BLOCK];
	int ret = feed(w, end, sizeof(end), err);

#if HAVE_ZSTD
	if (!ret && w->compress)
		ret = compress(w, NULL, 0, ZSTD_e_end, err);
#endif
	*bytes = w->written;
	w->open = false;
	return output_file_close(&w->file, ret, err);
}

void tar_destroy(struct tar_writer *w)
{
	if (!w)
		return;
	if (w->open)
		output_file_close(&w->file, -ECANCELED, NULL);
#if HAVE_ZSTD
	ZSTD_freeCCtx(w->zstd);
#endif
	free(w);
}

/* Reading */

/*
 * Where the archive's bytes come from: @in has bytes of the file that are not used yet; if the
 * archive is compressed, @out has decompressed bytes.
 */
struct source {
	const char *path;
	int fd;
	bool compressed, end;
	u8 *in, *out;
	size_t in_at, in_size, out_at, out_size;
#if HAVE_ZSTD
	struct ZSTD_DCtx_s *zstd;
	size_t hint;
#endif
};

/* Return: more bytes, 0 at the end, or a negative errno */
static ssize_t fill(struct source *s, struct error *err)
{
	ssize_t n;

	do {
		n = read(s->fd, s->in, BUFFER);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(err, -errno, "%s: %s", s->path, strerror(errno));
	s->in_at = 0;
	s->in_size = n;
	return n;
}

#if HAVE_ZSTD
static ssize_t decompress(struct source *s, struct error *err)
{
	ZSTD_outBuffer out = { s->out, BUFFER, 0 };
	ZSTD_inBuffer in;
	ssize_t n = 1;

	while (!out.pos) {
		if (s->in_at == s->in_size)
			n = fill(s, err);
		if (n < 0)
			return n;
		if (!n && s->hint)
			return error_set(err, -EINVAL, "%s: ends too early", s->path);
		if (!n)
			break;
		in = (ZSTD_inBuffer){ s->in, s->in_size, s->in_at };
		s->hint = ZSTD_decompressStream(s->zstd, &out, &in);
		if (ZSTD_isError(s->hint))
			return error_set(err, -EINVAL, "%s: damaged: %s", s->path,
					 ZSTD_getErrorName(s->hint));
		s->in_at = in.pos;
	}
	s->out_at = 0;
	s->out_size = out.pos;
	return out.pos;
}
#else
static ssize_t decompress(struct source *s, struct error *err)
{
	return -EOPNOTSUPP;	/* open_source() has said why */
}
#endif

/* Some bytes of the archive, at most @most. Return: how many, 0 at the end */
static ssize_t get(struct source *s, const u8 **p, size_t most, struct error *err)
{
	size_t *at = s->compressed ? &s->out_at : &s->in_at;
	size_t *size = s->compressed ? &s->out_size : &s->in_size;
	const u8 *buf = s->compressed ? s->out : s->in;
	ssize_t n = 1;

	if (*at == *size)
		n = s->compressed ? decompress(s, err) : fill(s, err);
	if (n <= 0)
		return n;
	n = min(most, *size - *at);
	*p = buf + *at;
	*at += n;
	return n;
}

/* Return: 1, 0 at the end, or a negative errno */
static int get_block(struct source *s, void *block, struct error *err)
{
	size_t have = 0;
	const u8 *p;
	ssize_t n;

	while (have < BLOCK) {
		n = get(s, &p, BLOCK - have, err);
		if (n < 0)
			return n;
		if (!n)
			return have ? error_set(err, -EINVAL, "%s: ends too early", s->path) : 0;
		memcpy((u8 *)block + have, p, n);
		have += n;
	}
	return 1;
}

static int open_source(struct source *s, const char *path, struct error *err)
{
	static const u8 zstd_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	bool input = !strcmp(path, "-");
	ssize_t n;

	memset(s, 0, sizeof(*s));
	s->path = input ? "standard input" : path;
	s->fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	s->in = malloc(BUFFER);
	s->out = malloc(BUFFER);
	if (!s->in || !s->out)
		return error_set(err, -ENOMEM, "out of memory");
	n = fill(s, err);
	if (n < 0)
		return n;
	s->compressed = n >= 4 && !memcmp(s->in, zstd_magic, 4);
	if (!s->compressed)
		return 0;
#if HAVE_ZSTD
	s->zstd = ZSTD_createDCtx();
	s->hint = 1;
	return s->zstd ? 0 : error_set(err, -ENOMEM, "out of memory");
#else
	return error_set(err, -EOPNOTSUPP, "%s: pcsample was built without zstd", path);
#endif
}

static void close_source(struct source *s)
{
#if HAVE_ZSTD
	ZSTD_freeDCtx(s->zstd);
#endif
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	free(s->in);
	free(s->out);
}

/* Stop at the first character that is no digit; the field need not end in NUL */
static int parse_octal(const char *field, size_t size, u64 *value)
{
	size_t i = 0;

	*value = 0;
	while (i < size && field[i] == ' ')
		i++;
	if (i == size || field[i] < '0' || field[i] > '7')
		return -EINVAL;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*value = *value << 3 | (field[i] - '0');
	return i == size || !field[i] || field[i] == ' ' ? 0 : -EINVAL;
}

/* Open the directory that @name is in, making those that are missing. No link is followed. */
static int open_parent(int dir, char *name, const char **last)
{
	int at = dup(dir), next = at;
	char *slash;

	for (; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
		*slash = '\0';
		if (mkdirat(at, name, 0755) && errno != EEXIST)
			next = -1;
		else
			next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	*last = name;
	return at < 0 ? -errno : at;
}

static int copy_out(struct source *s, int fd, const char *name, u64 size, struct error *err)
{
	u64 left = ALIGN_UP(size, BLOCK);
	const u8 *p;
	ssize_t n;

	for (; left; left -= n) {
		n = get(s, &p, min(left, (u64)BUFFER), err);
		if (n < 0)
			return n;
		if (!n)
			return error_set(err, -EINVAL, "%s: ends in %s", s->path, name);
		if (write_all(fd, p, min((u64)n, size)) < min((u64)n, size))
			return error_set(err, -errno, "%s: %s: %s", s->path, name,
					 strerror(errno));
		size -= min((u64)n, size);
	}
	return 0;
}

static int unpack_file(struct source *s, int dir, const char *name, u64 size, struct error *err)
{
	char path[sizeof(((struct tar_header *)0)->prefix) + 128];
	const char *last;
	int parent, fd, ret;

	snprintf(path, sizeof(path), "%s", name);
	parent = open_parent(dir, path, &last);
	if (parent < 0)
		return error_set(err, parent, "%s: %s: %s", s->path, name, strerror(-parent));
	fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	ret = fd < 0 ? error_set(err, -errno, "%s: %s: %s", s->path, name, strerror(errno)) :
		       copy_out(s, fd, name, size, err);
	close(parent);
	if (fd >= 0 && close(fd) && !ret)
		ret = error_set(err, -errno, "%s: %s: %s", s->path, name, strerror(errno));
	return ret;
}

static int unpack_entry(struct source *s, const struct tar_header *h, int dir, struct error *err)
{
	char name[sizeof(h->prefix) + sizeof(h->name) + 2];
	u64 sum, size;

	if (memcmp(h->magic, "ustar", 5) || parse_octal(h->chksum, sizeof(h->chksum), &sum) ||
	    sum != checksum(h) || parse_octal(h->size, sizeof(h->size), &size))
		return error_set(err, -EINVAL, "%s: not an archive of pcsample, or damaged",
				 s->path);
	snprintf(name, sizeof(name), "%.*s%s%.*s", (int)sizeof(h->prefix), h->prefix,
		 h->prefix[0] ? "/" : "", (int)sizeof(h->name), h->name);
	if (h->typeflag == '5')
		return 0;		/* directories are made for the files in them */
	if ((h->typeflag != '0' && h->typeflag) || !name_is_safe(name))
		return error_set(err, -EINVAL, "%s: refusing to unpack '%s': expected a regular "
				 "file below the archive's root", s->path, name);
	return unpack_file(s, dir, name, size, err);
}

int tar_unpack(const char *path, int dir, struct error *err)
{
	static const struct tar_header empty;
	struct tar_header h;
	struct source s;
	int ret, more;

	ret = open_source(&s, path, err);
	while (!ret) {
		more = get_block(&s, &h, err);
		if (more > 0 && !memcmp(&h, &empty, sizeof(h)))
			break;
		if (more > 0)
			ret = unpack_entry(&s, &h, dir, err);
		else
			ret = more ? more : error_set(err, -EINVAL, "%s: ends too early", path);
	}
	close_source(&s);
	return ret;
}

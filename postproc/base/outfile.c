// SPDX-License-Identifier: BSD-3-Clause
/* Atomic output files: each is written under a temporary name and then renamed. */
#include "base/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Gives the file the usual permissions: mkstemp() creates files that only their owner can read. */
static void apply_umask(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask))
		return; /* the file system has no permissions: leave the mode as it is */
}

static int open_temporary(struct memphis_outfile *file)
{
	int fd;

	if (asprintf(&file->temporary, "%s.XXXXXX", file->target) < 0) {
		file->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkstemp(file->temporary);
	if (fd < 0)
		return -errno;
	apply_umask(fd);
	file->stream = fdopen(fd, "w");
	if (file->stream)
		return 0;
	close(fd);
	unlink(file->temporary);
	return -ENOMEM;
}

int memphis_outfile_open(struct memphis_outfile *file, const char *path, struct memphis_error *error)
{
	struct stat status = {0};
	int rc;

	memset(file, 0, sizeof(*file));
	file->path = path;
	file->target = realpath(path, NULL);
	if (!file->target)
		file->target = strdup(path);
	if (!file->target)
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (!*path) {
		rc = -ENOENT;
	} else if (stat(file->target, &status) || S_ISREG(status.st_mode)) {
		rc = open_temporary(file);
	} else {
		file->stream = fopen(file->target, "w");
		rc = file->stream ? 0 : -errno;
	}
	if (!rc)
		return 0;
	memphis_fail(error, rc, "%s: cannot write: %s", path, strerror(-rc));
	free(file->temporary);
	free(file->target);
	return rc;
}

int memphis_outfile_check(const char *path, struct memphis_error *error)
{
	struct memphis_outfile file;
	struct stat status;
	int rc;

	if (!stat(path, &status) && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))) {
		rc = access(path, W_OK) ? -errno : 0;
		return rc ? memphis_fail(error, rc, "%s: cannot write: %s", path, strerror(-rc)) : 0;
	}
	rc = memphis_outfile_open(&file, path, error);
	if (rc)
		return rc;
	memphis_outfile_close(&file, -ECANCELED, error);
	return 0;
}

int memphis_outfile_failed(const struct memphis_outfile *file, struct memphis_error *error)
{
	int rc = errno ? -errno : -EIO;

	return memphis_fail(error, rc, "%s: cannot write: %s", file->path, strerror(-rc));
}

int memphis_outfile_close(struct memphis_outfile *file, int rc, struct memphis_error *error)
{
	errno = 0;
	if (!rc && (fflush(file->stream) || ferror(file->stream)))
		rc = memphis_outfile_failed(file, error);
	/*
	 * Write the data to disk before renaming: after a system crash, the new name must not refer to an
	 * incomplete file.
	 */
	if (!rc && file->temporary && fsync(fileno(file->stream)))
		rc = memphis_outfile_failed(file, error);
	if (fclose(file->stream) && !rc)
		rc = memphis_outfile_failed(file, error);
	if (!rc && file->temporary && rename(file->temporary, file->target))
		rc = memphis_outfile_failed(file, error);
	if (rc && file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
	return rc;
}

int memphis_outfile_write(const char *path, struct memphis_text *text, struct memphis_error *error)
{
	struct memphis_outfile file;
	int rc = text->failed ? memphis_fail(error, -ENOMEM, "out of memory") : 0;

	if (!rc)
		rc = memphis_outfile_open(&file, path, error);
	if (!rc) {
		errno = 0;
		if (text->bytes && fwrite(text->text, 1, text->bytes, file.stream) != text->bytes)
			rc = memphis_outfile_failed(&file, error);
		rc = memphis_outfile_close(&file, rc, error);
	}
	memphis_text_close(text);
	return rc;
}

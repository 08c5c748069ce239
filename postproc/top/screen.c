// SPDX-License-Identifier: BSD-3-Clause
/*
 * Shows text on the alternate screen of a terminal. The control sequences are those of xterm, which all
 * terminals in use understand: 1049 is the alternate screen, 25 the cursor, K and J erase to the end of the
 * line and of the screen. To avoid flicker, each frame is written over the previous one, in a single call.
 */
#include "top/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/layout.h"

#define ENTER "\033[?1049h\033[?25l\033[H\033[J"
#define LEAVE "\033[?25h\033[?1049l"

static struct termios before, keys_only;
static volatile sig_atomic_t is_open, has_keys, resized;

/* Signal handlers also call the following functions. */
static void write_now(const char *text)
{
	ssize_t written = write(STDOUT_FILENO, text, strlen(text));

	(void)written;
}

static void enter_screen(void)
{
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &keys_only);
	write_now(ENTER);
	is_open = 1;
}

static void leave_screen(void)
{
	if (!is_open)
		return;
	is_open = 0;
	write_now(LEAVE);
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* Restores the terminal, and then ends the process with the same signal. */
static void on_end(int number)
{
	leave_screen();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_stop(int number)
{
	const int error = errno;

	(void)number;
	leave_screen();
	raise(SIGSTOP);
	enter_screen();
	resized = 1;
	errno = error;
}

static void on_resize(int number)
{
	(void)number;
	resized = 1;
}

static const struct {
	int number;
	void (*handler)(int number);
} handled[] = {
	{SIGINT, on_end},  {SIGTERM, on_end},  {SIGHUP, on_end},
	{SIGQUIT, on_end}, {SIGTSTP, on_stop}, {SIGWINCH, on_resize},
};

/*
 * Installs the handlers. Signals that are ignored stay ignored, because the shell may have started this
 * process so, as nohup does.
 */
static void handle_signals(void)
{
	struct sigaction action = {0}, old;
	size_t i;

	for (i = 0; i < sizeof(handled) / sizeof(*handled); i++) {
		action.sa_handler = handled[i].handler;
		if (!sigaction(handled[i].number, NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(handled[i].number, &action, NULL);
	}
}

int memphis_screen_open(void)
{
	has_keys = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &before);
	if (has_keys) {
		keys_only = before;
		keys_only.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		keys_only.c_cc[VMIN] = 1;
		keys_only.c_cc[VTIME] = 0;
	}
	handle_signals();
	enter_screen();
	return 0;
}

void memphis_screen_close(void)
{
	leave_screen();
}

void memphis_screen_size(size_t *width, size_t *height)
{
	struct winsize size;

	*width = 80;
	*height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return;
	*width = size.ws_col;
	*height = size.ws_row;
}

static int write_all(const char *text, size_t bytes)
{
	ssize_t written;

	while (bytes) {
		written = write(STDOUT_FILENO, text, bytes);
		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			text += written;
			bytes -= (size_t)written;
		}
	}
	return 0;
}

/* Returns how many bytes of the line fit in the width. */
static size_t fitting_bytes(const char *line, size_t bytes, size_t width)
{
	if (memphis_layout_columns(line, bytes) <= width)
		return bytes;
	while (bytes &&
	       (memphis_layout_columns(line, bytes) > width || ((unsigned char)line[bytes] & 0xc0) == 0x80))
		bytes--;
	return bytes;
}

static void put_line(struct memphis_text *frame, const char *line, size_t bytes, size_t width)
{
	memphis_text_add(frame, line, fitting_bytes(line, bytes, width));
	/* End any style, because the line may have been cut before the end of its style. */
	memphis_text_put(frame, "\033[0m\033[K");
}

int memphis_screen_show(const struct memphis_text *lines, const char *keys)
{
	struct memphis_span rest = {lines->text, lines->bytes}, line;
	struct memphis_text frame = {0};
	size_t width, height, row = 1;
	int rc;

	memphis_screen_size(&width, &height);
	memphis_text_put(&frame, "\033[H");
	for (; row < height && memphis_next_line(&rest, &line); row++) {
		put_line(&frame, line.text, line.bytes, width);
		memphis_text_put(&frame, "\r\n");
	}
	memphis_text_print(&frame, "\033[J\033[%zuH", height);
	put_line(&frame, keys, strlen(keys), width);
	rc = frame.failed ? -ENOMEM : write_all(frame.text, frame.bytes);
	memphis_text_close(&frame);
	return rc;
}

static int remaining_ms(double until_s)
{
	const double left = until_s - memphis_clock_s();

	return left <= 0 ? 0 : left > 3600 ? 3600000 : (int)(left * 1000) + 1;
}

int memphis_screen_wait(double until_s, int other)
{
	struct pollfd inputs[] = {{.fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN},
				  {.fd = other, .events = POLLIN}};
	unsigned char key;
	int ms;

	while ((ms = remaining_ms(until_s))) {
		if (resized) {
			resized = 0;
			return MEMPHIS_SCREEN_RESIZED;
		}
		if (poll(inputs, sizeof(inputs) / sizeof(*inputs), ms) <= 0)
			continue;
		if (!inputs[0].revents)
			return MEMPHIS_SCREEN_READY;
		if (read(STDIN_FILENO, &key, 1) < 1)
			return MEMPHIS_SCREEN_HUNG_UP;
		return key;
	}
	return MEMPHIS_SCREEN_TIME;
}

# SPDX-License-Identifier: BSD-3-Clause
"""Calipers and names of arrays for Memphis, which samples memory accesses inside calipers.

    import memphis

    memphis.name(temperature, 'temperature')        # a numpy array, or any object with the buffer protocol
    with memphis.caliper('timestep'):
        step()

    @memphis.caliper('advect')
    def advect(): ...

    run = memphis.read('run1')                      # what memphis record wrote, as pandas data frames
    run.by_variable, run.by_line, run.by_region, run.by_thread, run.by_node, run.samples

memphis(3) describes the calls. They return 0 or a negative errno value. If sampling is not possible, they raise no
exception: without the library, the program runs as usual, status() returns what is missing, and one line on stderr
reports it at the first caliper. The module uses the library that the process has already loaded (memphis record,
LD_PRELOAD), else $MEMPHIS_LIB, else libmemphis.so.0 where the loader finds it, where this module is installed, or
beside the tool memphis in PATH.

Calipers belong to threads, so a coroutine must not wait inside a caliper. A caliper of begin() that an exception leaves stays
open; caliper() closes its own. Python allocates arrays through the C library.
Names that should end with their arrays require starting Python under `memphis record` or with
LD_PRELOAD=libmemphis.so.0.
"""
import contextlib
import ctypes
import errno
import os
import shutil
import sys

__all__ = ['begin', 'end', 'caliper', 'pause', 'resume', 'is_sampling', 'name', 'pool', 'configure', 'flush', 'status', 'version', 'read']

_LIBRARY = 'libmemphis.so.0'
_ERROR = -errno.ENODEV


class _Missing:
    """Stand-in for a library that could not be loaded. Its functions do nothing; the reason is printed once."""

    def __init__(self, reason):
        self.reason = f'not sampling: {reason}'
        self.told = os.environ.get('MEMPHIS_DISABLE') == '1'

    def memphis_script_begin(self, name):
        if not self.told:
            self.told = True
            print(f'memphis: {self.reason}', file=sys.stderr)
        return _ERROR

    def memphis_script_end(self, name):
        return _ERROR

    def memphis_name(self, start, size, name):
        return _ERROR

    def memphis_pool_create(self, name):
        return None

    def memphis_pool_alloc(self, pool, start, size, name):
        return start

    def memphis_pool_free(self, pool, start):
        return _ERROR

    def memphis_pool_reset(self, pool):
        return _ERROR

    def memphis_pool_destroy(self, pool):
        return _ERROR

    def memphis_pause(self):
        return _ERROR

    def memphis_resume(self):
        return _ERROR

    def memphis_is_sampling(self):
        return _ERROR

    def memphis_configure(self, key, value):
        return _ERROR

    def memphis_flush(self):
        return _ERROR

    def memphis_status(self, text, size):
        text.value = self.reason.encode()[:size - 1]
        return len(text.value)

    def memphis_version(self):
        return b''


def _places():
    """Yields the paths from which to try to load the library, in order. None: the process has already loaded it."""
    here = os.path.dirname(os.path.realpath(__file__))
    yield None
    if os.environ.get('MEMPHIS_LIB'):
        yield os.environ['MEMPHIS_LIB']
        return
    yield _LIBRARY
    # Relative to this file in PREFIX/share/memphis/python, and in the source tree; a wheel can be anywhere, and the tool is in PREFIX/bin.
    roots = [os.path.join(here, '../../..'), os.path.join(here, '../..')]
    tool = shutil.which('memphis')
    if tool:
        roots.append(os.path.join(os.path.dirname(os.path.realpath(tool)), '..'))
    for root in roots:
        for directory in ('lib', 'lib64', 'lib/x86_64-linux-gnu', 'build/lib'):
            path = os.path.join(root, directory, _LIBRARY)
            if os.path.exists(path):
                yield os.path.normpath(path)


def _load():
    reason = ''
    for place in _places():
        try:
            # PyDLL keeps the interpreter lock: a caliper takes nanoseconds, and no other thread should run in between.
            quick = ctypes.PyDLL(place)
            library = ctypes.CDLL(place)
            quick.memphis_script_begin.argtypes = quick.memphis_script_end.argtypes = [ctypes.c_char_p]
            library.memphis_script_begin = quick.memphis_script_begin
            library.memphis_script_end = quick.memphis_script_end
            library.memphis_name.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
            library.memphis_pool_create.argtypes = [ctypes.c_char_p]
            library.memphis_pool_create.restype = library.memphis_pool_alloc.restype = ctypes.c_void_p
            library.memphis_pool_alloc.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
            library.memphis_pool_free.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
            library.memphis_pool_reset.argtypes = library.memphis_pool_destroy.argtypes = [ctypes.c_void_p]
            library.memphis_configure.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
            library.memphis_status.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
            library.memphis_version.restype = ctypes.c_char_p
            return library
        except (OSError, AttributeError) as error:
            reason = str(error)
    return _Missing(f'{reason}; install the library, or name it with MEMPHIS_LIB=FILE')


_library = _load()


class _Buffer(ctypes.Structure):
    """Py_buffer, as described in the C API's documentation (Buffer Protocol)."""
    _fields_ = [('buf', ctypes.c_void_p), ('obj', ctypes.c_void_p), ('len', ctypes.c_ssize_t),
                ('itemsize', ctypes.c_ssize_t), ('readonly', ctypes.c_int), ('ndim', ctypes.c_int),
                ('format', ctypes.c_char_p), ('shape', ctypes.POINTER(ctypes.c_ssize_t)),
                ('strides', ctypes.POINTER(ctypes.c_ssize_t)), ('suboffsets', ctypes.POINTER(ctypes.c_ssize_t)),
                ('internal', ctypes.c_void_p)]


_PYBUF_STRIDES = 0x18  # with shape; may be read-only


def _extent(buffer):
    """Returns the lowest address and the number of bytes up to the highest one, for any strides."""
    low = high = 0
    if not buffer.strides:
        return buffer.buf, buffer.len
    for axis in range(buffer.ndim):
        if buffer.shape[axis] == 0:
            return buffer.buf, 0
        reach = (buffer.shape[axis] - 1) * buffer.strides[axis]
        low, high = low + min(reach, 0), high + max(reach, 0)
    return (buffer.buf or 0) + low, high - low + buffer.itemsize


def begin(name):
    """Open the caliper `name`."""
    return _library.memphis_script_begin(name.encode())


def end(name):
    """Close the caliper `name`, or the innermost one if the calling thread has several of this name open."""
    return _library.memphis_script_end(name.encode())


class caliper(contextlib.ContextDecorator):
    """A caliper around a block (with) or a function (@)."""

    def __init__(self, name):
        self.name = name.encode()

    def __enter__(self):
        _library.memphis_script_begin(self.name)
        return self

    def __exit__(self, *exception):
        _library.memphis_script_end(self.name)
        return False


def _memory(array):
    """Returns the address and size of the memory of `array`."""
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(array), ctypes.byref(buffer), _PYBUF_STRIDES)
    try:
        return _extent(buffer)
    finally:
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))


def name(array, text):
    """Name the memory of `array` until it is freed or named again. `None` as text removes the name.

    Raises TypeError if `array` has no memory."""
    start, size = _memory(array)
    return _library.memphis_name(start, size, None if text is None else text.encode())


class pool:
    """A pool: arrays that are parts of one larger block, such as views of one large array, and are handed out again and again.

    Reports show `text`, unless it is empty, in place of the kind of memory."""

    def __init__(self, text=''):
        self._pool = _library.memphis_pool_create(text.encode())

    def alloc(self, array, text=''):
        """Report that the memory of `array` now is a part of the pool, and return `array`."""
        start, size = _memory(array)
        _library.memphis_pool_alloc(self._pool, start, size, text.encode())
        return array

    def free(self, array):
        """Report the release of the part that begins where `array` begins."""
        return _library.memphis_pool_free(self._pool, _memory(array)[0])

    def reset(self):
        """Report the release of all parts."""
        return _library.memphis_pool_reset(self._pool)

    def destroy(self):
        """The same, and release the pool."""
        handle, self._pool = self._pool, None
        return _library.memphis_pool_destroy(handle)


def configure(key, value):
    """Change a setting, for example configure('period', 65536). To be called before the first caliper."""
    return _library.memphis_configure(key.encode(), str(value).encode())


def pause():
    """Switch sampling off for all threads."""
    return _library.memphis_pause()


def resume():
    """Switch sampling on again if a caliper is open."""
    return _library.memphis_resume()


def is_sampling():
    """Return 1 if samples are being taken, 0 if not, and a negative errno value if sampling is not possible."""
    return _library.memphis_is_sampling()


def flush():
    """Write all data captured so far to the files."""
    return _library.memphis_flush()


def status():
    """Return one line that states what the library is doing, or why it is not sampling."""
    text = ctypes.create_string_buffer(4096)
    _library.memphis_status(text, len(text))
    return text.value.decode(errors='replace')


def version():
    """Return the version of the loaded library, or '' if it could not be loaded."""
    return _library.memphis_version().decode()


def read(*runs, **how):
    """Read runs as pandas data frames; memphis_runs.read() describes arguments and result."""
    # Programs that only mark regions need neither pandas nor SQLite.
    import memphis_runs

    return memphis_runs.read(*runs, **how)

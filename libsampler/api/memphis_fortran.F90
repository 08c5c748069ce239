! SPDX-License-Identifier: BSD-3-Clause
! Fortran interface of libmemphis: the calls of memphis.h with plain Fortran strings and arrays.
!
!   use memphis
!   call memphis_begin('TimeLoop')
!   ...
!   call memphis_end('TimeLoop')
!
! memphis.h describes the calls. Trailing blanks of names are ignored. All calls except memphis_status and memphis_version have
! an optional last argument `status`, which is set to 0 or to a negative errno value.

! If the dummy argument has any type, gfortran passes a hidden length for a character array, which the callee mistakes for the
! length of `name`. The calling convention of C avoids this, since it has no hidden lengths, but before version 12, gfortran did
! not support strings of assumed length in it. flang (until version 19 at least) can pass an array of assumed rank to C, but can't
! compile a procedure that has one.
#if (defined(__GFORTRAN__) && __GNUC__ >= 12) || defined(__flang__)
#define BY_DESCRIPTOR
#endif

module memphis
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_null_ptr, c_ptr, c_size_t
  implicit none
  private
  public :: memphis_begin, memphis_end, memphis_pause, memphis_resume, memphis_is_sampling
  public :: memphis_pool_create, memphis_pool_alloc, memphis_pool_free, memphis_pool_reset, memphis_pool_destroy
  public :: memphis_name, memphis_configure, memphis_flush, memphis_status, memphis_version

  integer, parameter :: enomem = -12

  ! Version of the module: a copy of the numbers in memphis/version.h, which other compilers might not find. To get the version
  ! of the library at run time, call memphis_version().
  integer, parameter, public :: memphis_version_major = 0, memphis_version_minor = 1

  ! A pool, which hands out parts of a larger block: see memphis_pool_create() in memphis.h.
  type, bind(c), public :: memphis_pool
    private
    type(c_ptr) :: handle = c_null_ptr
  end type memphis_pool

  interface
    function c_begin(name, length) bind(c, name='memphis_fortran_begin') result(err)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int) :: err
    end function c_begin

    function c_end(name, length) bind(c, name='memphis_fortran_end') result(err)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int) :: err
    end function c_end

#ifdef BY_DESCRIPTOR
    ! Name the memory of `array`, which may have any type and any rank.
    subroutine memphis_name(array, name, status) bind(c, name='memphis_fortran_name_described')
      import :: c_char, c_int
      type(*), intent(in) :: array(..)
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(out), optional :: status
    end subroutine memphis_name

    ! Report that `array`, of any type and any rank, is a part of the pool, which has this name until it is released.
    subroutine memphis_pool_alloc(pool, array, name, status) bind(c, name='memphis_fortran_pool_alloc_described')
      import :: c_char, c_int, memphis_pool
      type(memphis_pool), intent(in) :: pool
      type(*), intent(in) :: array(..)
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(out), optional :: status
    end subroutine memphis_pool_alloc

    ! Report the release of the part whose lowest address is that of `array`.
    subroutine memphis_pool_free(pool, array, status) bind(c, name='memphis_fortran_pool_free_described')
      import :: c_int, memphis_pool
      type(memphis_pool), intent(in) :: pool
      type(*), intent(in) :: array(..)
      integer(c_int), intent(out), optional :: status
    end subroutine memphis_pool_free
#else
    function c_name(array, name, length) bind(c, name='memphis_fortran_name') result(err)
      import :: c_char, c_int, c_size_t
      type(*), intent(in) :: array(..)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int) :: err
    end function c_name

    function c_pool_alloc(pool, array, name, length) bind(c, name='memphis_fortran_pool_alloc') result(err)
      import :: c_char, c_int, c_size_t, memphis_pool
      type(memphis_pool), intent(in) :: pool
      type(*), intent(in) :: array(..)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int) :: err
    end function c_pool_alloc

    function c_pool_free(pool, array) bind(c, name='memphis_fortran_pool_free') result(err)
      import :: c_int, memphis_pool
      type(memphis_pool), intent(in) :: pool
      type(*), intent(in) :: array(..)
      integer(c_int) :: err
    end function c_pool_free
#endif

    function c_pool_create(name, length) bind(c, name='memphis_fortran_pool_create') result(handle)
      import :: c_char, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(c_ptr) :: handle
    end function c_pool_create

    function c_pool_reset(handle) bind(c, name='memphis_pool_reset') result(err)
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int) :: err
    end function c_pool_reset

    function c_pool_destroy(handle) bind(c, name='memphis_pool_destroy') result(err)
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int) :: err
    end function c_pool_destroy

    function c_configure(key, key_length, value, value_length) bind(c, name='memphis_fortran_configure') result(err)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: key(*), value(*)
      integer(c_size_t), value :: key_length, value_length
      integer(c_int) :: err
    end function c_configure

    subroutine c_status(text, length) bind(c, name='memphis_fortran_status')
      import :: c_char, c_size_t
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: length
    end subroutine c_status

    subroutine c_version(text, length) bind(c, name='memphis_fortran_version')
      import :: c_char, c_size_t
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: length
    end subroutine c_version

    function c_pause() bind(c, name='memphis_pause') result(err)
      import :: c_int
      integer(c_int) :: err
    end function c_pause

    function c_resume() bind(c, name='memphis_resume') result(err)
      import :: c_int
      integer(c_int) :: err
    end function c_resume

    function c_is_sampling() bind(c, name='memphis_is_sampling') result(state)
      import :: c_int
      integer(c_int) :: state
    end function c_is_sampling

    function c_flush() bind(c, name='memphis_flush') result(err)
      import :: c_int
      integer(c_int) :: err
    end function c_flush
  end interface

contains

  subroutine give(err, status)
    integer(c_int), intent(in) :: err
    integer, intent(out), optional :: status

    if (present(status)) status = int(err)
  end subroutine give

  ! Open the caliper `name`.
  subroutine memphis_begin(name, status)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    call give(c_begin(name, len(name, c_size_t)), status)
  end subroutine memphis_begin

  ! Close the caliper `name`, or the innermost one if the thread has several of this name open.
  subroutine memphis_end(name, status)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    call give(c_end(name, len(name, c_size_t)), status)
  end subroutine memphis_end

#ifndef BY_DESCRIPTOR
  ! Name the memory of `array`, which may have any type and any rank.
  subroutine memphis_name(array, name, status)
    type(*), intent(in) :: array(..)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    call give(c_name(array, name, len(name, c_size_t)), status)
  end subroutine memphis_name

  ! Report that `array`, of any type and any rank, is a part of the pool, which has this name until it is released.
  subroutine memphis_pool_alloc(pool, array, name, status)
    type(memphis_pool), intent(in) :: pool
    type(*), intent(in) :: array(..)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    call give(c_pool_alloc(pool, array, name, len(name, c_size_t)), status)
  end subroutine memphis_pool_alloc

  ! Report the release of the part whose lowest address is that of `array`.
  subroutine memphis_pool_free(pool, array, status)
    type(memphis_pool), intent(in) :: pool
    type(*), intent(in) :: array(..)
    integer, intent(out), optional :: status

    call give(c_pool_free(pool, array), status)
  end subroutine memphis_pool_free
#endif

  ! Create a pool. Reports show its name, unless it is blank, in place of the kind of memory.
  subroutine memphis_pool_create(pool, name, status)
    type(memphis_pool), intent(out) :: pool
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    pool%handle = c_pool_create(name, len(name, c_size_t))
    if (present(status)) status = merge(0, enomem, c_associated(pool%handle))
  end subroutine memphis_pool_create

  ! Report that all parts of the pool are released.
  subroutine memphis_pool_reset(pool, status)
    type(memphis_pool), intent(in) :: pool
    integer, intent(out), optional :: status

    call give(c_pool_reset(pool%handle), status)
  end subroutine memphis_pool_reset

  ! The same, and release the pool.
  subroutine memphis_pool_destroy(pool, status)
    type(memphis_pool), intent(inout) :: pool
    integer, intent(out), optional :: status

    call give(c_pool_destroy(pool%handle), status)
    pool%handle = c_null_ptr
  end subroutine memphis_pool_destroy

  ! Switch sampling off for all threads.
  subroutine memphis_pause(status)
    integer, intent(out), optional :: status

    call give(c_pause(), status)
  end subroutine memphis_pause

  ! Switch sampling on again if a caliper is open.
  subroutine memphis_resume(status)
    integer, intent(out), optional :: status

    call give(c_resume(), status)
  end subroutine memphis_resume

  ! Return 1 if samples are being taken, 0 if not, and a negative errno value if sampling is not possible.
  function memphis_is_sampling() result(state)
    integer :: state

    state = int(c_is_sampling())
  end function memphis_is_sampling

  ! Write all data captured so far to the files.
  subroutine memphis_flush(status)
    integer, intent(out), optional :: status

    call give(c_flush(), status)
  end subroutine memphis_flush

  ! Change a setting, for example: call memphis_configure('period', '65536'). To be called before the first caliper.
  subroutine memphis_configure(key, value, status)
    character(len=*), intent(in) :: key, value
    integer, intent(out), optional :: status

    call give(c_configure(key, len(key, c_size_t), value, len(value, c_size_t)), status)
  end subroutine memphis_configure

  ! Return a line that states what the library is doing, or why it is not sampling, truncated or padded with blanks.
  subroutine memphis_status(text)
    character(len=*), intent(out) :: text

    call c_status(text, len(text, c_size_t))
  end subroutine memphis_status

  ! Return the version of the library at run time, truncated or padded with blanks.
  subroutine memphis_version(text)
    character(len=*), intent(out) :: text

    call c_version(text, len(text, c_size_t))
  end subroutine memphis_version

end module memphis

! SPDX-License-Identifier: BSD-3-Clause
! Fortran interface of libmemphis: the calls of memphis.h with plain Fortran strings and arrays.
!
!   use memphis
!   call memphis_begin('TimeLoop')
!   ...
!   call memphis_end('TimeLoop')
!
! What the calls do is told in memphis.h. Trailing blanks of names do not count. Each takes an optional
! last argument `status`: 0, or a negative errno value.
module memphis
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  implicit none
  private
  public :: memphis_begin, memphis_end, memphis_name, memphis_flush

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

    function c_name(array, name, length) bind(c, name='memphis_fortran_name') result(err)
      import :: c_char, c_int, c_size_t
      type(*), intent(in) :: array(..)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int) :: err
    end function c_name

    function c_flush() bind(c, name='memphis_flush') result(err)
      import :: c_int
      integer(c_int) :: err
    end function c_flush
  end interface

contains

  ! Open the caliper `name`.
  subroutine memphis_begin(name, status)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status
    integer(c_int) :: err

    err = c_begin(name, len(name, c_size_t))
    if (present(status)) status = int(err)
  end subroutine memphis_begin

  ! Close the caliper `name`, the innermost open one.
  subroutine memphis_end(name, status)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status
    integer(c_int) :: err

    err = c_end(name, len(name, c_size_t))
    if (present(status)) status = int(err)
  end subroutine memphis_end

  ! Name the memory of `array`: any type, any rank.
  subroutine memphis_name(array, name, status)
    type(*), intent(in) :: array(..)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status
    integer(c_int) :: err

    err = c_name(array, name, len(name, c_size_t))
    if (present(status)) status = int(err)
  end subroutine memphis_name

  ! Write out everything captured so far.
  subroutine memphis_flush(status)
    integer, intent(out), optional :: status
    integer(c_int) :: err

    err = c_flush()
    if (present(status)) status = int(err)
  end subroutine memphis_flush

end module memphis

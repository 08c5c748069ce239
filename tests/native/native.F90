! SPDX-License-Identifier: BSD-3-Clause
! Fortran interface of native.h.
module native
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_size_t
  implicit none
  private
  public :: native_watch, native_cpu

  interface
    subroutine native_cpu(cpu) bind(c)
      import :: c_int
      integer(c_int), value :: cpu
    end subroutine native_cpu
    subroutine watch(start, bytes, name) bind(c, name='native_watch')
      import :: c_char, c_size_t
      type(*), intent(in) :: start(*)
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*)
    end subroutine watch
  end interface

contains

  subroutine native_watch(array, name)
    real(8), intent(in), contiguous :: array(:)
    character(*), intent(in) :: name

    call watch(array, size(array, kind=c_size_t)*8, name//c_null_char)
  end subroutine native_watch
end module native

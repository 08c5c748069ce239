! SPDX-License-Identifier: BSD-3-Clause
! Fortran interface of workload.h.
module workload
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_size_t
  implicit none
  private
  public :: workload_cpu, workload_variable, workload_objects

  interface
    subroutine workload_cpu(cpu) bind(c)
      import :: c_int
      integer(c_int), value :: cpu
    end subroutine workload_cpu
    subroutine print_variable(mark, start, bytes) bind(c, name='workload_variable')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: mark(*)
      type(*), intent(in) :: start(*)
      integer(c_size_t), value :: bytes
    end subroutine print_variable
    subroutine workload_objects() bind(c)
    end subroutine workload_objects
  end interface

contains

  subroutine workload_variable(mark, array)
    character(*), intent(in) :: mark
    real(8), intent(in), contiguous :: array(:)

    call print_variable(mark//c_null_char, array, size(array, kind=c_size_t)*8)
  end subroutine workload_variable
end module workload

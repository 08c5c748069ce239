! SPDX-License-Identifier: BSD-3-Clause
! Local arrays of a main program and of its internal subroutine, which OpenMP puts on the stack; sampled by all threads.
program driver
  use, intrinsic :: iso_c_binding
  use memphis
  implicit none
  interface
    subroutine idle_sample(address) bind(c)
      import :: c_double
      real(c_double), intent(in) :: address
    end subroutine
  end interface
  real(8) :: field(20000)
  integer :: status

  field = 1
  call memphis_begin('all', status)
  if (status /= 0) stop 2
  !$omp parallel
  call idle_sample(field(7))
  !$omp end parallel
  call memphis_end('all', status)
  call solve(field)
contains
  subroutine solve(x)
    real(8), intent(inout) :: x(:)
    real(8) :: work(1000)
    integer :: status
    work = x(1)
    call memphis_begin('solve', status)
    !$omp parallel
    call idle_sample(work(17))
    call idle_sample(x(27))
    !$omp end parallel
    call memphis_end('solve', status)
    x(1) = sum(work)
  end subroutine
end program

! SPDX-License-Identifier: BSD-3-Clause
! OpenMP threadprivate variables, in a module and in a COMMON block, each sampled by every thread.
module ocean
  implicit none
  real(8) :: work(300)
  real(8), allocatable :: own(:)
  !$omp threadprivate(work, own)
end module

program threadprivate
  use, intrinsic :: iso_c_binding
  use memphis
  use ocean
  implicit none
  interface
    subroutine idle_sample(address) bind(c)
      import :: c_double
      real(c_double), intent(in) :: address
    end subroutine
  end interface
  real(8) :: first(40), second(50)
  common /mine/ first, second
  !$omp threadprivate(/mine/)
  integer :: status

  call memphis_begin('all', status)
  if (status /= 0) stop 2
  !$omp parallel
  work = 1
  second = 2
  first = 3
  call idle_sample(work(7))
  call idle_sample(second(3))
  call idle_sample(first(3))
  !$omp end parallel
  call memphis_end('all', status)
end program

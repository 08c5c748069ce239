! SPDX-License-Identifier: BSD-3-Clause
! Arrays that threads fill, in an address space with little room beside them. usage: openmp-fortran
program openmp
  use omp_lib
  implicit none
  real(8), allocatable :: first(:), second(:)
  integer :: i, failed

  allocate (first(9000000))
  !$omp parallel do
  do i = 1, size(first)
     first(i) = mod(i, 10)
  end do
  allocate (second(38000000), stat=failed)
  if (failed /= 0) then
     print '(a)', 'no memory'
     stop 1
  end if
  !$omp parallel do
  do i = 1, size(first)
     second(i) = 2 * first(i)
  end do
  print '(a, i0, a, f0.1)', 'threads ', omp_get_max_threads(), ', sum ', sum(second(1:size(first)))
end program openmp

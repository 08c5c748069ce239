! SPDX-License-Identifier: BSD-3-Clause
! An OpenMP team around calipers, with allocatables with and without an explicit name. Prints the number of threads.
module fields
  implicit none
  real(8), allocatable :: tx(:, :), ty(:, :)
end module fields

program openmp
  use fields
  use memphis
  use omp_lib
  implicit none
  real(8), allocatable :: work(:, :)
  integer :: step, i

  allocate (tx(65536, 8), ty(65536, 8), work(65536, 8))
  tx = 1
  ty = 2
  work = 3 ! not 0: the compiler would turn the zeroing into calloc(), which leaves the first touch to the threads
  call memphis_name(work, 'scratch')
  call memphis_begin('TimeLoop')
  do step = 1, 20
    call memphis_begin('Sweep')
    !$omp parallel do
    do i = 1, 8
      work(:, i) = work(:, i) + tx(:, i)*ty(:, i)
    end do
    call memphis_end('Sweep')
  end do
  call memphis_end('TimeLoop')
  print '(a, i0, a, f0.1)', 'threads ', omp_get_max_threads(), ' sum ', sum(work)
  deallocate (tx, ty, work)
end program openmp

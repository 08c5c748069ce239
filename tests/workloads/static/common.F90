! SPDX-License-Identifier: BSD-3-Clause
! Named and blank COMMON blocks. First touched on node 0, read on node 1.
subroutine initialise()
  use workload
  implicit none
  integer, parameter :: n = 524288
  real(8) :: depth(n), mask(n), winds(n)
  common /grid/ depth, mask
  common winds

  depth = 1
  mask = 2
  winds = 3
  call workload_variable('depth', depth)
  call workload_variable('mask', mask)
  call workload_variable('winds', winds)
end subroutine initialise

subroutine sweep(total)
  implicit none
  integer, parameter :: n = 524288
  real(8), intent(inout) :: total
  real(8) :: depth(n), mask(n), winds(n)
  common /grid/ depth, mask
  common winds
  integer :: i

  do i = 1, n
    total = total + depth(i) ! LINE: depth
    total = total + mask(i) ! LINE: mask
    total = total + winds(i) ! LINE: winds
  end do
end subroutine sweep

program main
  use memphis
  use workload
  implicit none
  integer, parameter :: rounds = 8
  real(8) :: total
  integer :: round

  call workload_cpu(0)
  call initialise()
  call workload_objects()
  call workload_cpu(2)
  total = 0
  call memphis_begin('Reads')
  do round = 1, rounds
    call sweep(total)
  end do
  call memphis_end('Reads')
  print '(a, g0)', 'sum ', total
end program main

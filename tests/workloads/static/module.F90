! SPDX-License-Identifier: BSD-3-Clause
! Variables of a Fortran module: an array and an allocatable. First touched on node 0, read on node 1.
module ocean_state
  implicit none
  integer, parameter :: n = 524288
  real(8) :: salinity(n)
  real(8), allocatable :: speed(:)
end module ocean_state

program main
  use memphis
  use ocean_state
  use workload
  implicit none
  integer, parameter :: per_line = 8, rounds = 48
  real(8) :: total
  integer :: i, round

  call workload_cpu(0)
  allocate (speed(n))
  salinity = 1
  speed = 2
  call workload_variable('salinity', salinity)
  call workload_variable('speed', speed)
  call workload_objects()
  call workload_cpu(2)
  total = 0
  call memphis_begin('Reads')
  do round = 1, rounds
    do i = 1, n, per_line
      total = total + salinity(i) ! LINE: salinity
      total = total + speed(i) ! LINE: speed
    end do
  end do
  call memphis_end('Reads')
  print '(a, g0)', 'sum ', total
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Fortran: calipers around the time-step loop and around a part of the loop, and a name for an array.
program timestep
  use memphis
  implicit none
  integer, parameter :: n = 1000000, steps = 5
  real(8), allocatable :: field(:)
  real(8) :: total
  integer :: step

  allocate (field(n))
  call memphis_name(field, 'temperature')
  field = 1
  total = 0
  call memphis_begin('TimeLoop')
  do step = 1, steps
    call memphis_begin('advect')
    total = total + sum(field(2:) - field(:n - 1))
    call memphis_end('advect')
  end do
  call memphis_end('TimeLoop')
  print '(a, f3.1)', 'sum ', total + field(1)
end program timestep

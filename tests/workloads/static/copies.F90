! SPDX-License-Identifier: BSD-3-Clause
! Copies between members of a COMMON block, which the compiler turns into string instructions: one instruction reads one array
! and writes another. First touched on node 0, copied on node 1.
subroutine initialise()
  use workload
  implicit none
  integer, parameter :: n = 524288
  real(8) :: old(n), new(n), flux(n)
  common /ocean/ old, new, flux

  old = 1
  new = 2
  flux = 3
  call workload_variable('old', old)
  call workload_variable('new', new)
  call workload_variable('flux', flux)
end subroutine initialise

subroutine step()
  implicit none
  integer, parameter :: n = 524288
  real(8) :: old(n), new(n), flux(n)
  common /ocean/ old, new, flux

  new = old ! LINE: copy
  flux = 0 ! LINE: clear
end subroutine step

program main
  use memphis
  use workload
  implicit none
  integer, parameter :: rounds = 32
  integer :: round

  call workload_cpu(0)
  call initialise()
  call workload_objects()
  call workload_cpu(2)
  call memphis_begin('Copies')
  do round = 1, rounds
    call step()
  end do
  call memphis_end('Copies')
end program main

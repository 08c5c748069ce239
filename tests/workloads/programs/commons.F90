! SPDX-License-Identifier: BSD-3-Clause
! A planted defect in Fortran: one thread first touches a COMMON member, a module array and an allocatable; all threads read
! them. usage: commons [ROUNDS]
module ocean_state
  implicit none
  integer, parameter :: n = 1048576
  real(8) :: salinity(n)
  real(8), allocatable :: speed(:)
end module ocean_state

subroutine initialise()
  use ocean_state, only: n, salinity, speed
  implicit none
  real(8) :: depth(n), first(16)
  common /grid/ first, depth

  allocate(speed(n))
  first = 0
  depth = 1
  salinity = 2
  speed = 3
end subroutine initialise

subroutine sweep(rounds, total)
  use ocean_state, only: n, salinity, speed
  implicit none
  integer, intent(in) :: rounds
  real(8), intent(out) :: total
  real(8) :: depth(n), first(16)
  common /grid/ first, depth
  integer :: i, j, round

  total = 0
  do round = 1, rounds
    !$omp parallel do private(j) reduction(+:total) schedule(static)
    do i = 1, n
      j = 1 + int(mod(i*1021_8, int(n, 8)))
      total = total + depth(j)
      total = total + salinity(j)
      total = total + speed(j)
    end do
    !$omp end parallel do
  end do
end subroutine sweep

program commons
  implicit none
  integer :: rounds
  real(8) :: total
  character(16) :: text

  rounds = 2
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) rounds
  end if
  call initialise()
  call sweep(rounds, total)
  print '(a,f20.1)', 'total', total
end program commons

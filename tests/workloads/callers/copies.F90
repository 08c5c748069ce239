! SPDX-License-Identifier: BSD-3-Clause
! Copies two arrays on different lines of one subroutine, which gfortran does with memcpy(). The array of a load's address
! therefore says which line called memcpy().
module fields
  implicit none
  integer, parameter :: n = 131072
  real(8) :: first(n), second(n), copy(n)
end module fields

subroutine step(sum)
  use fields
  implicit none
  real(8), intent(inout) :: sum

  copy = first ! LINE: first
  sum = sum + copy(n / 2)
  copy = second ! LINE: second
  sum = sum + copy(n / 2)
end subroutine step

program main
  use fields
  use memphis
  use workload
  implicit none
  integer :: round
  real(8) :: sum = 0

  call workload_cpu(0)
  first = 1
  second = 2
  call workload_variable('first', first)
  call workload_variable('second', second)
  call workload_cpu(2)
  copy = 0
  call workload_objects()
  call memphis_begin('Copies')
  do round = 1, 24
    call step(sum) ! LINE: call
  end do
  call memphis_end('Copies')
  print '(a, f0.1)', 'sum ', sum
end program main

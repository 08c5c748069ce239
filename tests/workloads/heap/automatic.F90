! SPDX-License-Identifier: BSD-3-Clause
! Automatic arrays, two of them on one line, which the compiler allocates from the heap. First touched on node 0, read on node 1.
subroutine sweep(n, rounds, total)
  use memphis
  use workload
  implicit none
  integer, intent(in) :: n, rounds
  real(8), intent(inout) :: total
  real(8) :: tc(n)
  real(8) :: tx(n), ty(n)
  integer :: i, round

  tc = 1
  tx = 2
  ty = 3
  call workload_variable('tc', tc)
  call workload_variable('tx', tx)
  call workload_variable('ty', ty)
  call workload_objects()
  call workload_cpu(2)
  call memphis_begin('Reads')
  do round = 1, rounds
    do i = 1, n
      total = total + tc(i) ! LINE: tc
      total = total + tx(i) ! LINE: tx
      total = total + ty(i) ! LINE: ty
    end do
  end do
  call memphis_end('Reads')
end subroutine sweep

program main
  use workload
  implicit none
  real(8) :: total

  call workload_cpu(0)
  total = 0
  call sweep(524288, 8, total)
  print '(a, g0)', 'sum ', total
end program main

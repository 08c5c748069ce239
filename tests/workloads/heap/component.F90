! SPDX-License-Identifier: BSD-3-Clause
! Components of a derived type: two allocatables and a pointer. First touched on node 0, read on node 1.
module grids
  implicit none
  integer, parameter :: n = 524288
  type :: grid_type
    real(8), allocatable :: tx(:), ty(:)
    real(8), pointer, contiguous :: area(:)
  end type grid_type
  type(grid_type) :: grid
end module grids

subroutine sweep(total)
  use grids
  implicit none
  real(8), intent(inout) :: total
  integer :: i

  do i = 1, n
    total = total + grid%tx(i) ! LINE: tx
    total = total + grid%ty(i) ! LINE: ty
    total = total + grid%area(i) ! LINE: area
  end do
end subroutine sweep

program main
  use grids
  use memphis
  use workload
  implicit none
  integer, parameter :: rounds = 8
  real(8) :: total
  integer :: round

  call workload_cpu(0)
  allocate (grid%tx(n), grid%ty(n))
  allocate (grid%area(n))
  grid%tx = 1
  grid%ty = 2
  grid%area = 3
  call workload_variable('tx', grid%tx)
  call workload_variable('ty', grid%ty)
  call workload_variable('area', grid%area)
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

! SPDX-License-Identifier: BSD-3-Clause
! An allocatable of a module, a component of a derived type, an automatic array and an array of a COMMON block.
module fields
  implicit none
  integer, parameter :: n = 16384
  type :: grid_type
    real(8), allocatable :: area(:)
  end type grid_type
  real(8), allocatable :: speed(:)
  type(grid_type) :: grid
end module fields

subroutine sweep(m, total)
  use fields
  use native
  implicit none
  integer, intent(in) :: m
  real(8), intent(inout) :: total
  real(8) :: work(m), depth(n)
  common /ocean/ depth
  integer :: i

  depth = 1
  call native_watch(work, 'heap:work')
  call native_watch(depth, 'bss:/ocean/depth')
  call native_watch(speed, 'heap:speed')
  call native_watch(grid%area, 'heap:grid%area')
  do i = 1, m
    work(i) = i ! expect: heap:work
    total = total + speed(i) ! expect: heap:speed
    total = total + grid%area(i) ! expect: heap:grid%area
    total = total + depth(i) ! expect: bss:/ocean/depth
  end do
  total = total + work(m)
end subroutine sweep

program main
  use fields
  implicit none
  real(8) :: total

  allocate (speed(n), grid%area(n))
  speed = 1
  grid%area = 2
  total = 0
  call sweep(n, total)
  if (total < 0) stop 1
end program main

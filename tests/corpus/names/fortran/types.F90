! SPDX-License-Identifier: BSD-3-Clause
! Components of derived types: static, local, allocated, nested, in arrays of types, and pointers.
module grids
  use corpus
  implicit none
  type :: block_type
    real(8), allocatable :: u(:), v(:)
  end type block_type
  type :: grid_type
    type(block_type) :: coarse
    type(block_type), allocatable :: levels(:)
    type(block_type), pointer :: fine => null()
    real(8), pointer :: area(:)
    real(8) :: fixed(n)
  end type grid_type
  type(grid_type) :: grid
  type(grid_type), allocatable :: world
end module grids

program main
  use grids
  implicit none
  integer :: i

  allocate (grid%coarse%u(n))  ! site: grid%coarse%u
  allocate (grid%levels(3))
  do i = 1, 3
    allocate (grid%levels(i)%u(n))  ! site: grid%levels%u
    allocate (grid%levels(i)%v(n))  ! site: grid%levels%v
  end do
  allocate (grid%fine)
  allocate (grid%fine%v(n))  ! site: grid%fine%v
  allocate (grid%area(n))  ! site: grid%area
  allocate (world)
  allocate (world%area(n))  ! site: world%area
  call truth(grid%coarse%u, 'grid%coarse%u;')
  do i = 1, 3
    call truth(grid%levels(i)%u, 'grid%levels%u|grid%levels(*)%u;')
    call truth(grid%levels(i)%v, 'grid%levels%v|grid%levels(*)%v;')
  end do
  call truth(grid%fine%v, 'grid%fine%v;')
  call truth(grid%area, 'grid%area;')
  call truth(world%area, 'world%area;')
  call truth(grid%fixed, 'grids::grid|grids::grid%fixed;')
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Polymorphic objects: components of a parent type, class(...) allocatables, and procedures that are bound by another name.
module solvers
  use corpus
  implicit none
  type :: base
    real(8), allocatable :: x(:)
  contains
    procedure :: setup => base_setup
  end type base
  type, extends(base) :: multigrid
    real(8), allocatable :: coarse(:)
  contains
    procedure :: setup => multigrid_setup
  end type multigrid
contains
  subroutine base_setup(this, m)
    class(base), intent(inout) :: this
    integer, intent(in) :: m

    allocate (this%x(m))  ! site: plain%x, grid%x, chosen%x
    this%x = 0
  end subroutine base_setup

  subroutine multigrid_setup(this, m)
    class(multigrid), intent(inout) :: this
    integer, intent(in) :: m

    call this%base%setup(m)
    allocate (this%coarse(m))  ! site: grid%coarse
    this%coarse = 0
  end subroutine multigrid_setup
end module solvers

program main
  use solvers
  implicit none
  type(base) :: plain
  type(multigrid) :: grid
  class(base), allocatable :: chosen

  allocate (multigrid :: chosen)
  call plain%setup(n)  ! site: plain%x
  call grid%setup(n)  ! site: grid%x, grid%coarse
  call chosen%setup(n)  ! site: chosen%x
  call truth(plain%x, 'plain%x;')
  call truth(grid%x, 'grid%x|grid%base%x;')
  call truth(grid%coarse, 'grid%coarse;')
  call truth(chosen%x, 'chosen%x|chosen%base%x;')
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Components of types in types that subroutines allocate through dummy arguments.
module tree
  use corpus
  implicit none
  type :: leaf
    real(8), allocatable :: u(:)
  end type leaf
  type :: branch
    type(leaf) :: left, right
    type(leaf), allocatable :: leaves(:)
  end type branch
contains
  subroutine grow(self, m)
    type(leaf), intent(inout) :: self
    integer, intent(in) :: m

    allocate (self%u(m))  ! site: one%left%u, one%right%u, one%leaves%u
    self%u = 1
  end subroutine grow

  subroutine grow_all(self, m)
    type(branch), intent(inout) :: self
    integer, intent(in) :: m
    integer :: i

    call grow(self%left, m)  ! site: one%left%u
    call grow(self%right, m)  ! site: one%right%u
    allocate (self%leaves(3))
    do i = 1, 3
      call grow(self%leaves(i), m)  ! site: one%leaves%u
    end do
  end subroutine grow_all
end module tree

subroutine run
  use tree
  implicit none
  type(branch) :: one
  integer :: i

  call grow_all(one, n)  ! site: one%left%u, one%right%u, one%leaves%u
  call truth(one%left%u, 'one%left%u;')
  call truth(one%right%u, 'one%right%u;')
  do i = 1, 3
    call truth(one%leaves(i)%u, 'one%leaves%u|one%leaves(*)%u;')
  end do
end subroutine run

program main
  call run
end program main

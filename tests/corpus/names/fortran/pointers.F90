! SPDX-License-Identifier: BSD-3-Clause
! Pointers: in arrays of a type, in a list, behind a dummy pointer, and with bounds of their own.
module lists
  use corpus
  implicit none
  type :: holder
    real(8), pointer :: p(:) => null()
  end type holder
  type :: node
    real(8) :: values(n)
    type(node), pointer :: next => null()
  end type node
  type(holder) :: fields(3)
  type(node), pointer :: list => null()
contains
  subroutine add(p, m)
    real(8), pointer, intent(out) :: p(:)
    integer, intent(in) :: m

    allocate (p(0:m - 1))  ! site: one, two
    p = 1
  end subroutine add
end module lists

program main
  use lists
  implicit none
  real(8), pointer :: one(:), two(:)
  type(node), pointer :: new
  integer :: i

  do i = 1, 3
    allocate (fields(i)%p(n))  ! site: fields%p
  end do
  call add(one, n)  ! site: one
  call add(two, n)  ! site: two
  do i = 1, 2
    allocate (new)  ! site: new
    new%next => list
    list => new
  end do
  do i = 1, 3
    call truth(fields(i)%p, 'fields%p|fields(*)%p|lists::fields%p;')
  end do
  call truth(one, 'one;')
  call truth(two, 'two;')
  call truth(list%values, 'new|list|list%next|new%values|list%values;')
  call truth(list%next%values, 'new|list|list%next|new%values|list%values;')
end program main

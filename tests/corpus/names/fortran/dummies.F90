! SPDX-License-Identifier: BSD-3-Clause
! Arrays that a subroutine allocates through its dummy arguments, in actual arguments of its callers.
module boxes
  use corpus
  implicit none
  type :: field
    real(8), allocatable :: a(:)
  contains
    procedure :: init
  end type field
contains
  subroutine init(self, m)
    class(field), intent(inout) :: self
    integer, intent(in) :: m

    allocate (self%a(m))  ! site: one%a, two%a, many(1)%a, many(2)%a
    self%a = 1
  end subroutine init

  subroutine make(p, m)
    real(8), allocatable, intent(out) :: p(:)
    integer, intent(in) :: m

    allocate (p(m))  ! site: heat, flux, east, west
    p = 7
  end subroutine make

  subroutine make_both(m, left, right)
    integer, intent(in) :: m
    real(8), allocatable, intent(out) :: left(:), right(:)

    call make(left, m)
    call make(p=right, m=m)
  end subroutine make_both

  function create(m) result(q)
    integer, intent(in) :: m
    real(8), pointer :: q(:)

    allocate (q(m))  ! site: head, tail
    q = 3
  end function create
end module boxes

subroutine run
  use boxes
  implicit none
  real(8), allocatable :: heat(:), flux(:), east(:), west(:), inner(:)
  real(8), pointer :: head(:), tail(:)
  type(field) :: one, two
  type(field), allocatable :: many(:)

  call make(heat, n)  ! site: heat
  call make(m=n, p=flux)  ! site: flux
  call make_both(n, right=east, left=west)  ! site: east, west
  head => create(n)  ! site: head
  tail => create(n)  ! site: tail
  call one%init(n)  ! site: one%a
  call init(two, n)  ! site: two%a
  allocate (many(2))
  call many(1)%init(n)  ! site: many(1)%a
  call many(2)%init(n)  ! site: many(2)%a
  call contained(inner)  ! site: inner
  call truth(heat, 'heat;')
  call truth(flux, 'flux;')
  call truth(east, 'east;')
  call truth(west, 'west;')
  call truth(head, 'head;')
  call truth(tail, 'tail;')
  call truth(one%a, 'one%a;')
  call truth(two%a, 'two%a;')
  call truth(many(1)%a, 'many(1)%a|many%a;')
  call truth(many(2)%a, 'many(2)%a|many%a;')
  call truth(inner, 'inner;')
contains
  subroutine contained(block)
    real(8), allocatable, intent(inout) :: block(:)

    allocate (block(n))  ! site: inner
    block = 1
  end subroutine contained
end subroutine run

program main
  call run
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Results of functions: allocatable, of an object, and an array that is assigned by an expression.
module makers
  use corpus
  implicit none
  type :: model
    real(8), allocatable :: wind(:)
  end type model
contains
  function made(m) result(values)
    integer, intent(in) :: m
    real(8), allocatable :: values(:)

    allocate (values(m))  ! site: first, second
    values = 2
  end function made

  function new_model(m) result(self)
    integer, intent(in) :: m
    type(model) :: self

    allocate (self%wind(m))  ! site: one%wind, two%wind
    self%wind = 1
  end function new_model
end module makers

program main
  use makers
  implicit none
  real(8), allocatable :: first(:), second(:), doubled(:)
  type(model) :: one, two

  first = made(n)  ! site: first
  second = made(n)  ! site: second
  doubled = 2*first  ! site: doubled
  one = new_model(n)  ! site: one%wind
  two = new_model(n)  ! site: two%wind
  call truth(first, 'first;')
  call truth(second, 'second;')
  call truth(doubled, 'doubled;')
  call truth(one%wind, 'one%wind|one;')
  call truth(two%wind, 'two%wind|two;')
end program main

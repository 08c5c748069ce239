! SPDX-License-Identifier: BSD-3-Clause
! Constructors of types and generic procedures that allocate, and assignments that are defined by the type.
module vectors
  use corpus
  implicit none
  type :: vector
    real(8), allocatable :: values(:)
  end type vector
  interface vector
    module procedure new_vector
  end interface vector
  interface make
    module procedure make_real, make_integer
  end interface make
contains
  function new_vector(m) result(self)
    integer, intent(in) :: m
    type(vector) :: self

    allocate (self%values(m), source=1d0)  ! site: one%values
  end function new_vector

  subroutine make_real(values)
    real(8), allocatable, intent(out) :: values(:)

    allocate (values(n))  ! site: real_values
    values = 1
  end subroutine make_real

  subroutine make_integer(values)
    integer(8), allocatable, intent(out) :: values(:)

    allocate (values(n))  ! site: integer_values
    values = 1
  end subroutine make_integer
end module vectors

subroutine run
  use vectors
  implicit none
  type(vector) :: one
  real(8), allocatable :: real_values(:)
  integer(8), allocatable :: integer_values(:)

  one = vector(n)  ! site: one%values
  call make(real_values)  ! site: real_values
  call make(integer_values)  ! site: integer_values
  call truth(one%values, 'one%values|one;')
  call truth(real_values, 'real_values;')
  call truth(integer_values, 'integer_values;')
end subroutine run

program main
  call run
end program main

! SPDX-License-Identifier: BSD-3-Clause
! A block of C behind a Fortran pointer, and an array that C has as a global variable.
! corpus: units interoperable_c.c
module fields
  use corpus
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), bind(c, name='shared_field') :: shared(n)
end module fields

program main
  use fields
  implicit none
  real(c_double), pointer :: view(:)
  type(c_ptr) :: raw
  interface
    function make_block(m) bind(c) result(made)
      import
      integer(c_long), value :: m
      type(c_ptr) :: made
    end function make_block
  end interface

  raw = make_block(int(n, c_long))  ! site: raw
  call c_f_pointer(raw, view, [n])
  call truth(view, 'view|raw;')
  call truth(shared, 'shared|fields::shared|shared_field;')
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Arrays of BLOCK constructs, associated names, and character arrays of deferred length.
program main
  use corpus
  implicit none
  real(8), allocatable :: field(:, :)
  character(:), allocatable :: text

  allocate (field(128, n/128))  ! site: field
  allocate (character(8*n) :: text)  ! site: text
  block
    real(8), allocatable :: inner(:)

    allocate (inner(n))  ! site: inner
    call truth(inner, 'inner;')
  end block
  associate (column => field(:, 1))
    call truth(column, 'field;')
  end associate
  call truth(field, 'field;')
  call truth(text, 'text;')
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Automatic arrays, arrays of fixed size, and arrays of contained procedures.
subroutine run(m)
  use corpus
  implicit none
  integer, intent(in) :: m
  real(8) :: first(m), second(m), plane(m/64, 64)

  first = 1
  second = 2
  plane = 3
  call truth(first, 'first|run::first;')
  call truth(second, 'second|run::second;')
  call truth(plane, 'plane|run::plane;')
  call corpus_use(first)
  call corpus_use(second)
  call corpus_use(plane)
  call contained(m)
contains
  subroutine contained(k)
    integer, intent(in) :: k
    real(8) :: inner(k)

    inner = 1
    call truth(inner, 'inner|contained::inner|run::contained::inner;')
    call corpus_use(inner)
  end subroutine contained
end subroutine run

program main
  use corpus
  call run(n)
end program main

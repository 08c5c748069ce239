! SPDX-License-Identifier: BSD-3-Clause
! Automatic arrays that the compiler keeps on the stack, in a subroutine of a module.
! corpus: flags -fstack-arrays
! corpus: only gcc-*
module kernels
  use corpus
  implicit none
contains
  subroutine work(m)
    integer, intent(in) :: m
    real(8) :: first(m), second(m), fixed(2048)

    first = 1
    second = 2
    fixed = 3
    call truth(first, 'work::first|kernels::work::first;')
    call truth(second, 'work::second|kernels::work::second;')
    call truth(fixed, 'work::fixed|kernels::work::fixed;')
    call corpus_use(first)
    call corpus_use(second)
    call corpus_use(fixed)
  end subroutine work
end module kernels

program main
  use kernels
  call work(n)
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Fortran interface of corpus.h. The text of a truth ends with a semicolon.
module corpus
  use, intrinsic :: iso_c_binding, only: c_char
  implicit none
  integer, parameter :: n = 16384

  interface
    subroutine truth(array, text) bind(c, name='corpus_truth_of')
      import :: c_char
      type(*), intent(in) :: array(..)
      character(kind=c_char), intent(in) :: text(*)
    end subroutine truth
    subroutine corpus_compute() bind(c)
    end subroutine corpus_compute
    subroutine corpus_use(array) bind(c)
      type(*), intent(in) :: array(*)
    end subroutine corpus_use
  end interface
end module corpus

! SPDX-License-Identifier: BSD-3-Clause
! COMMON blocks: named, blank, with other members in another unit, and private to threads.
subroutine other
  use corpus
  implicit none
  real(8) :: first(n), second(n)
  common /ocean/ first, second

  call truth(first, '/ocean/depth|/ocean/first;')
end subroutine other

program main
  use corpus
  implicit none
  real(8) :: depth(n), mask(n), winds(n), scratch(n)
  common /ocean/ depth, mask
  common winds
  common /local/ scratch
  !$omp threadprivate(/local/)

  call truth(depth, '/ocean/depth|/ocean/first;')
  call truth(mask, '/ocean/mask|/ocean/second;')
  call truth(winds, '//winds;')
  call truth(scratch, '/local/scratch;')
  call other
end program main
! corpus: flags -fopenmp

! SPDX-License-Identifier: BSD-3-Clause
! Saved arrays: initialised, equivalent ones, of one name in two procedures, constants, and of characters.
subroutine first
  use corpus
  implicit none
  real(8), save :: kept(n)

  kept(1) = 1
  call truth(kept, 'first::kept|kept #first;')
end subroutine first

subroutine later
  use corpus
  implicit none
  real(8), save :: kept(n)

  kept(1) = 1
  call truth(kept, 'later::kept|kept #later;')
end subroutine later

program main
  use corpus
  implicit none
  real(8), save :: filled(n) = 3
  integer, save :: marks(n), flags(n)
  character(8), save :: names(n) = 'name'
  complex(8), save :: waves(n)
  equivalence (marks, flags)

  marks(1) = 1
  waves(1) = 1
  call truth(filled, 'filled|main::filled|MAIN__::filled;')
  call truth(marks, 'marks|main::marks|MAIN__::marks|flags|main::flags|MAIN__::flags;')
  call truth(names, 'names|main::names|MAIN__::names;')
  call truth(waves, 'waves|main::waves|MAIN__::waves;')
  call first
  call later
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Work arrays that a set-up routine allocates through intent(out) and optional dummies, over two levels, also conditionally.
module setup_mod
  use corpus
  implicit none
contains
  subroutine alloc2d(a, ni, nj)
    real(8), allocatable, intent(out) :: a(:, :)
    integer, intent(in) :: ni, nj

    allocate (a(ni, nj))
    a = 0
  end subroutine alloc2d

  subroutine setup(ni, nj, temp, salt, extra)
    integer, intent(in) :: ni, nj
    real(8), allocatable, intent(out) :: temp(:, :), salt(:, :)
    real(8), allocatable, intent(out), optional :: extra(:, :)

    call alloc2d(temp, ni, nj)
    if (present(extra)) call alloc2d(extra, ni, nj)
    call alloc2d(salt, ni, nj)
  end subroutine setup
end module setup_mod

subroutine run
  use setup_mod
  implicit none
  real(8), allocatable :: t(:, :), s(:, :), e(:, :), t2(:, :), s2(:, :)

  call setup(128, n/128, t, s)
  call setup(128, n/128, extra=e, temp=t2, salt=s2)
  call truth(t, 't;')
  call truth(s, 's;')
  call truth(e, 'e;')
  call truth(t2, 't2;')
  call truth(s2, 's2;')
end subroutine run

program main
  call run
end program main

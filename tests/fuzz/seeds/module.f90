! SPDX-License-Identifier: BSD-3-Clause
! A seed: arrays behind descriptors, components, COMMON, routines inside routines.
module ice_state
  implicit none
  type cell
     real(8), allocatable :: tx(:, :)
     real(8), pointer :: work(:) => null()
     type(cell), pointer :: next => null()
  end type cell
  real(8), allocatable, save :: a(:), b(:, :), c(:)
  real(8), save :: fixed(4, 4)
  type(cell), save :: grid, many(3)
contains
  subroutine make(n, ierr)
    integer, intent(in) :: n
    integer, intent(out) :: ierr
    real(8) :: common_part(8)
    common /metrics/ common_part
    allocate(a(n), b(n, n), &
         ! a comment in between
         & c(n), stat=ierr); if (ierr /= 0) allocate(real(8) :: grid%tx(n, n))
    allocate(many(1)%work(n), source=a) ; c = [1.d0, 2.d0]
  contains
    subroutine inner()
      fixed(1, 1) = common_part(1)
    end subroutine inner
  end subroutine make
end module ice_state

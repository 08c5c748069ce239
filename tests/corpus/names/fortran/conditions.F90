! SPDX-License-Identifier: BSD-3-Clause
! Allocations after conditions, in loops and selections, and of the same array on two lines.
subroutine run(kind, m)
  use corpus
  implicit none
  integer, intent(in) :: kind, m
  real(8), allocatable :: field(:), other(:), work(:)
  integer :: i

  if (.not. allocated(field)) allocate (field(m))  ! site: field
  select case (kind)
  case (1)
    allocate (other(m))  ! site: other
  case default
    allocate (other(2*m))  ! site: other
  end select
  do i = 1, 3
    allocate (work(m))  ! site: work
    call truth(work, 'work;')
    deallocate (work)
  end do
  call truth(field, 'field;')
  call truth(other(:m), 'other;')
end subroutine run

program main
  use corpus
  call run(2, n)
end program main

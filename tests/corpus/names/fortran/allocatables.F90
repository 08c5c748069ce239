! SPDX-License-Identifier: BSD-3-Clause
! Local allocatables and pointers, also in one statement, with a status, a source, a mold, and as automatic allocation.
subroutine run
  use corpus
  implicit none
  real(8), allocatable :: a(:), b(:), c(:), like(:), shaped(:), moved(:), temporary(:), assigned(:)
  real(8), pointer :: p(:), alias(:)
  integer :: status

  allocate (a(n), b(n), stat=status)  ! site: a, b
  allocate (c(n))  ! site: c
  a = 1
  c = 2
  allocate (like, source=a)  ! site: like
  allocate (shaped, mold=c)  ! site: shaped
  allocate (temporary(n))  ! site: moved
  call move_alloc(temporary, moved)  ! site: moved
  assigned = a + c  ! site: assigned
  allocate (p(n))  ! site: p
  alias => p
  call truth(a, 'a;')
  call truth(b, 'b;')
  call truth(c, 'c;')
  call truth(like, 'like;')
  call truth(shaped, 'shaped;')
  call truth(moved, 'moved|temporary;')
  call truth(assigned, 'assigned;')
  call truth(p, 'p|alias;')
  call corpus_use(alias)
end subroutine run

program main
  call run
end program main

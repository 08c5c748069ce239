! SPDX-License-Identifier: BSD-3-Clause
! Fortran: arrays that are allocated, moved, assigned to and released; each has a unique size.
program allocate_test
  use memphis
  implicit none
  real, allocatable :: a(:), b(:), c(:)
  real, pointer :: p(:)

  allocate (a(3001))
  allocate (p(3002))
  allocate (c(3003), source=1.0)
  call move_alloc(a, b)
  c = [c, 2.0]
  call memphis_flush()
  deallocate (b, p, c)
  call memphis_flush()
end program allocate_test

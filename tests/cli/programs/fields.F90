! SPDX-License-Identifier: BSD-3-Clause
! Module arrays, COMMON, allocatables and pointers. report/names.bats depends on the line numbers.
module ice_state
  implicit none
  real(8) :: aicen(100, 10)
  real(8), allocatable :: tx(:,:), ty(:,:), tc(:)
  real(8), pointer :: work(:) => null()
  type grid_type
     integer :: n
     real(8), allocatable :: tx(:)
  end type
  type(grid_type) :: grid
end module

subroutine step(n)
  use ice_state
  implicit none
  integer, intent(in) :: n
  real(8) :: hte, htn
  common /metrics/ hte(200), htn(300)
  real(8), allocatable :: alpha(:), beta(:), gamma(:)
  integer :: i

  allocate(alpha(n), beta(2*n), &   ! two here
           gamma(n))
  do i = 1, n
     hte(i) = htn(i) + aicen(i, 1)
     alpha(i) = tx(i, 1) + gamma(i)
     beta(i) = ty(1, i)
  end do
  print *, sum(alpha) + sum(beta)
end subroutine

program fields
  use ice_state
  implicit none
  integer :: n
  real(8), save :: local(64)

  n = 100
  allocate(tx(n, n), ty(n, n)); allocate(tc(n))
  allocate(work(n))
  allocate(grid%tx(n))
  local = 1
  call step(n)
  print *, local(3), tc(1), work(1), grid%tx(1)
end program

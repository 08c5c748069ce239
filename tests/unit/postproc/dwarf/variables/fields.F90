! SPDX-License-Identifier: BSD-3-Clause
! Fortran variables of every kind, for variables_test.c and locals_test.c: compiled, never run.
module ocean
  implicit none
  type :: halo
    real(8), allocatable :: low(:), high(:,:)
  end type
  type :: grid
    integer :: cells
    real(8), allocatable :: tx(:,:)
    real(8), pointer :: ty(:) => null()
    type(halo) :: edge
    real(8) :: table(3, 5)
  end type
  type(grid), target :: ice_grid
  type(grid), target :: blk(4)
  type(grid), allocatable :: many(:)
  type(grid), pointer :: one => null()
  real(8), allocatable :: alone(:)
  real(8), allocatable :: also(:,:)
  real(8) :: field(6, 0:9)
  real(8) :: work(20)
  !$omp threadprivate(work)
contains
  subroutine use(i)
    integer, intent(in) :: i
    real(8) :: a(10), b(5)
    real(8) :: private(8), other(4), blank(7)
    real(8), save :: kept(30)
    real(8) :: fixed(50), own(40)
    integer :: k
    real(8), allocatable :: mine(:)
    common /metrics/ a, b
    common // blank
    common /mine/ private, other
    !$omp threadprivate(/mine/)
    kept(i) = kept(i) + field(i, i) + work(i) + a(i) + b(i) + private(i) + other(i) + blank(i)
    allocate(mine(i))
    call touch(fixed)
    call touch(mine)
    !$omp parallel do private(own)
    do k = 1, i
      call touch(own)
    end do
    kept(1) = kept(1) + alone(i) + also(i, i) + many(i)%tx(1, 1) + one%ty(1) + blk(i)%table(1, 1) + ice_grid%edge%low(i)
  end subroutine
end module

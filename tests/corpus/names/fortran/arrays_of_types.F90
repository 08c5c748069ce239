! SPDX-License-Identifier: BSD-3-Clause
! Arrays of types in modules, local ones and allocatable ones, with components that loops allocate.
module patches
  use corpus
  implicit none
  type :: patch
    real(8), allocatable :: values(:)
  end type patch
  type(patch) :: fixed(3)
  type(patch), allocatable :: several(:)
end module patches

subroutine run
  use patches
  implicit none
  type(patch) :: local(3)
  integer :: i

  allocate (several(3))
  do i = 1, 3
    allocate (fixed(i)%values(n))  ! site: fixed%values
    allocate (several(i)%values(n))  ! site: several%values
    allocate (local(i)%values(n))  ! site: local%values
  end do
  do i = 1, 3
    call truth(fixed(i)%values, 'fixed%values|fixed(*)%values;')
    call truth(several(i)%values, 'several%values|several(*)%values;')
    call truth(local(i)%values, 'local%values|local(*)%values;')
  end do
end subroutine run

program main
  call run
end program main

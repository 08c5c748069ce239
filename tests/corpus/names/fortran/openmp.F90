! SPDX-License-Identifier: BSD-3-Clause
! Arrays of OpenMP threads: private allocatables, arrays of called subroutines, and threadprivate ones of a module.
! corpus: flags -fopenmp
module workspace
  use corpus
  implicit none
  real(8), save :: scratch(n)
  real(8), allocatable, save :: buffer(:)
  !$omp threadprivate(scratch, buffer)
contains
  subroutine kernel(m)
    integer, intent(in) :: m
    real(8), allocatable :: local(:)

    allocate (local(m))  ! site: local
    call truth(local, 'local;')
  end subroutine kernel
end module workspace

program main
  use workspace
  implicit none
  real(8), allocatable :: mine(:), whole(:)

  allocate (whole(n))  ! site: whole
  !$omp parallel private(mine)
  allocate (mine(n))  ! site: mine
  allocate (buffer(n))  ! site: buffer
  call truth(mine, 'mine;')
  call truth(buffer, 'buffer|workspace::buffer;')
  call truth(scratch, 'scratch|workspace::scratch;')
  call truth(whole, 'whole;')
  call kernel(n)
  !$omp end parallel
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Arrays of a submodule and of its procedures.
module model
  use corpus
  implicit none
  interface
    module subroutine step(m)
      integer, intent(in) :: m
    end subroutine step
  end interface
end module model

submodule (model) dynamics
  implicit none
  real(8), save :: wind(n)
  real(8), allocatable :: pressure(:)
contains
  module subroutine step(m)
    integer, intent(in) :: m
    real(8), allocatable :: local(:)

    allocate (pressure(m))  ! site: pressure
    allocate (local(m))  ! site: local
    call truth(wind, 'wind|*dynamics::wind|model::wind;')
    call truth(pressure, 'pressure|*dynamics::pressure;')
    call truth(local, 'local;')
  end subroutine step
end submodule dynamics

program main
  use model
  call step(n)
end program main

! SPDX-License-Identifier: BSD-3-Clause
! Arrays of the host that contained procedures allocate, and of modules that procedures of other modules allocate.
module state
  use corpus
  implicit none
  real(8), allocatable :: wind(:), heat(:)
end module state

module set_up
  implicit none
contains
  subroutine allocate_all
    use state, only: n, wind, warmth => heat

    allocate (wind(n))  ! site: wind
    allocate (warmth(n))  ! site: heat
  end subroutine allocate_all
end module set_up

program main
  use state
  use set_up
  implicit none
  real(8), allocatable :: own(:)

  call allocate_own
  call allocate_all
  call truth(own, 'own;')
  call truth(wind, 'wind|state::wind;')
  call truth(heat, 'heat|state::heat|warmth;')
contains
  subroutine allocate_own
    allocate (own(n))  ! site: own
  end subroutine allocate_own
end program main

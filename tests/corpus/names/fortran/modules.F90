! SPDX-License-Identifier: BSD-3-Clause
! Arrays of modules: static, allocatable, pointers, targets, saved ones of procedures, and of one name in two modules.
module ocean
  use corpus
  implicit none
  real(8) :: salt(n)
  real(8), allocatable :: heat(:), flux(:, :)
  real(8), pointer :: speed(:)
  real(8), target :: depth(n)
end module ocean

module ice
  use corpus
  implicit none
  real(8) :: salt(n)
  real(8), allocatable :: heat(:)
contains
  subroutine melt
    real(8), save :: kept(n)

    call truth(kept, 'ice::melt::kept|melt::kept|ice::kept|kept;')
  end subroutine melt
end module ice

program main
  use corpus, only: truth, n
  use ocean
  use ice, only: ice_salt => salt, ice_heat => heat, melt
  implicit none
  real(8), save :: own(n)

  allocate (heat(n))  ! site: heat #ocean
  allocate (flux(n/8, 8))  ! site: flux
  allocate (ice_heat(n))  ! site: heat #ice
  allocate (speed(n))  ! site: speed
  call truth(salt, 'ocean::salt;')
  call truth(ice_salt, 'ice::salt;')
  call truth(heat, 'heat|ocean::heat #ocean;')
  call truth(ice_heat, 'heat|ice::heat|ice_heat #ice;')
  call truth(flux, 'flux|ocean::flux;')
  call truth(speed, 'speed|ocean::speed;')
  call truth(depth, 'ocean::depth;')
  call truth(own, 'own|main::own|MAIN__::own;')
  call melt
end program main

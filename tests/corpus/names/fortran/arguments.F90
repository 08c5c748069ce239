! SPDX-License-Identifier: BSD-3-Clause
! Arrays as arguments: of assumed shape and size, optional, in keyword calls, and allocated in an optional argument at two levels.
module steps
  use corpus
  implicit none
contains
  subroutine use_shape(values)
    real(8), intent(in) :: values(:)

    call truth(values, 'heat;')
  end subroutine use_shape

  subroutine make_some(count, left, right)
    integer, intent(in) :: count
    real(8), allocatable, optional, intent(out) :: left(:), right(:)

    if (present(left)) allocate (left(count))  ! site: ice
    if (present(right)) allocate (right(count))  ! site: salt
  end subroutine make_some
end module steps

program main
  use steps
  implicit none
  real(8), allocatable :: heat(:), salt(:), ice(:)

  allocate (heat(n))  ! site: heat
  call use_shape(heat)
  call make_some(n, right=salt)  ! site: salt
  call make_some(n, ice)  ! site: ice
  call truth(salt, 'salt;')
  call truth(ice, 'ice;')
end program main

! SPDX-License-Identifier: BSD-3-Clause
! move_alloc() through dummy arguments, growing arrays, and reallocation by assignment.
module growing
  use corpus
  implicit none
contains
  subroutine grow(values, m)
    real(8), allocatable, intent(inout) :: values(:)
    integer, intent(in) :: m
    real(8), allocatable :: larger(:)

    allocate (larger(m))  ! site: first, second
    larger(:size(values)) = values
    call move_alloc(larger, values)
  end subroutine grow
end module growing

subroutine run
  use growing
  implicit none
  real(8), allocatable :: first(:), second(:), again(:)

  allocate (first(n/2), second(n/2), again(n/2))  ! site: again
  first = 1
  second = 2
  again = 3
  call grow(first, n)  ! site: first
  call grow(second, n)  ! site: second
  again = [again, again]  ! site: again
  call truth(first, 'first;')
  call truth(second, 'second;')
  call truth(again, 'again;')
end subroutine run

program main
  call run
end program main

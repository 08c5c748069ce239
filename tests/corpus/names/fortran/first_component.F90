! SPDX-License-Identifier: BSD-3-Clause
! Components that begin where their objects begin, handed on over two procedures.
module work_mod
  use corpus
  implicit none
  type state
    real(8), allocatable :: a(:), b(:)
  end type state
  type holder
    type(state) :: first, second
  end type holder
contains
  subroutine make(x, k)
    real(8), allocatable, intent(out) :: x(:)
    integer, intent(in) :: k
    allocate (x(k))
    x = 0
  end subroutine make
  subroutine fill(s, k)
    type(state), intent(inout) :: s
    integer, intent(in) :: k
    call make(s%a, k)
    call make(s%b, k)
  end subroutine fill
  subroutine setall(h, k)
    type(holder), intent(inout) :: h
    integer, intent(in) :: k
    call fill(h%first, k)
    call fill(h%second, k)
  end subroutine setall
end module work_mod

subroutine run
  use work_mod
  implicit none
  type(state) :: s
  type(holder) :: h
  real(8), allocatable :: arr(:)
  call make(s%a, n)
  call make(s%b, n)
  call setall(h, n)
  block
    real(8), allocatable :: inner(:)
    call make(inner, n)
    call truth(inner, 'inner;')
  end block
  call make(arr, n)
  call truth(s%a, 's%a;')
  call truth(s%b, 's%b;')
  call truth(h%first%a, 'h%first%a;')
  call truth(h%first%b, 'h%first%b;')
  call truth(h%second%a, 'h%second%a;')
  call truth(h%second%b, 'h%second%b;')
  call truth(arr, 'arr;')
end subroutine run

program main
  call run
end program main

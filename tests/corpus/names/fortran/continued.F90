! SPDX-License-Identifier: BSD-3-Clause
! ALLOCATE of several objects on lines that are continued, with their status.
subroutine run
  use corpus
  implicit none
  type :: fields_type
    real(8), allocatable :: u(:), v(:), w(:)
  end type fields_type
  type(fields_type) :: fields
  real(8), allocatable :: first(:), second(:, :)
  integer :: status

  allocate (first(n), & ! site: first
            second(n/4, 4), & ! site: second
            stat=status)  ! site: first, second
  allocate (fields%u(n), fields%v(n), &
            fields%w(n))  ! site: fields%u, fields%v, fields%w
  call truth(first, 'first;')
  call truth(second, 'second;')
  call truth(fields%u, 'fields%u;')
  call truth(fields%v, 'fields%v;')
  call truth(fields%w, 'fields%w;')
end subroutine run

program main
  call run
end program main

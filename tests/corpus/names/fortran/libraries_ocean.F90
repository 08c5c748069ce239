! SPDX-License-Identifier: BSD-3-Clause
module ocean_library
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: cells = 16384
  real(8) :: depth(cells)
  real(8), allocatable :: salt(:)

  interface
    subroutine truth(array, text) bind(c, name='corpus_truth_of')
      import :: c_char
      type(*), intent(in) :: array(..)
      character(kind=c_char), intent(in) :: text(*)
    end subroutine truth
  end interface
contains
  subroutine run() bind(c, name='ocean_run')
    real(8), allocatable :: local(:)

    allocate (salt(cells))  ! site: salt
    allocate (local(cells))  ! site: local
    call truth(depth, 'ocean_library::depth;')
    call truth(salt, 'salt|ocean_library::salt;')
    call truth(local, 'local;')
  end subroutine run
end module ocean_library

! SPDX-License-Identifier: BSD-3-Clause
! Size of the grid: limits, which are the sizes of static arrays, and the sizes used in a run.
module ice_domain_size
  use ice_kinds, only: int_kind
  implicit none
  private

  integer (int_kind), parameter, public :: nghost = 1   ! ghost cells on each side of a block

  ! Limits, including ghost cells. A larger run requires larger limits and a rebuild.
  integer (int_kind), parameter, public :: &
    max_nx     = 16,  &
    max_ny     = 258, &
    max_ntrcr  = 20,  &
    max_ncat   = 5,   &
    max_blocks = 16

  ! Sizes in this run. nx_block and ny_block include the ghost cells.
  integer (int_kind), public :: &
    nx_block = 16,  &
    ny_block = 258, &
    ntrcr    = 20,  &   ! tracers, index k
    ncat     = 5,   &   ! categories, index l
    nblocks  = 8,   &
    nsteps   = 40

  public :: ice_domain_error

contains

  ! Returns an empty string if the sizes are valid, else an error message.
  function ice_domain_error() result(text)
    character (len=:), allocatable :: text

    text = ''
    call within('--nx', nx_block - 2*nghost, max_nx - 2*nghost, 2)
    call within('--ny', ny_block - 2*nghost, max_ny - 2*nghost, 1)
    call within('--k', ntrcr, max_ntrcr, 1)
    call within('--l', ncat, max_ncat, 1)
    call within('--blocks', nblocks, max_blocks, 1)
    call within('--steps', nsteps, huge(nsteps), 1)

  contains

    subroutine within(option, value, highest, lowest)
      character (len=*), intent(in) :: option
      integer (int_kind), intent(in) :: value, highest, lowest
      character (len=120) :: line

      if (value >= lowest .and. value <= highest) return
      write (line, '(3a,i0,a,i0,a,i0)') 'cice_halo: ', option, ' ', value, ': must be from ', &
        lowest, ' to ', highest
      text = trim(line)//' (limits: ice_domain_size.F90)'
    end subroutine within

  end function ice_domain_error

end module ice_domain_size

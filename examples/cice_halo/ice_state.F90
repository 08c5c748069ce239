! SPDX-License-Identifier: BSD-3-Clause
! The state of the ice: static module arrays of the maximum size. A run uses a part of each array.
module ice_state
  use ice_kinds, only: dbl_kind, int_kind
  use ice_blocks, only: block_to_thr
  use ice_domain_size, only: max_blocks, max_ncat, max_ntrcr, max_nx, max_ny, nblocks, ncat, ntrcr, &
    nx_block, ny_block
  use omp_lib, only: omp_get_thread_num
  implicit none
  private

  real (dbl_kind), public, target, save :: &
    aicen(max_nx, max_ny, max_ncat, max_blocks), &             ! concentration of ice
    trcrn(max_nx, max_ny, max_ntrcr, max_ncat, max_blocks)     ! tracers of ice

  public :: ice_state_init

contains

  ! First touch: a page is placed on the node of the thread that writes it first, so each thread writes
  ! the blocks that it owns, including ghost cells.
  subroutine ice_state_init()
    integer (int_kind) :: block, i, j, k, l

    !$omp parallel private(block, i, j, k, l)
    do block = 1, nblocks
      if (block_to_thr(block) /= omp_get_thread_num()) cycle
      do l = 1, ncat
        do j = 1, ny_block
          do i = 1, nx_block
            aicen(i, j, l, block) = 1.0_dbl_kind/(1 + mod(i + 3*j + 5*l + 7*block, 11))
          end do
        end do
        do k = 1, ntrcr
          do j = 1, ny_block
            do i = 1, nx_block
              trcrn(i, j, k, l, block) = 1.0_dbl_kind + mod(i*j + k + l*block, 17)
            end do
          end do
        end do
      end do
    end do
    !$omp end parallel
  end subroutine ice_state_init

end module ice_state

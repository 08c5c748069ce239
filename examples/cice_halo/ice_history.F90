! SPDX-License-Identifier: BSD-3-Clause
! Sums for the history file. An ordinary `parallel do` distributes the work in contiguous blocks and ignores
! their owners: with round-robin ownership, half of the data that is read here is on the other node.
! This defect is small compared with the halo exchange, and is kept so that the report shows it.
module ice_history
  use ice_kinds, only: dbl_kind, int_kind
  use ice_blocks, only: ihi, ilo, jhi, jlo
  use ice_domain_size, only: nblocks, ncat, ntrcr, nx_block, ny_block
  use ice_state, only: trcrn
  implicit none
  private

  real (dbl_kind), allocatable, public, target :: hist_sum(:,:,:)   ! tracers, summed over time and categories

  public :: ice_history_init, ice_history_accumulate

contains

  subroutine ice_history_init()
    integer (int_kind) :: block

    allocate (hist_sum(nx_block, ny_block, nblocks))
    !$omp parallel do schedule(static)
    do block = 1, nblocks
      hist_sum(:, :, block) = 0
    end do
    !$omp end parallel do
  end subroutine ice_history_init

  subroutine ice_history_accumulate()
    integer (int_kind) :: block, i, j, k, l

    !$omp parallel do schedule(static) private(i, j, k, l)
    do block = 1, nblocks
      do l = 1, ncat
        do k = 1, ntrcr
          do j = jlo, jhi
            do i = ilo, ihi
              hist_sum(i, j, block) = hist_sum(i, j, block) + trcrn(i, j, k, l, block)
            end do
          end do
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine ice_history_accumulate

end module ice_history

! SPDX-License-Identifier: BSD-3-Clause
! The compute phase: work arrays tx, ty, tc (allocatable), and a step that moves the ice. The owner of a
! block computes it. Ghost cells are needed because a cell depends on its east and west neighbours.
module ice_transport
  use ice_kinds, only: dbl_kind, int_kind
  use ice_blocks, only: block_to_thr, ihi, ilo, jhi, jlo
  use ice_domain_size, only: nblocks, ncat, ntrcr, nx_block, ny_block
  use ice_state, only: aicen, trcrn
  use omp_lib, only: omp_get_thread_num
  implicit none
  private

  real (dbl_kind), allocatable, public, target :: tx(:,:,:,:,:), ty(:,:,:,:,:), tc(:,:,:,:,:)

  ! The weights sum up to less than one, so that fields neither grow nor vanish over any number of steps.
  real (dbl_kind), parameter :: keep = 0.5_dbl_kind, take = 0.375_dbl_kind, source = 0.125_dbl_kind

  public :: ice_transport_init, ice_transport_step

contains

  ! The owner of a block touches it first, as in ice_state_init.
  subroutine ice_transport_init()
    integer (int_kind) :: block, i, j, k, l

    allocate (tx(nx_block, ny_block, ntrcr, ncat, nblocks))
    allocate (ty(nx_block, ny_block, ntrcr, ncat, nblocks))
    allocate (tc(nx_block, ny_block, ntrcr, ncat, nblocks))

    !$omp parallel private(block, i, j, k, l)
    do block = 1, nblocks
      if (block_to_thr(block) /= omp_get_thread_num()) cycle
      do l = 1, ncat
        do k = 1, ntrcr
          do j = 1, ny_block
            do i = 1, nx_block
              tx(i, j, k, l, block) = 1.0_dbl_kind + mod(3*i + j + k*l + block, 13)
              ty(i, j, k, l, block) = 1.0_dbl_kind + mod(i + 5*j + k + l*block, 19)
              tc(i, j, k, l, block) = 1.0_dbl_kind + mod(7*i + j*k + l + block, 23)
            end do
          end do
        end do
      end do
    end do
    !$omp end parallel
  end subroutine ice_transport_init

  subroutine ice_transport_step()
    integer (int_kind) :: block

    !$omp parallel private(block)
    do block = 1, nblocks
      if (block_to_thr(block) == omp_get_thread_num()) call transport_block(block)
    end do
    !$omp end parallel
  end subroutine ice_transport_step

  subroutine transport_block(block)
    integer (int_kind), intent(in) :: block
    integer (int_kind) :: i, j, k, l

    do l = 1, ncat
      do k = 1, ntrcr
        do j = jlo, jhi
          do i = ilo, ihi
            tx(i, j, k, l, block) = keep*tx(i, j, k, l, block) + take*tc(i - 1, j, k, l, block) + source
          end do
          do i = ilo, ihi
            ty(i, j, k, l, block) = keep*ty(i, j, k, l, block) + take*tx(i + 1, j, k, l, block) + source
          end do
          do i = ilo, ihi
            trcrn(i, j, k, l, block) = keep*trcrn(i, j, k, l, block) + take*ty(i - 1, j, k, l, block) &
              + source*aicen(i, j, l, block)
          end do
          do i = ilo, ihi
            tc(i, j, k, l, block) = keep*tc(i, j, k, l, block) + take*trcrn(i + 1, j, k, l, block) + source
          end do
        end do
      end do
      do j = jlo, jhi
        do i = ilo, ihi
          aicen(i, j, l, block) = keep*aicen(i, j, l, block) + take*aicen(i - 1, j, l, block) &
            + source*tc(i, j, 1, l, block)
        end do
      end do
    end do
  end subroutine transport_block

end module ice_transport

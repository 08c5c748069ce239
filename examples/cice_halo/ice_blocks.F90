! SPDX-License-Identifier: BSD-3-Clause
! Decomposition of the grid into blocks, and the thread that owns each block: block_to_thr. Blocks are
! narrow: a block contains some longitudes and all latitudes, and has an east and a west neighbour. The
! first block is the east neighbour of the last one.
module ice_blocks
  use ice_kinds, only: int_kind
  use ice_domain_size, only: nblocks, nghost, nx_block, ny_block
  use omp_lib, only: omp_get_max_threads
  implicit none
  private

  integer (int_kind), parameter, public :: &
    distribution_roundrobin = 1, &   ! round robin: the neighbours of a block belong to other threads
    distribution_contiguous = 2      ! each thread owns contiguous blocks

  integer (int_kind), allocatable, public :: block_to_thr(:)   ! number of the thread that owns a block, from 0
  integer (int_kind), public :: ilo, ihi, jlo, jhi             ! inner cells, without ghost cells

  public :: ice_blocks_init, ice_block_east, ice_block_west

contains

  subroutine ice_blocks_init(distribution)
    integer (int_kind), intent(in) :: distribution
    integer (int_kind) :: block, threads

    ilo = 1 + nghost
    ihi = nx_block - nghost
    jlo = 1 + nghost
    jhi = ny_block - nghost

    threads = omp_get_max_threads()
    allocate (block_to_thr(nblocks))
    do block = 1, nblocks
      if (distribution == distribution_contiguous) then
        block_to_thr(block) = (block - 1)*threads/nblocks
      else
        block_to_thr(block) = mod(block - 1, threads)
      end if
    end do
  end subroutine ice_blocks_init

  pure function ice_block_east(block) result(neighbour)
    integer (int_kind), intent(in) :: block
    integer (int_kind) :: neighbour

    neighbour = mod(block, nblocks) + 1
  end function ice_block_east

  pure function ice_block_west(block) result(neighbour)
    integer (int_kind), intent(in) :: block
    integer (int_kind) :: neighbour

    neighbour = mod(block + nblocks - 2, nblocks) + 1
  end function ice_block_west

end module ice_blocks

! SPDX-License-Identifier: BSD-3-Clause
! The halo exchange: ghost cells of a block get the values of inner cells of the neighbouring block.
! Within a process the values are copied point by point, with one message for each point (i,j). The three
! variants copy the same values, but differ in the thread that copies.
module ice_boundary
  use ice_kinds, only: dbl_kind, int_kind
  use ice_blocks, only: block_to_thr, ice_block_east, ice_block_west, ihi, ilo, jhi, jlo
  use ice_domain_size, only: nblocks, ncat, ntrcr, ny_block
  use ice_timers, only: ice_timer_start, ice_timer_stop, timer_halo, timer_lclcpy
  use omp_lib, only: omp_get_thread_num
  implicit none
  private

  integer (int_kind), parameter, public :: &
    variant_base = 1, &   ! the master thread copies everything
    variant_mod1 = 2, &   ! each thread copies the values for the blocks that it owns
    variant_mod2 = 3      ! the owner of the source packs a buffer, the owner of the destination unpacks it

  type :: halo_message
    integer (int_kind) :: src_i, src_j, src_block, dst_i, dst_j, dst_block
  end type halo_message

  integer (int_kind) :: numLocalCopies
  type (halo_message), allocatable :: messages(:)
  real (dbl_kind), allocatable, public, target :: bufLocal(:,:)   ! (point of k and l, message)
  integer (int_kind) :: variant

  interface ice_HaloUpdate
    module procedure ice_HaloUpdate3DR8, ice_HaloUpdate4DR8
  end interface ice_HaloUpdate

  public :: ice_boundary_init, ice_HaloUpdate

contains

  ! Columns are so close that an eastward message writes the cache line that the message to its north reads, and
  ! a westward message that of the message to its south: eastward messages run northward, westward ones southward.
  subroutine ice_boundary_init(chosen_variant)
    integer (int_kind), intent(in) :: chosen_variant
    integer (int_kind) :: block, j

    variant = chosen_variant
    allocate (messages(2*nblocks*(jhi - jlo + 1)))
    numLocalCopies = 0
    do block = 1, nblocks
      do j = jlo, jhi
        call add_message(ihi, j, ice_block_west(block), ilo - 1, block)
      end do
    end do
    do block = 1, nblocks
      do j = jhi, jlo, -1
        call add_message(ilo, j, ice_block_east(block), ihi + 1, block)
      end do
    end do
    if (variant == variant_mod2) call init_buffer()
  end subroutine ice_boundary_init

  subroutine add_message(src_i, j, src_block, dst_i, dst_block)
    integer (int_kind), intent(in) :: src_i, j, src_block, dst_i, dst_block

    numLocalCopies = numLocalCopies + 1
    messages(numLocalCopies) = halo_message(src_i, j, src_block, dst_i, j, dst_block)
  end subroutine add_message

  ! The packing thread touches its part of the buffer first.
  subroutine init_buffer()
    integer (int_kind) :: n

    allocate (bufLocal(ntrcr*ncat, numLocalCopies))
    !$omp parallel private(n)
    do n = 1, numLocalCopies
      if (block_to_thr(messages(n)%src_block) == omp_get_thread_num()) bufLocal(:, n) = 0
    end do
    !$omp end parallel
  end subroutine init_buffer

  ! One value per point and category is little data, so the owner of the destination copies it in all variants.
  subroutine ice_HaloUpdate3DR8(array)
    real (dbl_kind), intent(inout) :: array(:,:,:,:)
    integer (int_kind) :: n, l

    !$omp parallel private(n, l)
    do n = 1, numLocalCopies
      associate (m => messages(n))
        if (block_to_thr(m%dst_block) == omp_get_thread_num()) then
          do l = 1, size(array, 3)
            array(m%dst_i, m%dst_j, l, m%dst_block) = array(m%src_i, m%src_j, l, m%src_block)
          end do
        end if
      end associate
    end do
    !$omp end parallel
  end subroutine ice_HaloUpdate3DR8

  subroutine ice_HaloUpdate4DR8(array)
    real (dbl_kind), intent(inout) :: array(:,:,:,:,:)

    call ice_timer_start(timer_halo)
    call fill_closed_boundary(array)
    call ice_timer_start(timer_lclcpy)
    select case (variant)
    case (variant_base)
      call copy_by_master(array)
    case (variant_mod1)
      call copy_by_destination(array)
    case (variant_mod2)
      call copy_through_buffer(array)
    end select
    call ice_timer_stop(timer_lclcpy)
    call ice_timer_stop(timer_halo)
  end subroutine ice_HaloUpdate4DR8

  ! The southern and northern boundaries are land.
  subroutine fill_closed_boundary(array)
    real (dbl_kind), intent(inout) :: array(:,:,:,:,:)
    integer (int_kind) :: block, k, l

    !$omp parallel private(block, k, l)
    do block = 1, nblocks
      if (block_to_thr(block) /= omp_get_thread_num()) cycle
      do l = 1, size(array, 4)
        do k = 1, size(array, 3)
          array(ilo:ihi, 1:jlo - 1, k, l, block) = 0
          array(ilo:ihi, jhi + 1:ny_block, k, l, block) = 0
        end do
      end do
    end do
    !$omp end parallel
  end subroutine fill_closed_boundary

  subroutine copy_by_master(array)
    real (dbl_kind), intent(inout) :: array(:,:,:,:,:)
    integer (int_kind) :: n, k, l, iSrc, jSrc, srcBlock, iDst, jDst, dstBlock

    do n = 1, numLocalCopies
      iSrc = messages(n)%src_i
      jSrc = messages(n)%src_j
      srcBlock = messages(n)%src_block
      iDst = messages(n)%dst_i
      jDst = messages(n)%dst_j
      dstBlock = messages(n)%dst_block
      do l = 1, size(array, 4)
        do k = 1, size(array, 3)
          array(iDst, jDst, k, l, dstBlock) = array(iSrc, jSrc, k, l, srcBlock)
        end do
      end do
    end do
  end subroutine copy_by_master

  subroutine copy_by_destination(array)
    real (dbl_kind), intent(inout) :: array(:,:,:,:,:)
    integer (int_kind) :: n, k, l, iSrc, jSrc, srcBlock, iDst, jDst, dstBlock

    !$omp parallel private(n, k, l, iSrc, jSrc, srcBlock, iDst, jDst, dstBlock)
    do n = 1, numLocalCopies
      dstBlock = messages(n)%dst_block
      if (block_to_thr(dstBlock) /= omp_get_thread_num()) cycle
      iSrc = messages(n)%src_i
      jSrc = messages(n)%src_j
      srcBlock = messages(n)%src_block
      iDst = messages(n)%dst_i
      jDst = messages(n)%dst_j
      do l = 1, size(array, 4)
        do k = 1, size(array, 3)
          array(iDst, jDst, k, l, dstBlock) = array(iSrc, jSrc, k, l, srcBlock)
        end do
      end do
    end do
    !$omp end parallel
  end subroutine copy_by_destination

  subroutine copy_through_buffer(array)
    real (dbl_kind), intent(inout) :: array(:,:,:,:,:)
    integer (int_kind) :: n, k, l, i, iSrc, jSrc, srcBlock, iDst, jDst, dstBlock

    !$omp parallel private(n, k, l, i, iSrc, jSrc, srcBlock, iDst, jDst, dstBlock)
    do n = 1, numLocalCopies
      srcBlock = messages(n)%src_block
      if (block_to_thr(srcBlock) /= omp_get_thread_num()) cycle
      iSrc = messages(n)%src_i
      jSrc = messages(n)%src_j
      i = 0
      do l = 1, size(array, 4)
        do k = 1, size(array, 3)
          i = i + 1
          bufLocal(i, n) = array(iSrc, jSrc, k, l, srcBlock)
        end do
      end do
    end do
    !$omp barrier
    do n = 1, numLocalCopies
      dstBlock = messages(n)%dst_block
      if (block_to_thr(dstBlock) /= omp_get_thread_num()) cycle
      iDst = messages(n)%dst_i
      jDst = messages(n)%dst_j
      i = 0
      do l = 1, size(array, 4)
        do k = 1, size(array, 3)
          i = i + 1
          array(iDst, jDst, k, l, dstBlock) = bufLocal(i, n)
        end do
      end do
    end do
    !$omp end parallel
  end subroutine copy_through_buffer

end module ice_boundary

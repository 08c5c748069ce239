! SPDX-License-Identifier: BSD-3-Clause
! Verification that two runs have the same results: a checksum of all bits of all fields, and a check that
! every ghost cell has the value of its neighbour's inner cell.
module ice_check
  use ice_kinds, only: dbl_kind, int_kind, long_kind
  use ice_blocks, only: ice_block_east, ice_block_west, ihi, ilo, jhi, jlo
  use ice_boundary, only: bufLocal
  use ice_domain_size, only: nblocks, ncat, ntrcr, nx_block, ny_block
  use ice_history, only: hist_sum
  use ice_state, only: aicen, trcrn
  use ice_transport, only: tc, tx, ty
  use, intrinsic :: iso_c_binding, only: c_loc, c_intptr_t
  implicit none
  private

  public :: ice_check_addresses, ice_check_ghosts, ice_checksum

contains

  ! Combines the bits of all values with XOR, rotated by the index: exact, and independent of the order.
  function ice_checksum() result(bits)
    integer (long_kind) :: bits
    integer (int_kind) :: block, l

    bits = 0
    do block = 1, nblocks
      do l = 1, ncat
        call mix(aicen(1:nx_block, 1:ny_block, l:l, block))
        call mix(trcrn(1:nx_block, 1:ny_block, 1:ntrcr, l, block))
        call mix(tx(:, :, :, l, block))
        call mix(ty(:, :, :, l, block))
        call mix(tc(:, :, :, l, block))
      end do
    end do
    call mix(hist_sum)

  contains

    subroutine mix(array)
      real (dbl_kind), intent(in) :: array(:,:,:)
      integer (int_kind) :: i, j, k

      do k = 1, size(array, 3)
        do j = 1, size(array, 2)
          do i = 1, size(array, 1)
            bits = ieor(bits, ishftc(transfer(array(i, j, k), bits), mod(7*i + 3*j + k + block, 64)))
          end do
        end do
      end do
    end subroutine mix

  end function ice_checksum

  ! Returns the number of ghost cells that differ from the inner cell that they copy.
  function ice_check_ghosts(array) result(wrong)
    real (dbl_kind), intent(in) :: array(:,:,:,:,:)
    integer (long_kind) :: wrong
    integer (int_kind) :: block, j, k, l, east, west

    wrong = 0
    do block = 1, nblocks
      east = ice_block_east(block)
      west = ice_block_west(block)
      do l = 1, size(array, 4)
        do k = 1, size(array, 3)
          do j = jlo, jhi
            if (differ(array(ilo - 1, j, k, l, block), array(ihi, j, k, l, west))) wrong = wrong + 1
            if (differ(array(ihi + 1, j, k, l, block), array(ilo, j, k, l, east))) wrong = wrong + 1
          end do
        end do
      end do
    end do
  end function ice_check_ghosts

  elemental function differ(a, b)
    real (dbl_kind), intent(in) :: a, b
    logical :: differ

    differ = transfer(a, 0_long_kind) /= transfer(b, 0_long_kind)
  end function differ

  ! Prints the addresses of the fields, for comparison of a report with the machine's exact counts.
  subroutine ice_check_addresses()
    call line('aicen', transfer(c_loc(aicen), 0_c_intptr_t), size(aicen, kind=long_kind))
    call line('trcrn', transfer(c_loc(trcrn), 0_c_intptr_t), size(trcrn, kind=long_kind))
    call line('tx', transfer(c_loc(tx), 0_c_intptr_t), size(tx, kind=long_kind))
    call line('ty', transfer(c_loc(ty), 0_c_intptr_t), size(ty, kind=long_kind))
    call line('tc', transfer(c_loc(tc), 0_c_intptr_t), size(tc, kind=long_kind))
    call line('hist_sum', transfer(c_loc(hist_sum), 0_c_intptr_t), size(hist_sum, kind=long_kind))
    if (allocated(bufLocal)) &
      call line('bufLocal', transfer(c_loc(bufLocal), 0_c_intptr_t), size(bufLocal, kind=long_kind))

  contains

    subroutine line(name, start, elements)
      character (len=*), intent(in) :: name
      integer (c_intptr_t), intent(in) :: start
      integer (long_kind), intent(in) :: elements

      write (*, '(3a,z0,a,z0)') 'field ', name, ' 0x', start, ' 0x', 8*elements
    end subroutine line

  end subroutine ice_check_addresses

end module ice_check

! SPDX-License-Identifier: BSD-3-Clause
! Kind parameters for all other modules.
module ice_kinds
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  private

  integer, parameter, public :: int_kind = int32
  integer, parameter, public :: long_kind = int64
  integer, parameter, public :: dbl_kind = real64
end module ice_kinds

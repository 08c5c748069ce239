! SPDX-License-Identifier: BSD-3-Clause
! Arrays of a module in a shared library.
! corpus: library ocean libraries_ocean.F90
program main
  interface
    subroutine ocean_run() bind(c)
    end subroutine ocean_run
  end interface

  call ocean_run
end program main

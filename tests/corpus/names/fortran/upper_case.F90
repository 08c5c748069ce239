! SPDX-License-Identifier: BSD-3-Clause
! Names in upper case, with continuation lines and several statements on a line.
MODULE OCEAN
  USE CORPUS
  IMPLICIT NONE
  REAL(8) :: SALT(N)
  REAL(8), ALLOCATABLE :: HEAT(:), FLUX(:)
END MODULE OCEAN

PROGRAM MAIN
  USE OCEAN
  IMPLICIT NONE
  REAL(8), ALLOCATABLE :: LOCAL(:)

  ALLOCATE (HEAT(N)); ALLOCATE (FLUX(N))  ! site: heat, flux
  ALLOCATE (LOCAL(N))  ! site: local
  CALL TRUTH(SALT, 'ocean::salt;')
  CALL TRUTH(HEAT, 'heat|ocean::heat;')
  CALL TRUTH(FLUX, 'flux|ocean::flux;')
  CALL TRUTH(LOCAL, 'local|LOCAL;')
END PROGRAM MAIN

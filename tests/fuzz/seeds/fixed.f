C SPDX-License-Identifier: BSD-3-Clause
C     A seed: the old form.
      SUBROUTINE MAKE(N)
      INTEGER N
      REAL*8, ALLOCATABLE :: A(:), B(:)
      COMMON /METRICS/ C(8)
      ALLOCATE(A(N),
C     in between
     &  B(N))
      A = 'it''s' ! not a number
      IF (N .GT. 1) ALLOCATE (A(N),
     1STAT=IERR)
      END

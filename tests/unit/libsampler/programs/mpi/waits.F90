! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program of 4 ranks with known messages, by mpif.h's interface (use mpi), or by that of Fortran 2008 with -DF08.
#ifdef F08
#define REQUEST type(MPI_Request)
#define MODULE mpi_f08
#else
#define REQUEST integer
#define MODULE mpi
#endif
program waits
  use MODULE
  use memphis
  implicit none
  integer :: rank, ierr, i, number, total
  integer :: list(3)
  REQUEST :: requests(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call memphis_begin('Work')
  list = rank
  number = rank
  do i = 1, 4
    ! Rank 0 sends late to rank 1, which accepts messages of any rank; rank 3 sends to rank 2.
    if (rank == 0) then
      call execute_command_line('sleep 0.1')
      call MPI_Send(list, 3, MPI_INTEGER, 1, i, MPI_COMM_WORLD, ierr)
    else if (rank == 1) then
      call MPI_Recv(list, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else if (rank == 2) then
      call MPI_Irecv(list, 3, MPI_INTEGER, 3, 5, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Isend(number, 1, MPI_INTEGER, 3, 6, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    else
      call MPI_Isend(list, 3, MPI_INTEGER, 2, 5, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Irecv(number, 1, MPI_INTEGER, 2, 6, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    end if
  end do
  call memphis_end('Work')
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0)', 'total ', total
  call MPI_Finalize(ierr)
end program

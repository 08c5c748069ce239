! SPDX-License-Identifier: BSD-3-Clause
! An MPI program: each rank works inside a caliper; the first rank prints the number of ranks.
program ranks
  use memphis
  use mpi
  implicit none
  integer :: rank, size, sum, err
  real, allocatable :: block(:)

  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, err)
  call MPI_Comm_size(MPI_COMM_WORLD, size, err)
  call memphis_begin('Work')
  allocate(block(100000))
  block = 0
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, err)
  call memphis_end('Work')
  if (rank == 0) print '(i0, a, i0)', size, ' ranks, sum ', sum + int(block(1))
  call MPI_Finalize(err)
end program

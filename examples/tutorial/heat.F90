! SPDX-License-Identifier: BSD-3-Clause
! Heat in a plate: the program of docs/tutorial.md, with two planted defects. Each MPI rank has a strip of columns, and its threads
! divide the strip among themselves.
program heat
  use mpi
  implicit none

  integer, parameter :: rows = 1024, columns = 512, steps = 10
  double precision, allocatable :: now(:, :), next(:, :), stored(:, :)
  double precision :: total
  integer :: error, rank, ranks, step, threads

  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate (now(rows, 0:columns + 1), next(rows, columns), stored(rows, columns))
  call set_up
  do step = 1, steps
    call exchange
    call advance
    if (mod(step, 2) == 0) call add_up
  end do
  if (rank == 0) write (*, '(a, f0.3)') 'stored heat: ', total
  call MPI_Finalize(error)

contains
  subroutine set_up
    integer :: j

    now = 20
    if (rank == 0) now(:, 0) = 100
    !$omp parallel do schedule(static)
    do j = 1, columns
      next(:, j) = 20
      stored(:, j) = 0
    end do
  end subroutine

  ! The outer columns of the neighbours become the columns 0 and columns + 1.
  subroutine exchange
    integer :: left, right, status(MPI_STATUS_SIZE)

    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call MPI_Sendrecv(now(:, columns), rows, MPI_DOUBLE_PRECISION, right, 1, &
      now(:, 0), rows, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, error)
    call MPI_Sendrecv(now(:, 1), rows, MPI_DOUBLE_PRECISION, left, 2, &
      now(:, columns + 1), rows, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, status, error)
  end subroutine

  subroutine advance
    integer :: i, j

    !$omp parallel do schedule(static)
    do j = 1, columns
      do i = 2, rows - 1
        next(i, j) = now(i, j) + 0.1d0 * &
          (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j))
      end do
    end do
    !$omp parallel do schedule(static)
    do j = 1, columns
      do i = 2, rows - 1
        now(i, j) = next(i, j)
        stored(i, j) = 0.999d0 * stored(i, j) + 0.001d0 * next(i, j)
      end do
    end do
  end subroutine

  subroutine add_up
    double precision :: mine
    integer :: i, j

    mine = 0
    do j = 1, columns
      do i = 1, rows
        mine = mine + stored(i, j)
      end do
    end do
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine
end program

! SPDX-License-Identifier: BSD-3-Clause
! Fortran version of team.c: one, each.
program team
  use, intrinsic :: iso_c_binding
  use memphis
  use omp_lib
  implicit none
  interface
    subroutine work_note(worker) bind(c)
      import :: c_int
      integer(c_int), value :: worker
    end subroutine work_note
    subroutine work_share(worker) bind(c)
      import :: c_int
      integer(c_int), value :: worker
    end subroutine work_share
    subroutine work_print(kind, workers) bind(c)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: kind(*)
      integer(c_int), value :: workers
    end subroutine work_print
  end interface
  character(len=8) :: how
  integer :: status
  logical :: each

  call get_command_argument(1, how)
  each = how == 'each'
  call memphis_begin('All', status)
  if (status /= 0) stop 1
  !$omp parallel num_threads(4)
  call work_note(int(omp_get_thread_num(), c_int))
  if (each) call memphis_begin('Own')
  call work_share(int(omp_get_thread_num(), c_int))
  if (each) call memphis_end('Own')
  !$omp end parallel
  call memphis_end('All', status)
  if (status /= 0) stop 2
  call work_print('team' // c_null_char, 4_c_int)
  call exit(5)
end program team

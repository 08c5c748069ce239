! SPDX-License-Identifier: BSD-3-Clause
! The threads of a team open a caliper, each as often as its number says. Prints the calls, and the times inside and outside of the calipers
! in ns, as times.c does.
program times
  use memphis
  use omp_lib
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none

  integer, parameter :: team = 4
  integer :: i, thread
  integer (int64) :: calls(0:team - 1), inside(0:team - 1), outside(0:team - 1), outer, inner, finished, rate

  calls = 0
  inside = 0
  outside = 0
  call system_clock(outer, rate)
  if (rate /= 1000000000_int64) stop 3
  call memphis_begin('TimeLoop')
  !$omp parallel num_threads(team) private(thread, i, outer, inner, finished)
  thread = omp_get_thread_num()
  do i = 1, 10 * (thread + 1)
    call system_clock(outer)
    call memphis_begin('Part')
    call system_clock(inner)
    calls(thread) = calls(thread) + 1
    call system_clock(finished)
    inside(thread) = inside(thread) + finished - inner
    call memphis_end('Part')
    call system_clock(finished)
    outside(thread) = outside(thread) + finished - outer
  end do
  !$omp end parallel
  call memphis_end('TimeLoop')
  ! The calipers of the master thread are inside its caliper TimeLoop, those of the others are not.
  print '(a, 3(1x, i0))', 'TimeLoop/Part', calls(0), inside(0), outside(0)
  print '(a, 3(1x, i0))', 'Part', sum(calls(1:)), sum(inside(1:)), sum(outside(1:))
end program times

! SPDX-License-Identifier: BSD-3-Clause
! Named timers: seconds and calls. Each timer is also a caliper, so that samples are assigned to its name.
! Only the master thread may start and stop timers, outside parallel regions.
module ice_timers
  use ice_kinds, only: dbl_kind, int_kind, long_kind
  use memphis, only: memphis_begin, memphis_end
  use omp_lib, only: omp_get_wtime
  implicit none
  private

  integer (int_kind), parameter, public :: &
    timer_loop     = 1, &
    timer_bound    = 2, &
    timer_halo     = 3, &
    timer_lclcpy   = 4, &
    timer_history  = 5, &
    number_timers  = 5

  character (len=20), parameter :: names(number_timers) = [ character (len=20) :: &
    'TimeLoop', 'Bound', 'ice_halo4dr8', 'ice_halo4dr8_lclcpy', 'History' ]

  type :: ice_timer
    real (dbl_kind) :: seconds = 0, started = 0
    integer (long_kind) :: calls = 0
  end type ice_timer

  type (ice_timer), save :: timers(number_timers)

  public :: ice_timer_start, ice_timer_stop, ice_timer_print

contains

  subroutine ice_timer_start(n)
    integer (int_kind), intent(in) :: n

    call memphis_begin(trim(names(n)))
    timers(n)%started = omp_get_wtime()
  end subroutine ice_timer_start

  subroutine ice_timer_stop(n)
    integer (int_kind), intent(in) :: n

    timers(n)%seconds = timers(n)%seconds + (omp_get_wtime() - timers(n)%started)
    timers(n)%calls = timers(n)%calls + 1
    call memphis_end(trim(names(n)))
  end subroutine ice_timer_stop

  subroutine ice_timer_print()
    integer (int_kind) :: n

    do n = 1, number_timers
      if (timers(n)%calls == 0) cycle
      write (*, '(a,a20,f12.3,a,i10,a)') 'timer ', names(n), timers(n)%seconds, ' s', &
        timers(n)%calls, ' calls'
    end do
  end subroutine ice_timer_print

end module ice_timers

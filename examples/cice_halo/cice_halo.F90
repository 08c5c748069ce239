! SPDX-License-Identifier: BSD-3-Clause
! A time loop like that of a sea-ice model. Its halo exchange has a NUMA defect, which two variants fix.
program cice_halo
  use ice_kinds, only: int_kind, long_kind
  use ice_arguments, only: addresses, check_ghosts, distribution, ice_arguments_read, progress, variant, &
    variant_name
  use ice_blocks, only: ice_blocks_init
  use ice_boundary, only: ice_boundary_init, ice_HaloUpdate
  use ice_check, only: ice_check_addresses, ice_check_ghosts, ice_checksum
  use ice_domain_size, only: nblocks, ncat, nsteps, ntrcr, nx_block, ny_block
  use ice_history, only: ice_history_accumulate, ice_history_init
  use ice_state, only: aicen, ice_state_init, trcrn
  use ice_timers, only: ice_timer_print, ice_timer_start, ice_timer_stop, timer_bound, timer_history, &
    timer_loop
  use ice_transport, only: ice_transport_init, ice_transport_step, tc, tx, ty
  use omp_lib, only: omp_get_max_threads
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none

  integer (int_kind) :: step

  call ice_arguments_read()
  call ice_blocks_init(distribution)
  call ice_state_init()
  call ice_transport_init()
  call ice_history_init()
  call ice_boundary_init(variant)
  write (*, '(3a,i0,a,i0,a,5(1x,i0))') 'variant ', trim(variant_name), ', ', omp_get_max_threads(), &
    ' threads, ', nsteps, ' steps, field', nx_block, ny_block, ntrcr, ncat, nblocks
  if (addresses) call ice_check_addresses()
  flush (output_unit)

  call ice_timer_start(timer_loop)
  do step = 1, nsteps
    call ice_transport_step()
    call bound_fields()
    call ice_timer_start(timer_history)
    call ice_history_accumulate()
    call ice_timer_stop(timer_history)
    if (progress > 0) call print_progress()
  end do
  call ice_timer_stop(timer_loop)

  call ice_timer_print()
  if (check_ghosts) call verify_ghosts()
  write (*, '(a,z16.16)') 'checksum ', ice_checksum()

contains

  subroutine print_progress()
    if (mod(step, progress) /= 0) return
    write (*, '(a,i0,a,i0)') 'step ', step, ' of ', nsteps
    flush (output_unit)
  end subroutine print_progress

  subroutine bound_fields()
    call ice_timer_start(timer_bound)
    call ice_HaloUpdate(tx)
    call ice_HaloUpdate(ty)
    call ice_HaloUpdate(tc)
    call ice_HaloUpdate(trcrn(1:nx_block, 1:ny_block, 1:ntrcr, 1:ncat, 1:nblocks))
    call ice_HaloUpdate(aicen(1:nx_block, 1:ny_block, 1:ncat, 1:nblocks))
    call ice_timer_stop(timer_bound)
  end subroutine bound_fields

  subroutine verify_ghosts()
    integer (long_kind) :: wrong

    wrong = ice_check_ghosts(tx) + ice_check_ghosts(ty) + ice_check_ghosts(tc) + &
      ice_check_ghosts(trcrn(1:nx_block, 1:ny_block, 1:ntrcr, 1:ncat, 1:nblocks)) + &
      ice_check_ghosts(reshape(aicen(1:nx_block, 1:ny_block, 1:ncat, 1:nblocks), &
        [nx_block, ny_block, 1, ncat, nblocks]))
    write (*, '(a,i0)') 'wrong ghost cells ', wrong
    if (wrong == 0) return
    write (error_unit, '(a)') 'cice_halo: the halo exchange left ghost cells that differ from their neighbours'
    stop 1
  end subroutine verify_ghosts

end program cice_halo

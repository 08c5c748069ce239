! SPDX-License-Identifier: BSD-3-Clause
! Calls every procedure of the Fortran module, with and without status.
program fortran
  use memphis
  implicit none
  real, allocatable :: tx(:, :)
  integer :: status

  allocate (tx(1000, 100))
  tx = 1
  call memphis_begin('TimeLoop')
  call memphis_begin('Bound   ', status)
  print '(i0)', status
  call memphis_name(tx, 'tx', status)
  print '(i0)', status
  call memphis_name(tx(::2, 5:1:-1), 'part of tx')
  call memphis_end('Bound', status)
  print '(i0)', status
  call memphis_flush()
  call memphis_end('TimeLoop')
  print '(f8.1)', sum(tx)
end program fortran

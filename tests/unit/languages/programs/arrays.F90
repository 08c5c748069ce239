! SPDX-License-Identifier: BSD-3-Clause
! Fortran 2003 as users write it: each kind of array, text and argument. The first byte of each array identifies it.
program arrays
  use memphis
  implicit none
  type column
    integer(1), pointer :: levels(:) => null()
  end type column
  integer(1), allocatable :: field(:, :), empty(:)
  integer(1), target :: fixed(10)
  integer(1), pointer :: part(:), nothing(:) => null()
  character(len=8) :: texts(3)
  character(len=20) :: text
  character(len=:), allocatable :: key
  type(column) :: columns(2)
  type(memphis_pool) :: pool
  integer(1) :: scalar
  integer :: status

  allocate (field(4, 3), empty(0))
  field = 16
  field(2, 1) = 17
  fixed = 32
  fixed(2) = 33
  scalar = 48
  texts = 'abcdefgh'
  allocate (columns(2)%levels(6))
  columns(2)%levels = 64

  call memphis_begin('TimeLoop')
  text = 'Inner'
  call memphis_begin(text, status)
  print '(a, i0)', 'status ', status
  call memphis_end(text)
  call memphis_end('TimeLoop   ', status=status)
  call memphis_begin('', status)
  print '(a, i0)', 'status ', status
  call memphis_end('   ', status)
  print '(a, i0)', 'status ', status

  call memphis_name(field, 'field')
  call memphis_name(field(2, :), 'row')
  call memphis_name(field(:, 3:1:-1), 'columns backwards')
  call memphis_name(field(2, 1), 'element')
  part => fixed(2:10:4)
  call memphis_name(part, 'pointer', status)
  print '(a, i0)', 'status ', status
  call memphis_name(scalar, 'scalar')
  call memphis_name(texts, 'texts')
  call memphis_name(columns(2)%levels, text)
  call memphis_name(nothing, 'nothing', status)
  print '(a, i0)', 'null pointer ', status
  call memphis_name(empty, 'empty', status)
  print '(a, i0)', 'no element ', status
  call memphis_name(scalar, ' ', status)
  print '(a, i0)', 'no name ', status
  call shapes(field, fixed, 5)

  call memphis_pool_alloc(pool, field, 'no pool', status)
  print '(a, i0)', 'no pool ', status
  call memphis_pool_create(pool, 'fields  ', status)
  print '(a, i0)', 'status ', status
  call memphis_pool_alloc(pool, field(:, 3:1:-1), 'tx  ', status)
  call memphis_pool_alloc(pool, columns(2)%levels, ' ')
  print '(a, i0)', 'status ', status
  call memphis_pool_alloc(pool, nothing, 'nothing', status)
  print '(a, i0)', 'null pointer ', status
  call memphis_pool_free(pool, field, status)
  call memphis_pool_free(pool, columns(2)%levels)
  call memphis_pool_free(pool, empty, status)
  print '(a, i0)', 'no element ', status
  call memphis_pool_reset(pool, status)
  call memphis_pool_destroy(pool)
  call memphis_pool_destroy(pool)

  key = 'period'
  call memphis_configure(key, '65536 ', status)
  print '(a, i0)', 'status ', status
  call memphis_configure('filter', 'dram')
  call memphis_configure(repeat('k', 100), 'v', status)
  print '(a, i0)', 'no such key ', status
  call memphis_pause(status)
  call memphis_resume()
  print '(a, i0, a, i0)', 'status ', status, ', sampling ', memphis_is_sampling()
  call memphis_flush(status)
  call memphis_flush()
  call memphis_status(text)
  print '(3a)', '[', text, ']'
  call memphis_version(text)
  print '(3a)', '[', text, ']'

contains

  subroutine shapes(assumed, explicit, n)
    integer(1), intent(in) :: assumed(:, :)
    integer, intent(in) :: n
    integer(1), intent(in) :: explicit(n)

    call memphis_name(assumed, 'assumed shape')
    call memphis_name(assumed(2:3, 2:3), 'section of it')
    call memphis_name(explicit, 'explicit shape')
  end subroutine shapes
end program arrays

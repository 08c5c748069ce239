! SPDX-License-Identifier: BSD-3-Clause
! Accesses to arrays of Fortran: after "!", the members that a line accesses, as in records.c.
module grids
	implicit none
	type cell
		real(8) :: low, high
		integer :: level
		real(8), allocatable :: values(:)
	end type
	real(8), allocatable :: tx(:)
	real(8) :: fixed(100, 100)
	real(8) :: scalar
contains
	subroutine scale(a, n)
		integer, intent(in) :: n
		real(8), intent(inout) :: a(n)
		integer :: i
		do i = 1, n
			a(i) = 2 * a(i) ! real(kind=8)
		end do
	end subroutine

	function sum_shaped(a) result(s)
		real(8), intent(in) :: a(:)
		real(8) :: s
		integer :: i
		s = 0
		do i = 1, size(a)
			s = s + a(i) ! real(kind=8)
		end do
	end function

	function of_module(i) result(s)
		integer, intent(in) :: i
		real(8) :: s
		s = tx(i) ! descriptor of real(kind=8); ?real(kind=8); integer(kind=4); ?(no-static-variable)
	end function ! ?real(kind=8)

	function of_cell(c) result(s)
		type(cell), intent(in) :: c
		real(8) :: s
		s = c%high ! ?cell.high
		s = s + c%level ! cell.level; ?cell.high
	end function

	function of_scalar() result(s)
		real(8) :: s
		s = scalar ! ?real(kind=8); ?(no-static-variable)
	end function ! ?real(kind=8)
end module

! SPDX-License-Identifier: BSD-3-Clause
! Automatic arrays, and local allocatables and pointers, whose blocks have different sizes. touch() is in touch.c, so that no array
! is optimised away.
module locals_m
    implicit none
contains
    subroutine remap(nx, ny, nt, total)
        integer, intent(in) :: nx, ny, nt
        real(8), intent(inout) :: total
        real(8) :: tc(nx, ny, nt)
        real(8) :: tx(nx, ny), ty(nx, nt), tz(2 * nx)
        integer :: i

        call touch(tx); call touch(ty); call touch(tz); call touch(tc)
        call inner(nt)
        do i = 1, nx
            total = total + tx(i, 1) + ty(i, 1) + tz(i) + tc(i, 1, 1)
        end do
    contains
        subroutine inner(k)
            integer, intent(in) :: k
            real(8) :: ia(100 * k), ib(101 * k), ic(102 * k)

            call touch(ia); call touch(ib); call touch(ic)
            tx(1, 1) = ia(1) + ib(2) + ic(3)
        end subroutine
    end subroutine

    subroutine objects(n)
        integer, intent(in) :: n
        real(8), allocatable :: pa(:), pb(:)
        real(8), pointer :: pc(:), pd(:)

        allocate(pa(n + 21), pb(n + 22))
        allocate(pc(n + 23)); allocate(pd(n + 24))
        call touch(pa); call touch(pb); call touch(pc); call touch(pd)
        deallocate(pc, pd)
    end subroutine

    ! The compiler inlines this one.
    subroutine small(n)
        integer, intent(in) :: n
        real(8) :: sa(n + 31), sb(n + 32)

        call touch(sa); call touch(sb)
    end subroutine

    subroutine outer(n)
        integer, intent(in) :: n

        call small(n)
    end subroutine

    subroutine each(n)
        integer, intent(in) :: n
        real(8) :: ea(n + 41), eb(n + 42)

        call touch(ea); call touch(eb)
    end subroutine

    subroutine parallel(n)
        integer, intent(in) :: n
        real(8) :: ga(n + 51), gb(n + 52)

        call touch(gb)
        !$omp parallel firstprivate(ga)
        call touch(ga)
        call each(n)
        !$omp end parallel
    end subroutine

    ! Nothing but its size tells which is which: neither array has an address in the debug information if it is only passed on.
    subroutine sized(n)
        integer, intent(in) :: n
        real(8) :: za(5, n), zb(7, n)

        call touch(za); call touch(zb)
    end subroutine
end module

program main
    use locals_m
    implicit none
    real(8) :: total
    integer :: k

    total = 0
    k = 3
    call remap(200, 20, k, total)
    call objects(1000)
    call outer(1000)
    call parallel(1000)
    call sized(1000 + k)
    print *, total
end program

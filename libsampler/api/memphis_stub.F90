! SPDX-License-Identifier: BSD-3-Clause
! Replaces memphis_fortran.F90 in builds without libmemphis: the module `memphis`, whose calls do nothing. `status` is set to a
! negative value, as if sampling were not possible. A program may carry a copy.
module memphis
  implicit none
  private
  public :: memphis_begin, memphis_end, memphis_pause, memphis_resume, memphis_is_sampling
#ifndef __flang__
  public :: memphis_name, memphis_pool_alloc, memphis_pool_free
#endif
  public :: memphis_pool_create, memphis_pool_reset, memphis_pool_destroy
  public :: memphis_configure, memphis_flush, memphis_status, memphis_version

  integer, parameter, public :: memphis_version_major = 0, memphis_version_minor = 0

  integer, parameter :: enodev = -19

  type, public :: memphis_pool
    private
    integer :: unused = 0
  end type memphis_pool

contains

  subroutine memphis_begin(name, status)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    associate (unused => name)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_begin

  subroutine memphis_end(name, status)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    associate (unused => name)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_end

  subroutine memphis_pause(status)
    integer, intent(out), optional :: status

    if (present(status)) status = enodev
  end subroutine memphis_pause

  subroutine memphis_resume(status)
    integer, intent(out), optional :: status

    if (present(status)) status = enodev
  end subroutine memphis_resume

  function memphis_is_sampling() result(state)
    integer :: state

    state = enodev
  end function memphis_is_sampling

! flang (until version 19 at least) can't compile a procedure that has an array of assumed rank.
#ifndef __flang__
  subroutine memphis_name(array, name, status)
    type(*), intent(in) :: array(..)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    associate (unused => rank(array), unused_too => name)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_name

  subroutine memphis_pool_alloc(pool, array, name, status)
    type(memphis_pool), intent(in) :: pool
    type(*), intent(in) :: array(..)
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    associate (unused => pool, unused_too => rank(array), and_this => name)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_pool_alloc

  subroutine memphis_pool_free(pool, array, status)
    type(memphis_pool), intent(in) :: pool
    type(*), intent(in) :: array(..)
    integer, intent(out), optional :: status

    associate (unused => pool, unused_too => rank(array))
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_pool_free
#endif

  subroutine memphis_pool_create(pool, name, status)
    type(memphis_pool), intent(out) :: pool
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: status

    associate (unused => pool, unused_too => name)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_pool_create

  subroutine memphis_pool_reset(pool, status)
    type(memphis_pool), intent(in) :: pool
    integer, intent(out), optional :: status

    associate (unused => pool)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_pool_reset

  subroutine memphis_pool_destroy(pool, status)
    type(memphis_pool), intent(inout) :: pool
    integer, intent(out), optional :: status

    associate (unused => pool)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_pool_destroy

  subroutine memphis_configure(key, value, status)
    character(len=*), intent(in) :: key, value
    integer, intent(out), optional :: status

    associate (unused => key, unused_too => value)
    end associate
    if (present(status)) status = enodev
  end subroutine memphis_configure

  subroutine memphis_flush(status)
    integer, intent(out), optional :: status

    if (present(status)) status = enodev
  end subroutine memphis_flush

  subroutine memphis_status(text)
    character(len=*), intent(out) :: text

    text = 'not sampling: built without libmemphis'
  end subroutine memphis_status

  subroutine memphis_version(text)
    character(len=*), intent(out) :: text

    text = ''
  end subroutine memphis_version

end module memphis

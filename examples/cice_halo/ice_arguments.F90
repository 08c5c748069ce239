! SPDX-License-Identifier: BSD-3-Clause
! Parsing of the command line.
module ice_arguments
  use ice_kinds, only: int_kind
  use ice_blocks, only: distribution_contiguous, distribution_roundrobin
  use ice_boundary, only: variant_base, variant_mod1, variant_mod2
  use ice_domain_size, only: ice_domain_error, nblocks, ncat, nghost, nsteps, ntrcr, nx_block, ny_block
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none
  private

  integer (int_kind), public :: variant = variant_base, distribution = distribution_roundrobin
  integer (int_kind), public :: progress = 0   ! steps between two progress lines
  character (len=16), public :: variant_name = 'base'
  logical, public :: check_ghosts = .false., addresses = .false.

  interface
    ! exit() is used because `stop 2` would print an additional line to stderr, below the error message.
    subroutine c_exit(status) bind(c, name='exit')
      import :: c_int
      integer (c_int), value :: status
    end subroutine c_exit
  end interface

  public :: ice_arguments_read

contains

  subroutine ice_arguments_read()
    integer :: n
    character (len=64) :: word

    n = 1
    do while (n <= command_argument_count())
      call get_command_argument(n, word)
      select case (word)
      case ('--help', '-h')
        call usage()
        flush (output_unit)
        call c_exit(0_c_int)
      case ('--verify')
        check_ghosts = .true.
      case ('--addresses')
        addresses = .true.
      case default
        call option_with_value(word, n)
      end select
      n = n + 1
    end do
    if (ice_domain_error() /= '') call refuse(ice_domain_error())
  end subroutine ice_arguments_read

  subroutine option_with_value(option, n)
    character (len=*), intent(in) :: option
    integer, intent(inout) :: n
    character (len=64) :: value

    if (n == command_argument_count()) &
      call refuse('cice_halo: '//trim(option)//': unknown option, or its value is missing; see --help')
    n = n + 1
    call get_command_argument(n, value)
    select case (option)
    case ('--variant')
      call choose_variant(value)
    case ('--distribution')
      call choose_distribution(value)
    case ('--nx')
      nx_block = number(option, value) + 2*nghost
    case ('--ny')
      ny_block = number(option, value) + 2*nghost
    case ('--k')
      ntrcr = number(option, value)
    case ('--l')
      ncat = number(option, value)
    case ('--blocks')
      nblocks = number(option, value)
    case ('--steps')
      nsteps = number(option, value)
    case ('--progress')
      progress = number(option, value)
    case default
      call refuse('cice_halo: '//trim(option)//': unknown option; see --help')
    end select
  end subroutine option_with_value

  subroutine choose_variant(value)
    character (len=*), intent(in) :: value

    variant_name = value
    select case (value)
    case ('base')
      variant = variant_base
    case ('mod1')
      variant = variant_mod1
    case ('mod2')
      variant = variant_mod2
    case default
      call refuse('cice_halo: --variant '//trim(value)//': must be base, mod1 or mod2')
    end select
  end subroutine choose_variant

  subroutine choose_distribution(value)
    character (len=*), intent(in) :: value

    select case (value)
    case ('roundrobin')
      distribution = distribution_roundrobin
    case ('contiguous')
      distribution = distribution_contiguous
    case default
      call refuse('cice_halo: --distribution '//trim(value)//': must be roundrobin or contiguous')
    end select
  end subroutine choose_distribution

  function number(option, value)
    character (len=*), intent(in) :: option, value
    integer (int_kind) :: number
    integer :: status

    number = 0
    status = 1
    if (all_digits(value)) read (value, *, iostat=status) number
    if (status /= 0) call refuse('cice_halo: '//trim(option)//' '//trim(value)//': not a number')
  end function number

  pure function all_digits(value)
    character (len=*), intent(in) :: value
    logical :: all_digits

    all_digits = len_trim(value) > 0 .and. len_trim(value) < 10 .and. verify(trim(value), '0123456789') == 0
  end function all_digits

  subroutine refuse(text)
    character (len=*), intent(in) :: text

    write (error_unit, '(a)') text
    flush (error_unit)
    call c_exit(2_c_int)
  end subroutine refuse

  subroutine usage()
    write (*, '(a)') 'usage: cice_halo [options]'
    write (*, '(a)') '  --variant base|mod1|mod2               thread that copies halo points (base)'
    write (*, '(a)') '  --distribution roundrobin|contiguous   distribution of blocks to threads (roundrobin)'
    write (*, '(a,i0,a)') '  --steps N     time steps (', nsteps, ')'
    write (*, '(a,i0,a)') '  --blocks N    blocks (', nblocks, ')'
    write (*, '(a,i0,a)') '  --nx N        inner cells of a block, east-west (', nx_block - 2*nghost, ')'
    write (*, '(a,i0,a)') '  --ny N        inner cells of a block, south-north (', ny_block - 2*nghost, ')'
    write (*, '(a,i0,a)') '  --k N         tracers, third dimension of a field (', ntrcr, ')'
    write (*, '(a,i0,a)') '  --l N         categories, fourth dimension of a field (', ncat, ')'
    write (*, '(a)') '  --progress N  print the progress every N steps (never)'
    write (*, '(a)') '  --verify      check every ghost cell after the last step'
    write (*, '(a)') '  --addresses   print the addresses of the fields'
  end subroutine usage

end module ice_arguments

! SPDX-License-Identifier: BSD-3-Clause
! Names of functions: of modules, of parallel regions in them, and of contained procedures.
! corpus: flags -fopenmp
module ice_history
  use corpus
  implicit none
  real(8) :: field(n)
contains
  subroutine accumulate
    !$omp parallel
    call truth(field, 'ice_history::field in ice_history::accumulate (OpenMP) or accumulate (OpenMP);')
    !$omp end parallel
    call truth(field, 'ice_history::field in ice_history::accumulate or accumulate;')
    call contained
  contains
    subroutine contained
      call truth(field, 'ice_history::field in ice_history::accumulate::contained or accumulate::contained or contained;')
    end subroutine contained
  end subroutine accumulate
end module ice_history

program main
  use ice_history
  call accumulate
end program main

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables in which launchers and batch systems pass the rank of a process and its job. The first variable
 * that is set is used.
 */
#ifndef MEMPHIS_JOB_H
#define MEMPHIS_JOB_H

#define MEMPHIS_RANK_VARIABLES \
	"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"
#define MEMPHIS_JOB_VARIABLES "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"

/* Values of %r and %j if none of the variables is set. */
#define MEMPHIS_NO_RANK "0"
#define MEMPHIS_NO_JOB  "nojob"

#endif

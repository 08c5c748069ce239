#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A user's job on the node with the module: samples an OpenMP program, makes the report, and leaves a process behind that holds the device.
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --output=job.out
#SBATCH --memphis=period=32768,filter=remote,output=samples
set -euo pipefail

echo "on $SLURMD_NODENAME of $SLURM_JOB_NODELIST"
# Idle threads sleep, because the machine's CPUs share the host's.
export OMP_NUM_THREADS=4 OMP_PLACES=threads OMP_PROC_BIND=close OMP_WAIT_POLICY=passive
echo "$SLURM_JOB_ID" > started
until [ -e go ]; do sleep 0.5; done

srun --cpus-per-task=4 ./defect
memphis report --format paper samples
memphis report --format json -o report.json samples

# Neither its session nor its environment ties this process to the job.
setsid env -i bash -c 'exec 8<> /dev/memphis; echo $$ > escaped; exec sleep 100000' < /dev/null > /dev/null 2>&1 &
until [ -s escaped ]; do sleep 0.1; done

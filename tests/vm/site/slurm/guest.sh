#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: a Slurm of two nodes, a0 with the module and b1 without, set up as by an administrator; then a job of alice from
# sbatch to the closed device, with jobs of bob at the same time; then the same nodes with control groups of version 2, and the device as a
# generic resource. The results of each step go to files. usage: guest.sh OUT
# shellcheck disable=SC2016 # jobs have variables of their own
set -u

out=$1
batch=/usr/libexec/memphis/batch
groups=/sys/fs/cgroup
mkdir -p "$out/log"

# note NAME COMMAND...: stores the output of a command, and its status in a separate file.
note()
{
	local name=$1 status=0

	shift
	"$@" > "$out/$name" 2>&1 || status=$?
	echo "$status" > "$out/$name.status"
	echo "$(cut -d' ' -f1 /proc/uptime) $name: $status: $(tail -n 1 "$out/$name" | cut -c -120)"
}

# Waits for a condition. The limit ends the test early enough to get files out of the guest that show why the condition never
# held.
until_true()
{
	local end=$((SECONDS + 1200))

	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || { echo "never: $*"; exit 1; }
		sleep 0.5
	done
}

# as USER COMMAND: runs a command with the user's shell in the home directory.
as()
{
	su "$1" -c "cd && $2"
}

accounts()
{
	local user id=3000

	printf 'root:x:0:0::/root:/bin/bash\n' > /etc/passwd
	printf 'root:x:0:\n' > /etc/group
	for user in alice bob; do
		id=$((id + 1))
		echo "$user:x:$id:$id::/home/$user:/bin/bash" >> /etc/passwd
		echo "$user:x:$id:" >> /etc/group
		mkdir -p "/home/$user"
		chown -R "$id:$id" "/home/$user"
	done
}

# The project's configuration file, nearly as installed.
configure()
{
	sed -i -e 's/^NODES=.*/NODES=a0/' -e 's/^USERS=.*/USERS=alice/' -e 's/^GRACE_SECONDS=.*/GRACE_SECONDS=1/' /etc/memphis/batch.conf
	mkdir -p /etc/slurm /var/spool/slurmctld /var/spool/slurmd-a0 /var/spool/slurmd-b1
	{
		cat /root/slurm/base.conf
		# No timeout may expire because the machine is slow.
		cat <<-TEXT
			ClusterName=test
			SlurmctldHost=machine(10.77.0.1)
			SlurmctldLogFile=$out/log/slurmctld
			SlurmdLogFile=$out/log/slurmd-%n
			MessageTimeout=100
			TCPTimeout=100
			BatchStartTimeout=600
			MinJobAge=3600
		TEXT
		# Health checks run only when they are called, and not at the same time as others.
		printf '%s\n' SchedulerParameters=batch_sched_delay=0 HealthCheckInterval=3600
		# As pam_slurm_adopt needs it.
		echo PrologFlags=Contain
		echo "NodeName=a0 NodeHostname=machine NodeAddr=10.77.0.1 Port=17001 CPUs=4 RealMemory=100"
		echo "NodeName=b1 NodeHostname=b1 NodeAddr=10.77.0.1 Port=17002 CPUs=4 RealMemory=100"
		echo "PartitionName=work Nodes=a0,b1 Default=YES MaxTime=INFINITE State=UP"
	} > /etc/slurm/slurm.conf
	"$batch/slurm/fragment" plugstack.conf > /etc/slurm/plugstack.conf
	cp "$batch/slurm/job_submit.lua" /etc/slurm/
	: > /etc/slurm/memphis.conf
	echo "include memphis.conf" >> /etc/slurm/slurm.conf
	printf '%s\n' CgroupPlugin=cgroup/v1 CgroupAutomount=no > /etc/slurm/cgroup.conf
}

# Slurm's daemons refuse a machine whose only address is 127.0.0.1.
network()
{
	ifconfig lo:1 10.77.0.1 netmask 255.255.255.255 up
	printf '%s\n' '127.0.0.1 localhost' '10.77.0.1 machine b1' > /etc/hosts
}

munge()
{
	mkdir -p /etc/munge /run/munge /var/log/munge /var/lib/munge
	head -c 64 /dev/urandom > /etc/munge/munge.key
	chmod 400 /etc/munge/munge.key
	munged --num-threads=2 --key-file=/etc/munge/munge.key --socket=/run/munge/munge.socket --pid-file=/run/munge/munged.pid \
		--log-file="$out/log/munged" --seed-file=/var/lib/munge/munge.seed < /dev/null
}

# The other node has a name and a /dev of its own, without the device.
other_node()
{
	hostname b1
	mount -t tmpfs -o mode=755 none /mnt
	cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/fd /dev/stdin /dev/stdout /dev/stderr /mnt/
	mkdir /mnt/pts /mnt/shm
	mount --move /mnt /dev
	exec slurmd -N b1 < /dev/null
}

both_idle()
{
	[ "$(sinfo -h -N -o %T | sort -u)" = idle ]
}

# Includes jobs that are completing: when there are none, epilogs have run.
no_jobs()
{
	[ -z "$(squeue -h)" ]
}

can_open()
{
	as "$1" 'exec 8<> /dev/memphis'
}

permissions()
{
	stat -c '%u:%g' /dev/memphis
	getfacl -cnp /dev/memphis
}

no_daemons()
{
	! compgen -G '/run/slurm*.pid'
}

# Enables the controllers of control groups, as systemd does. Slurm 22.05 does not find the last one of a list, so it needs one more than it uses.
delegate()
{
	local folder

	mkdir "$groups/system.slice"
	for folder in "$groups" "$groups/system.slice"; do
		echo '+cpuset +cpu +memory +pids' > "$folder/cgroup.subtree_control"
	done
}

# as_service NAME COMMAND...: runs a daemon in a group of its own, as systemd does.
as_service()
(
	mkdir "$groups/system.slice/$1.service"
	echo "$BASHPID" > "$groups/system.slice/$1.service/cgroup.procs"
	shift
	exec "$@"
)

# Lets Slurm track processes and give out devices by control groups. Slurm 22.05 gives out only those resources for which it has a plug-in.
constrain()
{
	note remove "$batch/slurm/reservation" remove
	sed -i -e 's/^POLICY=.*/POLICY=queue/' -e 's/^GROUPS=.*/GROUPS=none/' -e 's/^GRES=.*/GRES=nic/' /etc/memphis/batch.conf
	"$batch/slurm/fragment" slurm.conf > "$out/queue"
	scontrol shutdown
	until_true no_daemons
	cp "$out/queue" /etc/slurm/memphis.conf
	sed -i 's/^NodeName=a0 .*/& Gres=nic:1/' /etc/slurm/slurm.conf
	printf '%s\n' ProctrackType=proctrack/cgroup TaskPlugin=task/cgroup JobAcctGatherType=jobacct_gather/cgroup >> /etc/slurm/slurm.conf
	"$batch/slurm/fragment" gres.conf > /etc/slurm/gres.conf
	printf '%s\n' CgroupPlugin=cgroup/v2 IgnoreSystemd=yes ConstrainDevices=yes ConstrainCores=yes > /etc/slurm/cgroup.conf
	delegate
	slurmctld < /dev/null
	as_service slurmd-a0 slurmd -N a0 < /dev/null
	as_service slurmd-b1 unshare -m -u bash -c other_node
	until_true both_idle
}

accounts
configure
network
munge
mkdir -p /mnt
export -f other_node
slurmctld < /dev/null
until_true scontrol ping
# The lines are merged with those in force, so they are written while the controller runs.
note fragment "$batch/slurm/fragment" slurm.conf
cp "$out/fragment" /etc/slurm/memphis.conf
scontrol reconfigure
slurmd -N a0 < /dev/null
unshare -m -u bash -c other_node
until_true both_idle
note reservation "$batch/slurm/reservation" create
note fit "$batch/slurm/health" --print
note node memphis node --format json

as alice 'sbatch --parsable job.sh' > "$out/id"
until_true test -e /home/alice/started
note open permissions
note owner "$batch/handover" owner
note busy "$batch/slurm/health" --print
note bob-opens can_open bob
note bob-asks as bob 'srun --memphis true'
note bob-reserves as bob 'srun --reservation=memphis true'
note bob-elsewhere as bob 'srun bash -c "echo \$SLURMD_NODENAME \$(ls /dev/memphis 2> /dev/null)"'
echo > /home/alice/go
until_true no_jobs

note job scontrol -o show job "$(cat "$out/id")"
note closed permissions
note nobody "$batch/handover" owner
note uses cat /sys/module/memphis/refcnt
note escaped test -d "/proc/$(cat /home/alice/escaped)"
note alice-opens-after can_open alice
note bob-opens-after can_open bob
note fit-after "$batch/slurm/health" --print
note next as alice 'srun --memphis bash -c "exec 8<> /dev/memphis && echo \$SLURMD_NODENAME"'
until_true no_jobs
# The module is unused, so it can be unloaded; the node is then drained, and resumed when the module is back.
note unload rmmod memphis
note unfit "$batch/slurm/health"
note drained sinfo -h -N -n a0 -o '%T %E'
note load insmod /lib/modules/memphis.ko
note fit-again "$batch/slurm/health"
note resumed sinfo -h -N -n a0 -o '%T %E'

constrain
note constrained as alice 'srun --memphis bash -c "exec 8<> /dev/memphis && cat /proc/self/cgroup"'
as alice 'sbatch --memphis -o left.out' <<- 'JOB'
	#!/bin/bash
	setsid env -i bash -c 'echo $$ > left; exec sleep 100000' < /dev/null > /dev/null 2>&1 &
	until [ -s left ]; do sleep 0.1; done
JOB
until_true test -s /home/alice/left
until_true no_jobs
note left test -d "/proc/$(cat /home/alice/left)"
as alice 'sbatch -w a0 -o without.out' <<- 'JOB'
	#!/bin/bash
	: > prolog-ran
	until [ -e opened ]; do sleep 0.1; done
	exec 8<> /dev/memphis
JOB
until_true test -e /home/alice/prolog-ran
setfacl -m u:3001:rw /dev/memphis
note outside can_open alice
echo > /home/alice/opened
until_true no_jobs
note without cat /home/alice/without.out

-- SPDX-License-Identifier: BSD-3-Clause
-- Handles jobs that request the node with memphis.ko: makes it the first node of jobs of selected users, and refuses jobs of other
-- users with a message. job_submit.lua, or the site's own job_submit.lua, calls both functions (docs/slurm.md).
-- /etc/memphis/batch.conf sets the node and the users; with POLICY=reservation the reservation sets the users.

local memphis = {}
local conf = os.getenv("MEMPHIS_BATCH_CONF") or "/etc/memphis/batch.conf"
local presets = {POLICY = "reservation", JOBS = "asking", RESERVATION = "memphis", QUEUE = "memphis"}

-- Reads batch.conf. settings.sh reports errors in the file; this function does not.
local function settings()
	local set = {}
	local file = io.open(conf)

	if not file then
		return nil
	end
	for name, value in pairs(presets) do
		set[name] = value
	end
	for line in file:lines() do
		local name, value = line:match('^%s*([A-Z_]+)=(.-)%s*$')

		if name then
			set[name] = value:match('^"(.*)"$') or value
		end
	end
	file:close()
	return set.NODES and set.USERS and set
end

local function in_list(name, list)
	return ("," .. (list or "") .. ","):find("," .. name .. ",", 1, true) ~= nil
end

-- The SPANK plugin passes the option of srun and sbatch to the controller in the environment that it sets for prologs.
local function has_option(job)
	for _, entry in pairs(job.spank_job_env or {}) do
		if tostring(entry):match("^MEMPHIS=") or tostring(entry):match("^SPANK_MEMPHIS=") then
			return true
		end
	end
	return false
end

local function place_of(job, set)
	if set.POLICY == "queue" then
		return job.partition == set.QUEUE
	end
	-- A job that is being submitted has the first field, an existing job the second.
	return in_list(set.RESERVATION, job.reservation or job.resv_name)
end

-- Returns the list of selected users, or nil and the reason.
local function users(set)
	if set.POLICY == "queue" then
		return set.USERS
	end
	local reservation = slurm.reservations[set.RESERVATION]

	if not reservation then
		return nil, "there is no reservation " .. set.RESERVATION .. "; the administrator has to create it"
	end
	return reservation.users
end

local function refuse(why)
	slurm.log_user("memphis: %s", why)
	slurm.log_info("memphis: refused: %s", why)
	return slurm.ESLURM_ACCESS_DENIED or slurm.ERROR
end

-- Requests exclusive nodes, as other jobs would share the caches and the memory that are measured.
local function place(job, set)
	job.shared = 0
	if set.POLICY == "queue" then
		job.partition = set.QUEUE
		return
	end
	job.reservation = set.RESERVATION
	if job.req_nodes and job.req_nodes ~= "" then
		job.req_nodes = set.NODES .. "," .. job.req_nodes
	else
		job.req_nodes = set.NODES
	end
end

function memphis.submit(job, _, uid)
	local set = settings()

	if not set then
		return slurm.SUCCESS
	end
	local asks = has_option(job) or place_of(job, set)

	if not asks and set.JOBS ~= "all" then
		return slurm.SUCCESS
	end
	-- Only the first component of a heterogeneous job gets the node.
	if (job.het_job_offset or 0) > 0 and job.het_job_offset < 0xfffffffe then
		return slurm.SUCCESS
	end
	local chosen, why = users(set)
	local name = job.user_name or tostring(uid)

	if not in_list(name, chosen) then
		if not asks then
			return slurm.SUCCESS
		end
		return refuse(why or ("user " .. name .. " is not allowed to use the node with the module"))
	end
	place(job, set)
	slurm.log_info("memphis: job of %s goes to %s", name, set.NODES)
	return slurm.SUCCESS
end

-- The nodes of such a job are fixed at submission; only root may change them later.
function memphis.modify(change, job, _, uid)
	local set = settings()

	if not set or uid == 0 then
		return slurm.SUCCESS
	end
	local moves = change.req_nodes or change.exc_nodes or change.reservation or change.partition

	if moves and (place_of(job, set) or place_of(change, set)) then
		return refuse("the nodes of a job with the module are fixed at submission: cancel the job, and submit it again")
	end
	return slurm.SUCCESS
end

return memphis

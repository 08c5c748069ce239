-- SPDX-License-Identifier: BSD-3-Clause
-- Jobs that ask for the node with memphis.ko: puts those of chosen users where it is their first node, refuses others and says
-- why. job_submit.lua calls both functions; a site that has a job_submit.lua calls them from there (docs/slurm.md).
-- Which users and which node: /etc/memphis/batch.conf, and with POLICY=reservation the reservation's own list.

local memphis = {}
local conf = os.getenv("MEMPHIS_BATCH_CONF") or "/etc/memphis/batch.conf"
local presets = {POLICY = "reservation", JOBS = "asking", RESERVATION = "memphis", QUEUE = "memphis"}

-- settings.sh says what is wrong with the file; here only what it would take is read.
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

-- srun and sbatch tell the option by the environment that the SPANK plugin makes for prologs.
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
	-- A job that is submitted has the one field, a job that is there the other.
	return in_list(set.RESERVATION, job.reservation or job.resv_name)
end

-- The chosen users, or nil and why there are none.
local function users(set)
	if set.POLICY == "queue" then
		return set.USERS
	end
	local reservation = slurm.reservations[set.RESERVATION]

	if not reservation then
		return nil, "there is no reservation " .. set.RESERVATION .. " now; the administrator makes it"
	end
	return reservation.users
end

local function refuse(why)
	slurm.log_user("memphis: %s", why)
	slurm.log_info("memphis: refused: %s", why)
	return slurm.ESLURM_ACCESS_DENIED or slurm.ERROR
end

-- Alone on its nodes: whoever shares the node would share the caches and the memory that are measured, too.
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
	-- Of a heterogeneous job the first component comes first, and has the node.
	if (job.het_job_offset or 0) > 0 and job.het_job_offset < 0xfffffffe then
		return slurm.SUCCESS
	end
	local chosen, why = users(set)
	local name = job.user_name or tostring(uid)

	if not in_list(name, chosen) then
		if not asks then
			return slurm.SUCCESS
		end
		return refuse(why or ("user " .. name .. " is not among those who may use the node with the module"))
	end
	place(job, set)
	slurm.log_info("memphis: job of %s goes to %s", name, set.NODES)
	return slurm.SUCCESS
end

-- Where such a job runs was decided when it was submitted; root may still change it.
function memphis.modify(change, job, _, uid)
	local set = settings()

	if not set or uid == 0 then
		return slurm.SUCCESS
	end
	local moves = change.req_nodes or change.exc_nodes or change.reservation or change.partition

	if moves and (place_of(job, set) or place_of(change, set)) then
		return refuse("where a job with the module runs is decided at its submission: cancel it, and submit it anew")
	end
	return slurm.SUCCESS
end

return memphis

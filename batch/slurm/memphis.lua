-- SPDX-License-Identifier: BSD-3-Clause
-- Handles jobs that request the node with memphis.ko: gives it to jobs of selected users, as any of their nodes, and refuses jobs of other
-- users with a message. job_submit.lua, or the site's own job_submit.lua, calls both functions (docs/slurm.md).
-- /etc/memphis/batch.conf sets the node and the users; with POLICY=reservation the reservation sets the users.

local memphis = {}
local conf = os.getenv("MEMPHIS_BATCH_CONF") or "/etc/memphis/batch.conf"
local presets = {COMMANDS = "none", GRES = "none", POLICY = "reservation", JOBS = "asking", RESERVATION = "memphis", QUEUE = "memphis"}

local said_unusable = false
-- Whether the first component of a user's last heterogeneous job asks. Slurm submits the components one after the other.
local first_asks = {}

-- Slurm's own limit of the nodes of a list, and limits of each name: of its characters without those in brackets, and of its brackets. The controller
-- waits while a list is expanded.
local most_names, longest_name, most_brackets = 65536, 63, 5
local brackets = "%[[^%[%]]*%]"

-- Returns the numbers of ranges like `0-3;07` as text with their zeros, in a table; nil if they are more than `most`.
local function numbers_of(ranges, most)
	local numbers = {}

	for from, to in ranges:gmatch("(%d+)%-?(%d*)") do
		local first, last = tonumber(from), tonumber(to ~= "" and to or from)

		if #from > 9 or last - first + 1 > most - #numbers then
			return nil
		end
		for number = first, last do
			table.insert(numbers, ("%0" .. #from .. "d"):format(number))
		end
	end
	return numbers
end

-- Returns a table with each of `names`, followed by `text` and each of `numbers`.
local function combined(names, text, numbers)
	local all = {}

	for _, name in ipairs(names) do
		for _, number in ipairs(numbers) do
			table.insert(all, name .. text .. number)
		end
	end
	return all
end

-- Returns the names of a list of nodes like `b1,a[0-3,07]r[1-2]`, in a table; nil if they are too many, too long, or have too many brackets.
local function expand(list)
	local all = {}

	-- The commas in brackets separate ranges.
	list = (list or ""):gsub(brackets, function(ranges) return (ranges:gsub(",", ";")) end)
	for entry in list:gmatch("[^,%s]+") do
		local names = {""}
		local plain, count = entry:gsub(brackets, "")

		if #plain > longest_name or count > most_brackets then
			return nil
		end
		for text, ranges in entry:gmatch("([^%[]*)%[([^%]]*)%]") do
			local numbers = numbers_of(ranges, math.floor((most_names - #all) / math.max(#names, 1)))

			if not numbers then
				return nil
			end
			names = combined(names, text, numbers)
		end
		for _, name in ipairs(combined(names, (entry:gsub("^.*%]", "")), {""})) do
			table.insert(all, name)
		end
		if #all > most_names then
			return nil
		end
	end
	return all
end

local function set_of(names)
	local set = {}

	for _, name in ipairs(names) do
		set[name] = true
	end
	return set
end

-- Says once why no setting of batch.conf is used.
local function unusable(why)
	if not said_unusable then
		slurm.log_error("memphis: %s: jobs are neither placed nor checked", why)
	end
	said_unusable = true
	return nil
end

-- Reads batch.conf. settings.sh reports errors in the file; this function does not, except that it cannot be read, or names no nodes or users.
local function settings()
	local set = {}
	local file, why = io.open(conf)

	if not file then
		return unusable(why)
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
	for _, name in ipairs({"NODES", "USERS"}) do
		if (set[name] or "") == "" then
			return unusable(("%s: %s has no value"):format(conf, name))
		end
	end
	said_unusable = false
	set.has_module = set_of(expand(set.NODES) or {})
	return set
end

-- Succeeds if the name is in the comma-separated list. Slurm accepts empty entries: `,memphis`.
local function in_list(name, list)
	for entry in (list or ""):gmatch("[^,%s]+") do
		if entry == name then
			return true
		end
	end
	return false
end

-- Returns the output of a command of the shell's.
local function said_by(command)
	local pipe = io.popen(command .. " 2> /dev/null")
	local said = pipe and pipe:read("*a") or ""

	if pipe then
		pipe:close()
	end
	return said
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

-- Succeeds if the job wants the module's generic resource on each node, as in `gres/gpu:2,gres/memphis`. Until Slurm 23.02 the separator is a colon.
local function has_gres(job, set)
	for entry in (job.tres_per_node or ""):gmatch("[^,]+") do
		if set.GRES ~= "none" and (entry:gsub("^gres[:/]", "") .. ":"):sub(1, #set.GRES + 1) == set.GRES .. ":" then
			return true
		end
	end
	return false
end

local gres_prefix

-- Returns how this version of Slurm writes a generic resource. It is asked once.
local function gres_of(set)
	if not gres_prefix then
		local path = set.COMMANDS ~= "none" and set.COMMANDS:match("^[%w_./:+-]+$")
		local year, month = said_by((path and "PATH=" .. path .. ":$PATH " or "") .. "scontrol --version"):match("(%d+)%.(%d+)")

		if not year then
			slurm.log_error("memphis: no version from scontrol, so it is taken for 23.11 or later; COMMANDS in %s may name its directory", conf)
		end
		gres_prefix = year and year * 100 + month < 2311 and "gres:" or "gres/"
	end
	return gres_prefix .. set.GRES .. ":1"
end

-- Returns the job's resources with the module's. None is no resource, and Slurm refuses it beside others.
local function with_gres(job, set)
	local all = {}

	for entry in (job.tres_per_node or ""):gmatch("[^,]+") do
		if entry:gsub("^gres[:/]", "") ~= "none" then
			table.insert(all, entry)
		end
	end
	table.insert(all, gres_of(set))
	return table.concat(all, ",")
end

-- Succeeds if the job names the queue or the reservation, alone or in a list of which Slurm would choose; or if it names no partition,
-- and the queue is the default. `partitions` has the partitions that the user may use.
local function place_of(job, set, partitions)
	if set.POLICY ~= "queue" then
		-- A job that is being submitted has the first field, an existing job the second.
		return in_list(set.RESERVATION, job.reservation or job.resv_name)
	end
	if not job.partition or job.partition == "" then
		local queue = (partitions or {})[set.QUEUE]

		return queue ~= nil and queue.flag_default == 1
	end
	return in_list(set.QUEUE, job.partition)
end

-- Returns what `command` prints about a user or a group, which only the system knows. A number is no name here, although the commands would
-- take it for an ID.
local function ask(command, name)
	return name:match("^[%w_][%w_.-]*$") and not name:match("^%d+$") and said_by(command .. " -- " .. name) or ""
end

-- Succeeds if the list of USERS has the user: by name, by a group of the user (@group), or by `all`. The IDs of groups are compared, as their
-- names can have blanks.
local function chosen(name, list)
	local groups

	if list == "all" or in_list(name, list) then
		return true
	end
	for group in list:gmatch("@([^,%s]+)") do
		local number = ask("getent group", group):match("^[^:]*:[^:]*:(%d+):")

		groups = groups or " " .. ask("id -G", name):gsub("%s", " ")
		if number and groups:find(" " .. number .. " ", 1, true) then
			return true
		end
	end
	return false
end

-- Returns whether the user is selected, or nil if the reservation is by accounts or groups, so that Slurm decides; and the reason if there is
-- another one than the list.
local function selected(name, set)
	local list = set.USERS

	if set.POLICY ~= "queue" then
		local reservation = slurm.reservations[set.RESERVATION]

		if not reservation then
			return false, "there is no reservation " .. set.RESERVATION .. "; the administrator has to create it"
		end
		list = reservation.users
		if not list or list == "" then
			return nil
		end
	end
	if not name then
		return false
	end
	-- A list of a reservation is either of users who may, or of users who may not (-user).
	if list:sub(1, 1) == "-" then
		return not in_list("-" .. name, list)
	end
	return chosen(name, list)
end

local function refuse(why)
	slurm.log_user("memphis: %s", why)
	slurm.log_info("memphis: refused: %s", why)
	return slurm.ESLURM_ACCESS_DENIED or slurm.ERROR
end

-- Numbers in a job's description that the user has not given are not less than this one.
local not_given = 0xfffffffe

-- Returns why a job cannot have the node, if its own lists of nodes leave no room for it.
local function contradiction(job, set)
	local wanted, excluded = expand(job.req_nodes), expand(job.exc_nodes)
	local with, free = 0, false

	if not wanted or not excluded then
		return ("the job's list of nodes has more than %d names, or one with more than %d characters or %d brackets: name fewer nodes"):format(most_names, longest_name, most_brackets)
	end
	excluded = set_of(excluded)
	for node in pairs(set.has_module) do
		free = free or not excluded[node]
	end
	if not free then
		return "the job excludes " .. set.NODES .. ", which has the module"
	end
	for _, node in ipairs(wanted) do
		if set.has_module[node] then
			with = with + 1
		elseif set.POLICY == "queue" then
			return "the job names " .. node .. ", which has no module; " .. set.NODES .. " has it"
		end
	end
	if #wanted == 0 or with > 0 or set.POLICY == "queue" then
		return nil
	end
	-- srun sets the least number of nodes to that of the names if the user gives none. A larger greatest number is not enough: Slurm 22.05 has ended with
	-- more nodes named than the least number.
	local least = job.min_nodes or 0

	if least <= #wanted or least >= not_given then
		return ("the job names %s, but not %s, which has the module: name it, too, or ask for one node more (-N%d)"):format(job.req_nodes, set.NODES, #wanted + 1)
	end
	return nil
end

-- Requests exclusive nodes, as other jobs would share the caches and the memory that are measured.
local function place(job, set)
	job.shared = 0
	-- Exclusive nodes give a job all their resources, but its steps only what it has asked for.
	if set.GRES ~= "none" and not has_gres(job, set) then
		job.tres_per_node = with_gres(job, set)
	end
	if set.POLICY == "queue" then
		job.partition = set.QUEUE
		return
	end
	job.reservation = set.RESERVATION
	if not job.req_nodes or job.req_nodes == "" then
		job.req_nodes = set.NODES
		return
	end
	for _, node in ipairs(expand(job.req_nodes)) do
		if set.has_module[node] then
			return
		end
	end
	job.req_nodes = set.NODES .. "," .. job.req_nodes
end

local first_has_it = "the first component of a heterogeneous job has the node with the module: ask for it there"

function memphis.submit(job, partitions, uid)
	local set = settings()

	if not set then
		return slurm.SUCCESS
	end
	local named = place_of(job, set, partitions)
	local asks = named or has_option(job) or has_gres(job, set)

	if job.het_job_offset == 0 then
		first_asks[uid] = asks or set.JOBS == "all"
	end
	if not asks and set.JOBS ~= "all" then
		return slurm.SUCCESS
	end
	-- Only the first component of a heterogeneous job gets the node. The others have its option, too, but only one that names the queue
	-- or the reservation asks.
	local later = (job.het_job_offset or 0) > 0 and job.het_job_offset < 0xfffffffe

	if later and not named then
		return first_asks[uid] == false and refuse(first_has_it) or slurm.SUCCESS
	end
	-- A user ID is no substitute for a missing name: it could be the name of another user.
	local name = job.user_name
	local may, why = selected(name, set)

	if may == false or (may == nil and not asks) then
		if not asks then
			return slurm.SUCCESS
		end
		return refuse(why or ("user " .. (name or uid) .. " is not allowed to use the node with the module"))
	end
	-- srun passes the reservation of the first component on to the others, so this need not be the user's own choice.
	if later and set.POLICY ~= "queue" then
		return first_asks[uid] == false and refuse(first_has_it) or slurm.SUCCESS
	end
	local why_not = contradiction(job, set)

	if why_not then
		return asks and refuse(why_not) or slurm.SUCCESS
	end
	place(job, set)
	slurm.log_info("memphis: job of %s goes to %s", name or tostring(uid), set.NODES)
	return slurm.SUCCESS
end

-- The nodes of such a job are fixed at submission; only root may change them later.
function memphis.modify(change, job, partitions, uid)
	local set = settings()

	if not set or uid == 0 then
		return slurm.SUCCESS
	end
	local moves = change.req_nodes or change.exc_nodes or change.reservation or change.partition

	-- A change without a partition leaves it as it is; an empty one may mean the default.
	if moves and (place_of(job, set) or place_of(change, set, change.partition and partitions)) then
		return refuse("the nodes of a job with the module are fixed at submission: cancel the job, and submit it again")
	end
	return slurm.SUCCESS
end

return memphis

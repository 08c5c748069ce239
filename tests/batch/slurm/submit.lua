-- SPDX-License-Identifier: BSD-3-Clause
-- Submits a job to memphis.lua without Slurm, and prints what it says and what it makes of the job.
-- usage: submit.lua MEMPHIS.LUA USER [FIELD=VALUE...]      jobs=NUMBER: that many equal jobs, of which the last is printed

local function job_of_arguments()
	local job = {user_name = arg[2], spank_job_env = {}}

	for i = 3, #arg do
		local name, value = arg[i]:match("^([%w_]+)=(.*)$")

		job[name] = tonumber(value) or value
	end
	return job
end

local function say(format, ...)
	print(format:format(...))
end

slurm = {SUCCESS = 0, ERROR = -1, log_user = say, log_info = function() end, log_error = say, reservations = {memphis = {users = "alice"}}}
local memphis = dofile(arg[1])
local job, status

for _ = 1, job_of_arguments().jobs or 1 do
	job = job_of_arguments()
	status = memphis.submit(job, {}, 3001)
end
print(status == slurm.SUCCESS and "accepted" or "refused")
for _, name in ipairs({"partition", "reservation", "req_nodes", "tres_per_node"}) do
	if job[name] then
		print(name .. "=" .. job[name])
	end
end

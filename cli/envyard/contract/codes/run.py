"""Codes of a run: faults of the environment's own code, and of the platform."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault, platform_fault, request_fault

RUN = (
    environment_fault(
        "run.import_failed",
        "Importing the environment failed.",
        "The traceback's last lines name the cause; `hub check --run` shows it before a push.",
    ),
    environment_fault(
        "run.load_failed",
        "Loading the tasks failed.",
        "The traceback's last lines name the cause; `hub check --run` shows it before a push.",
    ),
    environment_fault(
        "run.no_tasks", "The environment has no tasks.", "Make load() yield at least one task."
    ),
    environment_fault(
        "run.tasks_missing",
        "The version lacks tasks that the suite names.",
        "Evaluate it by a suite whose tasks it has: `hub suites list` shows what each names.",
    ),
    environment_fault(
        "run.crashed", "The environment's process ended unexpectedly.", "See the log."
    ),
    environment_fault(
        "run.wall_clock", "The run took longer than its limit.", "Make rollouts shorter."
    ),
    environment_fault(
        "run.memory", "The run used more memory than its limit.", "Load less at a time."
    ),
    environment_fault(
        "run.cpu", "The run used more processor time than its limit.", "Look for a busy loop."
    ),
    environment_fault("run.killed", "The run was killed by a signal.", "See the log's last lines."),
    environment_fault(
        "run.flooded", "The run wrote more events than its limit.", "Write fewer or smaller events."
    ),
    environment_fault(
        "run.inconsistent",
        "Events contradict the run's plan, or conversations contradict their replays.",
        "Only the framework's own loop may write results, one for each rollout; a process that the "
        "environment forks must end with os._exit. Tools and turns must depend on the conversation "
        "alone.",
    ),
    environment_fault(
        "run.conversation_changed",
        "The run showed the policy something that later plays with the same replies do not.",
        "Let tools and turns depend on the conversation alone: on no clock, no state of earlier "
        "rollouts, and nothing that only one process has.",
        severity="warning",
    ),
    environment_fault(
        "run.shards_differ",
        "The environment loaded other tasks in one shard than in another.",
        "Tasks must depend on the seed alone, not on time, order or chance.",
    ),
    environment_fault(
        "run.unplanned_rollouts",
        "Rollouts were reported that the run did not plan.",
        "Only the framework's own loop may write results.",
        severity="warning",
    ),
    environment_fault(
        "run.network",
        "The environment tried to reach the network; a sandbox has none.",
        "Ship the data in the wheel, declare hosts that it needs under [tool.envyard], and switch "
        "off telemetry and downloads of libraries.",
        severity="warning",
    ),
    environment_fault(
        "run.files",
        "The run created more files than its limit.",
        "Keep fewer files, or pack them into one.",
    ),
    environment_fault(
        "run.descriptors",
        "The run opened more files and sockets at once than its limit.",
        "Close files and sockets after use.",
    ),
    environment_fault(
        "isolation.refused_calls",
        "The environment made system calls that the sandbox denies.",
        "No task needs these calls; find the dependency that makes them.",
        severity="warning",
    ),
    environment_fault(
        "isolation.unusual_calls",
        "The sandbox denied system calls that libraries make on their own.",
        "Nothing to do where the environment works: libraries continue without them.",
        severity="info",
    ),
    environment_fault(
        "isolation.limits_reached",
        "The environment ran into a limit of its sandbox.",
        "Start fewer processes, and remove files that are no longer needed.",
        severity="warning",
    ),
    environment_fault(
        "run.rollouts_failed",
        "The rollouts that failed have the same cause.",
        "See the error of any of them.",
        severity="warning",
    ),
    environment_fault("run.rollouts_missing", "Planned rollouts have no result.", "See the log."),
    environment_fault(
        "run.no_model_call",
        "Rollouts were scored without a call to the policy.",
        "Let the framework's own loop call the model; see the rollouts.",
    ),
    environment_fault(
        "run.prompt_not_sent",
        "None of the first calls of a rollout contained the prompt of its task.",
        "Put the first user message into the task's prompt; where that message is only made as a "
        "rollout begins, leave the task's prompt empty.",
    ),
    environment_fault(
        "run.prompt_changed",
        "A second load gave a task another prompt than its rollout had.",
        "Make the prompt from the task's own data and its seed alone.",
    ),
    environment_fault(
        "run.prompt_not_compared",
        "Tasks have no prompt that their calls could be compared with.",
        "Nothing to do where the first message is made as a rollout begins.",
        severity="info",
    ),
    platform_fault("run.wheel_changed", "The downloaded wheel's sha256 is not the hub's."),
    platform_fault("run.install_failed", "The dependencies could not be fetched."),
    platform_fault("run.model_unreachable", "The model server did not answer.", "Is the model up?"),
    platform_fault(
        "run.judge_unreachable",
        "The judge model did not answer.",
        "Is RUNNER_JUDGE_URL reachable from the runner? `hub-runner doctor` tests it.",
    ),
    platform_fault(
        "run.limit_too_low",
        "The environment requires a higher limit than its runner has.",
        "The runner's operator raises it: LimitNOFILE= of its service, or RUNNER_PIDS, "
        "RUNNER_MEMORY_MB and RUNNER_FILE_MB.",
    ),
    platform_fault("run.lease_expired", "The runner stopped reporting."),
    platform_fault("run.runner_error", "The runner itself failed."),
    platform_fault("run.handed_back", "The runner was stopped and returned the run."),
    platform_fault(
        "run.no_python",
        "No runner has a Python that Requires-Python admits.",
        "Its operator can install one on a runner and name it in RUNNER_PYTHONS.",
    ),
    platform_fault(
        "run.never_taken",
        "No runner took the run.",
        "Once a runner is live (`hub-runner start`), retry the version: `hub retry`, or its page.",
    ),
    platform_fault(
        "run.never_began",
        "No runner could execute the run.",
        "Once the runners work again, retry the version with `hub retry` or on its page.",
    ),
    request_fault(
        "run.cancelled",
        "The run was cancelled.",
        "Evaluate it again on the run's page or with `hub runs retry`.",
        severity="info",
    ),
    platform_fault(
        "run.attempts_exhausted",
        "The hub could not decide after its attempts.",
        "Retry the version with `hub retry` or on its page.",
    ),
)

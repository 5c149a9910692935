"""Codes of the environment's kind, framework and dependencies, and of its name."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault, platform_fault

ENVIRONMENT = (
    environment_fault(
        "env.framework_unknown",
        "No known framework was found in the wheel.",
        "Offer one of them in a top-level module.",
    ),
    platform_fault(
        "env.unreadable_python",
        "The code needs a newer Python than the one that checks it.",
        "The version is held until the hub runs on a Python that Requires-Python admits; or write "
        "the code so that an older one can parse it, and widen Requires-Python.",
    ),
    environment_fault(
        "env.framework_ambiguous",
        "More than one environment was found in the wheel.",
        "Offer exactly one environment.",
    ),
    environment_fault(
        "env.taskset_not_exported",
        "The verifiers Taskset is not named in the module's __all__.",
        "Add its name to __all__.",
    ),
    environment_fault(
        "env.module_name_mismatch",
        "The module's name is not the one that the framework imports.",
        "Name the module like the environment, with _ for -.",
    ),
    environment_fault(
        "env.code_over_limit",
        "The wheel has more code than the static checks read.",
        "Declare under [tool.envyard] what that code needs. Move what the environment does not "
        "import into another distribution, and data out of .py files.",
        severity="warning",
    ),
    environment_fault(
        "env.module_missing",
        "The code imports a module of its own package that is not in the wheel.",
        "Include it in the build of the wheel, unless a dependency contains it.",
        severity="warning",
    ),
    environment_fault(
        "env.fixed_date",
        "The code compares the clock with a fixed date: tasks or rewards may change on that day.",
        "Make tasks and rewards independent of the day on which they are used.",
        severity="warning",
    ),
    environment_fault(
        "env.rollouts_interfere",
        "A rollout changes what later rollouts of the same process are shown.",
        "Copy what a task holds, and each value of a module, before a rollout changes it.",
        severity="warning",
    ),
    environment_fault(
        "env.shared_state",
        "Tools, turns or rewards change a value of a module or of the environment's object that "
        "decides what other rollouts get.",
        "Keep what a rollout changes in its own `state`: rollouts run at the same time.",
        severity="warning",
    ),
    environment_fault(
        "env.evaluates_reply",
        "Rewards, tools or turns evaluate text with eval() or exec() in the process that scores.",
        "Parse it (`ast.literal_eval`, a grammar), or run it in a process of its own that holds no "
        "answer.",
        severity="warning",
    ),
    environment_fault(
        "env.scores_by_split",
        "A reward, tool or turn decides by the split of its task.",
        "Score evaluation tasks as training tasks, or publish two environments.",
        severity="warning",
    ),
    environment_fault(
        "env.scores_by_chance",
        "A reward draws random numbers that nothing seeds.",
        "Seed a generator of the reward's own by the task, or score by all cases.",
        severity="warning",
    ),
    environment_fault(
        "env.compares_digest",
        "A reward compares a digest with a constant of the code.",
        "Compare with the task's answer, or write the accepted texts out.",
        severity="warning",
    ),
    environment_fault(
        "env.shared_generator",
        "Tasks or rollouts draw from a generator that the module makes once.",
        "Make the generator where it is used, from the configuration's seed or the task.",
        severity="warning",
    ),
    environment_fault(
        "env.salted_hash",
        "Tasks or rewards are decided by hash(), which Python salts in each process.",
        "Take zlib.crc32 or a digest of hashlib instead: those are the same in each process.",
        severity="warning",
    ),
    environment_fault(
        "env.local_time",
        "Tasks or rewards are made of times in the machine's time zone.",
        "Pass a zone, as datetime.fromtimestamp(seconds, UTC) does, or use time.gmtime.",
        severity="warning",
    ),
    environment_fault(
        "env.compares_state",
        "A reward compares two parts of a state of which a tool writes any part.",
        "Compare with the task's data, or let the tool write only what a policy may change.",
        severity="warning",
    ),
    environment_fault(
        "env.scores_by_count",
        "A reward depends on how often something ran in its process.",
        "Score by the task and the reply alone; count only what is logged.",
        severity="warning",
    ),
    environment_fault(
        "env.formats_reply",
        "A reward formats a text of the reply with all fields of the task.",
        "Pass only the fields that a reply may name.",
        severity="warning",
    ),
    environment_fault(
        "env.reads_surroundings",
        "A reward, tool or turn reads what surrounds its process.",
        "Score by the task and the reply alone, so that training and evaluation pay alike.",
        severity="warning",
    ),
    environment_fault(
        "env.reply_replaces_values",
        "A reward compares with values that the reply may have replaced.",
        "Read what is expected from the task alone, and merge nothing of the reply into it.",
        severity="warning",
    ),
    environment_fault(
        "env.clock_in_tasks",
        "The tasks are made from the time at which they are loaded.",
        "Fix the date in the task and state it in the prompt, so that each load gives the same "
        "tasks and answers.",
        severity="warning",
    ),
    environment_fault(
        "env.bad_declaration",
        "[tool.envyard] in the wheel's pyproject.toml is not valid.",
        "Correct it; docs/needs.md has every key.",
    ),
    environment_fault(
        "env.unknown_declaration",
        "[tool.envyard] has a key that this hub does not know.",
        "Remove it or correct its name; docs/needs.md has every key.",
        severity="warning",
    ),
    environment_fault(
        "env.dependencies_unresolvable",
        "The dependencies cannot be resolved.",
        "Loosen or correct the requirement that it names.",
    ),
    environment_fault(
        "env.framework_names_missing",
        "The code needs names or a behaviour that no usable release of its framework has.",
        "Pin a release that has all of them.",
    ),
    platform_fault(
        "env.framework_undriven",
        "The environment needs a release of its framework that this hub cannot run.",
        "Port it to a release that the hub runs, or contact its operator.",
    ),
    environment_fault(
        "env.dependency_sdist_only",
        "A dependency has no wheel.",
        "Depend on a version that ships wheels.",
    ),
    environment_fault(
        "name.similar",
        "The name is easily confused with another environment's.",
        "Rename yours if it is a different environment: people install the wrong one.",
        severity="warning",
    ),
)

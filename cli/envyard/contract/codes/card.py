"""Codes of the card; `card.<measure>` is the finding of that measure."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault, platform_fault

CARD = (
    environment_fault(
        "card.completes", "Rollouts do not complete.", "See the errors of the failed rollouts."
    ),
    environment_fault(
        "card.crash_rate",
        "Rollouts crash.",
        "Fix what raises the error. A reply that does not fit its format earns 0: a rollout that "
        "raises teaches the model nothing.",
    ),
    environment_fault(
        "card.reward_finite", "A reward is not a finite number.", "Return a finite float."
    ),
    environment_fault(
        "card.reward_range",
        "A reward is outside the expected range.",
        "Keep the total between -1 and 2, or declare its range: `reward = [0, 10]` below "
        "`[tool.envyard]`.",
    ),
    environment_fault(
        "card.reproducible_tasks",
        "Loading the tasks twice gave different tasks.",
        "Draw every random choice from the environment's seed.",
    ),
    environment_fault(
        "card.takes_no_seed",
        "The environment takes no seed, and two loads gave different tasks.",
        "Give it an option `seed: int = 0`, and draw every random choice from that; or fix the "
        "seeds inside.",
    ),
    environment_fault(
        "card.reproducible_reward",
        "The same replies got another reward when they were replayed.",
        "Seed what scoring draws, keep no state between rollouts, and let no clock decide.",
    ),
    environment_fault(
        "card.floor",
        "A policy that does no work is paid.",
        "Pay only for a right answer; see the rollouts.",
    ),
    environment_fault(
        "card.ceiling",
        "The reference answer is not paid.",
        "Check the reward against the oracle's reply.",
    ),
    environment_fault(
        "card.references_paid",
        "Reference answers of single tasks are not paid.",
        "Compare these tasks' references with what the verifier accepts.",
    ),
    environment_fault(
        "card.reference_form",
        "The right answer is not paid in the form that the prompt asks for.",
        "Make the prompt, the references and what the verifier reads agree on one form.",
        severity="warning",
    ),
    environment_fault(
        "card.reference_decimals",
        "References have fewer decimals than the prompt asks for.",
        "Round the references to as many decimals, or compare with a tolerance that covers their "
        "rounding.",
        severity="warning",
    ),
    environment_fault(
        "card.leaks",
        "The first call names the answer.",
        "Keep the answer out of what the policy reads before it replies.",
        severity="warning",
    ),
    environment_fault(
        "card.answer_place",
        "The answer is at the same place of nearly every prompt.",
        "Keep the answer out of the prompt. If the task is to copy, declare `echo` under "
        "[tool.envyard].",
        severity="warning",
    ),
    environment_fault(
        "card.labels",
        "Most tasks have the same answer.",
        "Balance the answers: a policy that always gives this one is paid without work.",
        severity="warning",
    ),
    environment_fault(
        "card.label_outliers",
        "A few answers break the rule that the others follow.",
        "Correct these answers, or write into the prompt what makes these tasks different.",
        severity="warning",
    ),
    environment_fault(
        "card.disputed_labels",
        "Models agree on answers that earn nothing.",
        "Check the references of these tasks, and whether the verifier accepts the form of the "
        "answer. Models may also share an error.",
        severity="warning",
    ),
    environment_fault(
        "card.contradictions",
        "Tasks with the same prompt have different answers.",
        "Correct the answers, or show the policy what tells the tasks apart.",
        severity="warning",
    ),
    environment_fault(
        "card.incomplete_prompts",
        "Prompts lack what they ask about.",
        "Print the prompts of the named tasks: a column is empty, or a template got no value.",
        severity="warning",
    ),
    environment_fault(
        "card.splits_overlap",
        "The evaluation split contains tasks of the training split.",
        "Remove these tasks from one of the two splits.",
        severity="warning",
    ),
    environment_fault(
        "card.splits_differ",
        "Evaluation tasks have answers of another rule or form than training tasks.",
        "Make both splits with the same code; a policy is otherwise evaluated on what it was "
        "trained against.",
        severity="warning",
    ),
    environment_fault(
        "card.overlap",
        "Tasks contain items of a benchmark.",
        "Remove these tasks: a model that trains on them shows nothing on that benchmark.",
        severity="warning",
    ),
    environment_fault(
        "card.late_tasks",
        "Tasks beyond the first are broken.",
        "Load and play tasks over the whole range before a release.",
        severity="warning",
    ),
    environment_fault(
        "card.goes_on",
        "The game goes on after the reply that should end it.",
        "End the rollout at the right reply, as the prompt states.",
        severity="warning",
    ),
    environment_fault(
        "card.tool_results",
        "Tool results contradict the reference answers.",
        "Make the tools return what the reference is computed from: that row, column and unit.",
        severity="warning",
    ),
    environment_fault(
        "card.write_guard",
        "A tool writes a protected file under another spelling of its path.",
        "Resolve a path before comparing it with those that must not be written.",
        severity="warning",
    ),
    environment_fault(
        "card.seed_ignored",
        "Another seed gave the same tasks.",
        "Draw tasks, or their order, from the declared seed; or take no seed.",
        severity="warning",
    ),
    environment_fault(
        "card.mutants_caught",
        "Wrong answers earn as much as the right one.",
        "Compare the whole answer, not a part of it or its form.",
    ),
    environment_fault(
        "card.lenient_tasks",
        "Some tasks pay wrong answers that others refuse.",
        "Judge all tasks by one rule, and see that no error in the scoring of a task is paid.",
        severity="warning",
    ),
    environment_fault(
        "card.played_tasks_differ",
        "Wrong answers are paid outside the tasks that the run played.",
        "Score each task by its conversation alone, whatever its index or seed.",
    ),
    environment_fault(
        "card.equivalents_kept",
        "A right answer in another form earns nothing.",
        "Strip white space, and compare numbers as numbers.",
    ),
    environment_fault(
        "card.evaluation_aware",
        "Rewards are others where a trainer plays the same rollouts.",
        "Score a rollout by its conversation alone, whatever program, folder or process plays it.",
    ),
    environment_fault(
        "card.training_unchecked",
        "Whether a trainer gets the same rewards is unknown.",
        "Make rewards repeatable, and depend on the conversation alone.",
        severity="warning",
    ),
    environment_fault("card.diversity", "Tasks repeat.", "Remove duplicates from the dataset."),
    environment_fault(
        "card.speed", "The environment is slow.", "Profile the slowest rollout's scoring."
    ),
    environment_fault(
        "card.scorer_independence",
        "The judge is of the family of the model that it judges.",
        "Ask the hub's operator for a judge of another family.",
    ),
    environment_fault(
        "card.policy_failed",
        "A policy that must pass for listing did not.",
        "See the run's rollouts.",
    ),
    platform_fault(
        "card.undecided",
        "The run does not show enough to decide.",
        "Retry the version with `hub retry` or on its page.",
    ),
)

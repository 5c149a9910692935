import os
import random
import subprocess
import sys
from collections import Counter
from statistics import mean

import pytest
import verifiers.v1 as vf
from tic_tac_toe import TicTacToeEnv, TicTacToeTaskset
from tic_tac_toe.board import EMPTY, best_line, best_moves, legal, opponent_move, place
from tic_tac_toe.dataset import openings
from tic_tac_toe.game import MAX_TURNS, Game, read_move
from tic_tac_toe.rewards import total
from tic_tac_toe.taskset import TicTacToeConfig

RANDOM, OPTIMAL = 1.0, 0.0


def load(**config) -> list:
    return list(TicTacToeTaskset(TicTacToeConfig(id="tic-tac-toe", **config)))


def move(cell: int, *, think: bool = True) -> str:
    return ("<think>so</think>" if think else "") + f"<move>{cell}</move>"


def play(policy, opponent: float, number: int) -> Game:
    """One game of a scripted policy; `policy(game, rng)` gives each reply."""
    game, rng = Game(opponent, f"0/{number}"), random.Random(f"policy/{number}")
    game.opening(opponent_starts=rng.random() < 0.5)
    while game.play(policy(game, rng)) is not None:
        pass
    return game


def empty(game, rng):
    return ""


def format_only(game, rng):
    return "<think>I know.</think><move></move>"


def always_four(game, rng):
    return move(4)


def all_nine(game, rng):
    return "<think>any</think>" + "".join(f"<move>{cell}</move>" for cell in range(9))


def first_free(game, rng):
    return move(legal(game.board)[0])


def random_legal(game, rng):
    return move(rng.choice(legal(game.board)))


def random_legal_without_thought(game, rng):
    return move(rng.choice(legal(game.board)), think=False)


def minimax(game, rng):
    return move(rng.choice(best_moves(game.board, "X")))


# (policy, opponent): mean reward and win/draw/loss shares of 100 games of the published figures.
# Format without a legal move pays -0.1 here and +0.1 there: our format term needs a legal move.
ANCHORS = [
    (empty, RANDOM, -0.100, (0.00, 0.00, 1.00)),
    (empty, OPTIMAL, -0.100, (0.00, 0.00, 1.00)),
    (format_only, RANDOM, -0.100, (0.00, 0.00, 1.00)),
    (all_nine, OPTIMAL, -0.100, (0.00, 0.00, 1.00)),
    (first_free, RANDOM, 0.810, (0.57, 0.08, 0.35)),
    (first_free, OPTIMAL, 0.200, (0.00, 0.00, 1.00)),
    (random_legal, RANDOM, 0.725, (0.44, 0.17, 0.39)),
    (random_legal, OPTIMAL, 0.255, (0.00, 0.11, 0.89)),
    (random_legal_without_thought, RANDOM, 0.525, (0.44, 0.17, 0.39)),
    (random_legal_without_thought, OPTIMAL, 0.055, (0.00, 0.11, 0.89)),
    (minimax, RANDOM, 1.145, (0.89, 0.11, 0.00)),
    (minimax, OPTIMAL, 0.700, (0.00, 1.00, 0.00)),
]


@pytest.mark.parametrize(("policy", "opponent", "reward", "shares"), ANCHORS)
def test_scripted_policies_meet_the_published_figures(policy, opponent, reward, shares):
    games = [play(policy, opponent, number) for number in range(100)]
    counts = Counter(game.result for game in games)
    assert mean(total(game) for game in games) == pytest.approx(reward, abs=0.15)
    for result, share in zip(("win", "draw", "loss"), shares, strict=True):
        assert counts[result] / 100 == pytest.approx(share, abs=0.15)


def test_a_perfect_opponent_is_never_beaten():
    for policy in (first_free, random_legal, minimax):
        assert not any(play(policy, OPTIMAL, n).result == "win" for n in range(200))


def test_format_without_a_legal_move_is_not_paid():
    for policy in (format_only, all_nine):
        games = [play(policy, RANDOM, number) for number in range(20)]
        assert {total(game) for game in games} == {-0.1}
    stuck = play(always_four, OPTIMAL, 0)
    assert total(stuck) <= -0.1 + 0.2 / MAX_TURNS


def test_an_invalid_move_is_retried_and_costs_once():
    game = Game(OPTIMAL, "0/1")
    game.opening(opponent_starts=True)
    taken = game.board.index("O")
    before = game.board
    assert f"Cell {taken} is taken" in game.play(move(taken))
    assert "No single <move>" in game.play("pass")
    assert game.board == before
    while game.play(minimax(game, random.Random(0))) is not None:
        pass
    assert game.result == "draw"
    assert game.invalid == 2
    assert total(game) == pytest.approx(0.5 - 0.1 + 0.2 * (game.turns - 2) / game.turns)


def test_a_game_ends_after_eight_turns():
    game = Game(RANDOM, "0/2")
    answers = [game.play("?") for _ in range(MAX_TURNS)]
    assert answers[-1] is None
    assert None not in answers[:-1]
    assert game.result == "loss"


@pytest.mark.parametrize(
    ("reply", "cell"),
    [
        ("<move>4</move>", 4),
        ("<think>no <move>1</move> but</think> <move> 7 </move>", 7),
        ("<move>4</move><move>5</move>", None),
        ("<move>4</move><move>x</move>", None),
        ("<move>9</move>", None),
        ("<move>-1</move>", None),
        ("<move>4", None),
        ("4", None),
    ],
)
def test_only_one_clear_move_is_read(reply, cell):
    assert read_move(reply) == cell


def test_a_thought_split_off_by_the_server_counts_as_format():
    game = Game(RANDOM, "0/3")
    game.play("<move>4</move>", reasoned=True)
    assert game.well_formed == 1


def test_equal_positions_get_equal_replies_and_other_seeds_get_others():
    def reply(seed):
        return opponent_move("X........", random_move_prob=1.0, seed=seed)

    assert len({reply("0/5") for _ in range(20)}) == 1
    assert len({reply(f"0/{n}") for n in range(200)}) == 8


def test_ties_between_equal_minimax_moves_are_broken_evenly():
    assert best_moves(EMPTY, "O") == list(range(9))
    counts = Counter(opponent_move(EMPTY, random_move_prob=0.0, seed=f"0/{n}") for n in range(1800))
    chi_square = sum((counts[cell] - 200) ** 2 / 200 for cell in range(9))
    assert chi_square < 26.1  # p = 0.001 at 8 degrees of freedom
    assert set(best_moves(place(EMPTY, 0, "X"), "O")) == {4}


def test_skill_is_stratified_and_independent_of_who_starts():
    games = list(openings(seed=3, low=0.2, high=0.7, strata=10, count=200))
    for start in range(0, 200, 10):
        probs = sorted(game.random_move_prob for game in games[start : start + 10])
        for step, prob in enumerate(probs):
            assert 0.2 + 0.05 * step - 1e-4 <= prob <= 0.2 + 0.05 * (step + 1) + 1e-4
    for bucket in range(10):
        assert Counter(game.opponent_starts for game in games[bucket::10]) == {True: 10, False: 10}


def test_oracle_reaches_the_top_and_no_other_policy_is_paid_well():
    tasks = load(num_tasks=100)
    assert len({task.data.prompt for task in tasks}) == 100

    def replayed(task, teacher):
        (game, _), messages = task.data.new_game(), []
        while game.play(teacher.oracle(messages)) is not None:
            messages.append({"role": "assistant"})
        return total(game)

    own = [replayed(task, task) for task in tasks]
    swapped = [
        replayed(task, other) for task, other in zip(tasks, tasks[1:] + tasks[:1], strict=True)
    ]
    assert min(own) >= 0.7
    assert mean(own) > 1.15
    assert mean(swapped) < 0.2
    assert all(read_move(task.data.prompt) is None for task in tasks)


def test_an_echo_of_the_prompt_loses():
    for task in load(num_tasks=20):
        game, _ = task.data.new_game()
        while game.play(task.data.prompt) is not None:
            pass
        assert total(game) == -0.1


def test_the_oracle_line_beats_minimax_where_the_opponent_slips():
    assert best_line(EMPTY, random_move_prob=0.0, seed="0/0")[0] == 0.5
    assert best_line(EMPTY, random_move_prob=0.5, seed="0/0")[0] == 1.0


def test_a_reversed_skill_range_is_refused_by_name():
    with pytest.raises(ValueError, match="is above max_random_move_prob"):
        TicTacToeConfig(min_random_move_prob=0.9, max_random_move_prob=0.1)


def test_the_package_exports_one_taskset_and_one_env_with_a_single_seat():
    assert issubclass(TicTacToeEnv, vf.Env)
    assert vf.env_config_type("tic-tac-toe") is vf.SingleAgentEnvConfig


def test_same_seed_gives_the_same_games_in_another_process():
    code = (
        "import sys, types; m = types.ModuleType('tic_tac_toe'); m.__path__ = ['tic_tac_toe'];"
        "sys.modules['tic_tac_toe'] = m; from tic_tac_toe.dataset import openings;"
        "from tic_tac_toe.board import best_line; print([(o, best_line('.' * 9,"
        "random_move_prob=o.random_move_prob, seed=o.seed))"
        "for o in openings(seed=7, low=0, high=1, strata=5, count=20)])"
    )
    here = str(
        [
            (o, best_line(EMPTY, random_move_prob=o.random_move_prob, seed=o.seed))
            for o in openings(seed=7, low=0, high=1, strata=5, count=20)
        ]
    )
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == here

"""Which cases of a test are long: they wait for `make test-all`, the dearest for `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

ASKED = "JOUTE_LONG" in os.environ
WHY = "takes half a minute or more: make test-long"
dear = pytest.mark.skipif(not ASKED, reason=WHY)
DEAR = (  # cases whose neighbours stay, by a part of their names
    "test_frozen.py::test_nothing_has_changed[json]",
    "test_readme_commands[joute run tron-four",
    "test_readme_commands[joute run connect4-uct-k",
    "test_hosts_apart.py::test_of_three_hosts_one_is_cut_off",
    "test_bounds_checked_kernels_give_the_same_answers[views]",
    "test_bounds_checked_kernels_give_the_same_answers[puct]",
    "test_uncompiled_kernels_give_the_same_answers[puct]",
    "test_engines_conform[connect4[columns=16,rows=10]]",
    "test_engines_conform[dodo]",
    "test_cluster.py::test_hosts_play_what_processes_here_play[tune]",
    "test_cluster.py::test_a_scheduler_that_dies",
    "test_cluster.py::test_an_engine_that_takes_its_host_along",
    "test_every_search_fits_and_plays_the_same[tron[width=9,height=7,players=3]",
    "test_every_search_fits_and_plays_the_same[tron[width=9,height=7,players=4]",
    "test_a_file_plays_what_the_engine_plays[puct:root=gumbel",
    "test_search_runs.py::test_kills_and_resumes_lose_and_repeat_nothing[tune]",
    "test_attack.py::test_nothing_is_found[attack-2]",
    "test_the_value_is_that_of_the_plain_search[tron[width=6,height=5]-zones",
    "test_the_value_is_that_of_the_plain_search[connect4[columns=7,rows=6]-lines",
    "test_the_value_is_that_of_the_plain_search[gopher[side=3]",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[7-6-200",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[5-4",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[4-10",
    "test_export.py::test_too_slow_is_refused_with_what_would_fit",
    "test_export.py::test_a_python_file_plays_the_same_moves[short]",
    "test_every_size_keeps_the_contract_at_length[dodo[side=5]",
    "test_every_size_keeps_the_contract_at_length[dodo[side=6]",
    "test_every_size_keeps_the_contract_at_length[gopher[side=4]",
    "test_every_size_keeps_the_contract_at_length[gopher[side=5]",
    "test_values_and_actions_are_those_of_plain_recursion[zones-maxn-4]",
    "test_values_and_actions_are_those_of_plain_recursion[zones-paranoid-3]",
    "test_values_and_actions_are_those_of_plain_recursion[chambers-maxn-3]",
    "test_values_and_actions_are_those_of_plain_recursion[chambers-paranoid-4]",
    "test_an_assembled_player_is_the_engine[vampires[map=random:langorou]/uct",
    "test_an_assembled_player_is_the_engine[connect4[columns=9,rows=10]",
    "test_ready_made_training.py::test_vamperouge",
    "test_tuner_runs.py::test_a_killed_benchmark",
    "test_frozen.py::test_nothing_has_changed[answers]",
    "test_runner.py::test_a_game_that_is_killed_from_outside_three_times",
    "test_training_elsewhere.py::test_self_play_and_gates",
    "test_readme_commands[joute run connect4-quick --dry-run",
    "test_search_runs.py::test_ctrl_c_keeps_the_games",
    "test_search_runs.py::test_kills_and_resumes_lose_and_repeat_nothing[scan]",
    "test_search_runs.py::test_an_opponent_that_always_fails",
    "test_search_runs.py::test_a_dead_worker_costs_no_trial[tune]",
    "test_search_runs.py::test_a_grown_budget_goes_on[tune-small0",
    "test_deaths.py::test_a_daemon_that_hides",
    "test_deaths.py::test_nobody_is_left_of_a_run_that_dies_while_its_workers_start[0.5",
    "test_uncompiled_kernels_give_the_same_answers[tron]",
    "test_export_codingame.py::test_a_game_of_fewer_players",
    "test_search_kills.py::test_kills_between_games_change_no_trial_and_no_answer[420",
    "test_a_file_plays_what_the_engine_plays[puct:iterations=8,batch=3",
    "test_the_value_is_that_of_the_plain_search[tron[width=6,height=5]-chambers",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[6-5-60",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[16-4",
    "test_values_and_actions_are_those_of_plain_recursion[zones-paranoid-4]",
    "test_every_size_keeps_the_contract_at_length[dodo[side=7]",
    "test_cluster.py::test_a_suite_and_a_match",
    "test_cluster.py::test_hosts_play_what_processes_here_play[scan]",
    "test_tuner_rivals.py::test_clop_is_as_good_as_the_original[LOG2",
    "test_tuner_rivals.py::test_clop_is_as_good_as_the_original[ROSENBROCK",
    "test_an_assembled_player_is_the_engine[connect4[columns=16,rows=10]",
    "test_an_assembled_player_is_the_engine[vampires/expectiminimax",
    "test_export.py::test_limit_writes_the_largest",
    "test_attack.py::test_nothing_is_found[attack-1]",
    "test_gtp.py::test_flags_that_make_ladders_false",
    "test_tuner_rivals.py::test_clop_is_as_good_as_the_original[CORRELATED",
    "test_an_assembled_player_is_the_engine[tron/uct:evaluation=zones",
    "test_an_assembled_player_is_the_engine[tron/alphabeta:evaluation=chambers",
    "test_an_assembled_player_is_the_engine[text3]",
    "test_an_assembled_player_is_the_engine[connect4[columns=12,rows=6]/alphabeta",
    "test_uncompiled_kernels_give_the_same_answers[vampires]",
    "test_deaths.py::test_nobody_is_left_of_a_run_that_dies_while_its_workers_start[0.2",
    "test_tuner_asks.py::test_answers_do_not_depend_on_the_order_of_tells[1500]",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[12-6",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[7-6-40",
    "test_threats.py::test_listed_are_wins_else_moves_that_do_not_lose_at_once[12-6",
    "test_zones_are_those_of_the_slow_twin[tron[width=7,height=6,players=3]",
    "test_chambers_are_those_of_the_slow_twin[tron[width=7,height=6,players=3]",
    "test_the_value_and_the_action_are_those_of_plain_negamax[-size5-",
)
LONG = (  # likewise, of those that wait for `make test-all`: seconds each, mostly of compiling
    "test_uncompiled_kernels_give_the_same_answers[views]",
    "test_two_of_our_bots_play_the_game_that_they_play_inside[running0]",
    "test_ia02.py::test_two_of_our_engines_meet_at_our_server[dodo]",
    "test_readme_commands[joute --plugin examples/breakthrough.py",
    "test_threats.py::test_the_value_of_a_game_to_its_end_is_that_of_all_moves[4-4",
    "test_vampires_tcp.py::test_who_is_late_skips_a_turn_and_lives_on[nothing]",
    "test_go.py::test_perft_is_as_known[go-known0]",
    "test_engines_conform[switches]",
    "test_plackett_luce.py::test_planted_ratings_are_found_and_covered[4",
    "test_tabled.py::test_the_value_is_that_of_the_plain_search[connect4[columns=4,rows=4]",
    "test_export.py::test_an_exported_engine_is_an_engine[json",
    "test_chambers_are_those_of_the_slow_twin[tron[width=9",
    "test_the_number_of_workers_changes_no_byte[plain-",
    "test_random_games_go_as_in_the_slow_twin_and_in_every_mirror[go[size=3,rules=japanese",
    "test_search_kills.py::test_kills_between_games_change_no_trial_and_no_answer[200",
    "test_engines_conform[heap]",
    "test_frozen.py::test_nothing_has_changed[perft]",
    "test_source.py::test_an_assembled_player_is_the_engine[connect4[columns=7,rows=6]/expectiminimax",
    "test_source.py::test_an_assembled_player_is_the_engine[switches/uct",
    "test_threats.py::test_listed_are_wins_else_moves_that_do_not_lose_at_once[4-4",
    "test_tabled.py::test_mtd_and_probing_give_the_same_value[connect4[columns=4,rows=4]",
    "test_the_value_and_the_action_are_those_of_plain_negamax[-size4",
    "test_connect4_rules.py::test_perft_of_mirrored_positions_is_the_same[size3",
    "test_go.py::test_perft_is_as_known[go[size=2]",
    "test_puct.py::test_the_tree_is_the_slow_twins[,root=gumbel,considered=4]",
    "test_puct.py::test_the_tree_is_the_slow_twins[,unvisited=parent",
    "test_bandits.py::test_rave_counts_what_the_slow_twin_counts[connect4",
    "test_openings.py::test_who_has_too_few_openings_is_told_what_helps[go[",
    "test_openings.py::test_who_has_too_few_openings_is_told_what_helps[dodo[side=2]-9",
    "test_vampires_crowds.py::test_a_single_unit_goes_where_no_group_can[uct",
    "test_frozen.py::test_no_answer_of_some_engines_has_changed",
    "test_engines_conform[connect4]",
    "test_zones_are_those_of_the_slow_twin[tron[width=9",
    "test_uncompiled_kernels_give_the_same_answers[connect4]",
    "test_a_plot_of_trials_has_title_caption_and_numbers[regret]",
    "test_go_policy.py::test_who_is_far_behind_is_shown_mercy",
    "test_go_policy.py::test_chains_and_liberties_are_those_of_a_plain_flood[go]",
    "test_random_games_go_as_in_the_slow_twin_and_in_every_mirror[go[size=9,rules=chinese",
    "test_there_are_as_many_legal_boards_as_known[2-57]",
    "test_threats.py::test_a_lost_position_has_its_value_though_nothing_holds",
    "test_run.py::test_an_open_ended_match_takes_longer_openings_when_they_run_out",
    "test_search_runs.py::test_a_dead_worker_costs_no_trial[scan]",
    "test_search_runs.py::test_a_default_between_the_steps_and_one_with_many_decimals",
    "test_maxn.py::test_uct_that_solves_a_game_finds_the_same_values[3]",
    "test_check.py::test_check_plays_views_in_their_symmetries",
    "test_tabled.py::test_a_search_with_mtd_in_slices_is_the_same_search",
    "test_executor.py::test_this_process_plays_what_worker_processes_play[tune]",
    "test_bandits.py::test_rave_counts_what_the_slow_twin_counts[heap",
    "test_tron_evaluations.py::test_the_better_room_counts_not_both",
    "test_export_vampires.py::test_a_search_is_called_off_in_time",
    "test_puct.py::test_the_tree_is_the_slow_twins[,root=gumbel,visit_scale=3",
    "test_source.py::test_an_assembled_player_is_the_engine[switches/alphabeta",
    "test_fill.py::test_an_ending_needs_its_game_and_a_search_that_hands_over",
    "test_search_runs.py::test_the_number_of_workers_changes_no_byte[3-tune]",
    "test_frozen.py::test_nothing_has_changed[kept]",
    "test_run.py::test_an_sprt_stops_at_the_same_block_for_any_number_of_workers",
    "test_search.py::test_where_nothing_matters_the_default_is_kept",
    "test_go_policy.py::test_guesses_are_the_same_in_every_image",
    "test_trainings_report.py::test_the_page_and_the_plot_show_every_training",
    "test_export.py::test_kaggles_file_needs_only_python_and_numpy",
    "test_go.py::test_what_matters_later_makes_another_key",
    "test_many_players.py::test_the_page_has_places_and_no_words_of_two_players[4]",
    "test_tuner_model.py::test_a_weak_effect_among_many_parameters_is_not_denied[0.0]",
    "test_search_runs.py::test_the_resolved_study_is_the_same_study[tune]",
    "test_search_runs.py::test_optunas_storage_follows_the_store",
    "test_a_budget_stops_and_the_run_resumes[7 blocks",
    "test_compare.py::test_the_same_study_with_another_seed_differs_by_luck_in_a_fair_share",
    "test_bandits.py::test_rave_counts_what_the_slow_twin_counts[race",
    "test_bandits.py::test_knobs_at_their_neutral_values_change_nothing",
    "test_uct.py::test_reuse_in_every_kind_of_game[switches",
    "test_plackett_luce.py::test_equal_engines_read_zero_where_openings_decide[60]",
    "test_sprt.py::test_error_rates_hold_on_the_prefix[150-H0]",
    "test_records.py::test_first_plies_of_each_file_by_name_and_once",
    "test_tabled.py::test_limits_are_kept_and_milliseconds_too",
    "test_fill.py::test_the_walk_is_the_longest_there_is",
    "test_pictures.py::test_a_goban_says_passes_and_prisoners",
    "test_a_search_considers_only_what_its_generator_lists[uct:evaluation=static",
    "test_fill.py::test_a_sure_walk_is_followed_without_more_work",
    "test_go_policy.py::test_own_eyes_are_filled_only_where_that_is_wanted",
    "test_bandits.py::test_what_rave_knows_is_kept_from_move_to_move[heap",
    "test_bandits.py::test_an_urgency_of_nothing_keeps_to_what_was_tried_first",
    "test_puct.py::test_a_search_that_visits_nobody_teaches_the_priors[,root=gumbel",
    "test_vampires_crowds.py::test_a_single_unit_goes_where_no_group_can[expectiminimax:evaluation=langorou,depth=2",
    "test_search_runs.py::test_a_finished_run_plays_nothing_again[tune]",
    "test_tabled.py::test_what_is_remembered_through_a_game_changes_no_value[0.00",
)


def is_dear(name: str) -> bool:
    """Whether a test, by its name in full, waits for `make test-long`."""
    return any(part in name for part in DEAR)


def is_long(name: str) -> bool:
    """Whether it waits for `make test-all`."""
    return any(part in name for part in LONG)


def slow(*values: Any) -> Any:
    """Return a case of a test that is long."""
    return pytest.param(*values, marks=pytest.mark.slow)


def quick(cases: Iterable[Any], chosen: Callable[[Any], object]) -> list[Any]:
    """Return the cases of a test that takes one value, all slow but the chosen ones."""
    return [case if chosen(case) else slow(case) for case in cases]


def quick_rows(cases: Iterable[tuple[Any, ...]], chosen: Callable[[Any], object]) -> list[Any]:
    """Return the same of a test that takes several values."""
    return [case if chosen(case) else slow(*case) for case in cases]

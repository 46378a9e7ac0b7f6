"""Errors to plant: t where it is neither shown nor said, at the strength asked for."""

import numpy as np
import pytest
from scipy import sparse

from core.bench.planted_pairs import choose_plans
from core.bench.planted_results import PlantedResult, kept_results, recall_by_level, result_of, write_result
from core.bench.symbalbench.inject import cramers_v
from core.findings.contrast import FeatureTable

NAMES = ("bus", "dog", "handbag", "sky", "unicorn")


def table_of(n=400, seed=0):
    random = np.random.default_rng(seed)
    present = random.random((n, len(NAMES))) < np.array([0.15, 0.2, 0.1, 0.9, 0.0])
    present[0, 4] = True
    return FeatureTable(NAMES, sparse.csc_matrix(present.astype(np.int32)), np.ones(n, bool), "objects")


def plans_of(table, n=6, **more):
    captions = ["A dog sleeps." if table.column("dog")[i] else "A place." for i in range(len(table.known))]
    said = [{"dog"} if "dog" in c else {"place"} for c in captions]
    return choose_plans(table, captions, said, n=n, seed=1, closed_vocabulary=True, **more), captions


def test_strength_is_reached_and_carriers_neither_show_nor_say_t():
    table = table_of()
    plans, captions = plans_of(table)
    assert {p.level for p in plans} == {0.3, 0.6, 0.9}
    for plan in plans:
        shows, carries = table.column(plan.v), np.zeros(400, bool)
        carries[plan.rows] = True
        assert not table.column(plan.t)[plan.rows].any()
        assert not any(plan.t in captions[r] for r in plan.rows)
        free = ~table.column(plan.t) & ~np.array([plan.t in c.lower() for c in captions])
        a, b = (carries & shows & free).sum(), (carries & ~shows & free).sum()
        c, d = (~carries & shows & free).sum(), (~carries & ~shows & free).sum()
        assert cramers_v(a, b, c, d) == pytest.approx(plan.level, abs=0.03)
        assert plan.with_v == (carries & shows).sum()


def test_frequent_rare_and_barred_names_are_not_planted():
    plans, _ = plans_of(table_of(), barred=["bus"])
    assert plans
    assert not {p.t for p in plans} & {"bus", "sky", "unicorn"}
    assert not {p.v for p in plans} & {"sky", "unicorn"}


def test_the_seed_decides_and_no_level_has_more_than_asked():
    table = table_of()
    one, two = plans_of(table, n=3)[0], plans_of(table, n=3)[0]
    assert [(p.t, p.v, p.level, p.rows.tolist()) for p in one] == [
        (p.t, p.v, p.level, p.rows.tolist()) for p in two
    ]
    for level in (0.3, 0.6, 0.9):
        assert sum(p.level == level for p in one) <= 3


def test_too_few_samples_give_no_plan():
    assert plans_of(table_of(n=30))[0] == []


def result(level, rank, believed=False):
    first = rank == 1
    return PlantedResult("a", "b", level, level, 9, 5, rank, rank, first, believed, ("x", "y"), 0, "k")


def test_recall_counts_ranks_and_has_wilsons_interval():
    rows = recall_by_level([result(0.3, 1, True), result(0.3, 4), result(0.3, 9), result(0.3, None)])
    assert [(r.level, r.n, r.first, r.five, r.shown, r.believed) for r in rows] == [(0.3, 4, 1, 2, 3, 1)]
    assert (rows[0].interval.low, rows[0].interval.high) == pytest.approx((0.3006, 0.9544), abs=1e-4)


def test_results_come_back_and_a_line_cut_by_a_kill_is_left_out(tmp_path):
    file = tmp_path / "planted.jsonl"
    write_result(file, result(0.3, 2))
    write_result(file, result(0.6, None))
    with file.open("a") as stream:
        stream.write('{"t": "a", "v"')
    assert kept_results(file) == [result(0.3, 2), result(0.6, None)]


def test_no_finding_is_no_rank():
    plans, _ = plans_of(table_of(), n=1)
    empty = result_of(plans[0], [], seed=0, of="k", called={})
    assert (empty.rank, empty.rank_t, empty.said, empty.believed) == (None, None, ("", ""), False)

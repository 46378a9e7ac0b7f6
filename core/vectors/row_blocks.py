"""Work on rows block by block, on all cores, with the same result at any number of cores.

Every block is computed by one thread with a single-threaded BLAS and block borders do not depend on the
number of threads, so that a sum over blocks, taken in block order, is the same to the last bit.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from core.errors import DataError
from core.seams import FloatMatrix, FloatVector, IntVector

Result = TypeVar("Result")
BLOCK_ROWS = 1024
"""Rows a block: rows, products and their copies stay in a core's cache at d = 384..1024, K = 10..800."""
NORM_TOLERANCE = 1e-4


class BlockPool:
    """Threads for blocks of rows; while open, BLAS runs single-threaded inside each of them.

    threads: None = all cores this process may use. Not for use by two threads at once.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or _usable_cores()
        self._stack = ExitStack()
        self._own = threading.local()

    def __enter__(self) -> BlockPool:
        self._stack.enter_context(_blas().limit(limits=1))
        self._executor = self._stack.enter_context(ThreadPoolExecutor(self.threads))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def each(self, work: Callable[[int, int], Result], n: int, block: int = BLOCK_ROWS) -> Iterator[Result]:
        """Results of `work(start, stop)` for the blocks of 0..n, in block order, as they come."""
        starts = range(0, n, block)
        return self._executor.map(lambda start: work(start, min(start + block, n)), starts)

    def product(self, some: FloatMatrix, columns: FloatMatrix) -> FloatMatrix:
        """(rows, K) `some @ columns` in memory of the calling thread that its next product overwrites.

        Fresh memory for every block would cost a page fault every thousand numbers.
        """
        size = len(some) * columns.shape[1]
        kept: npt.NDArray[np.float32] | None = getattr(self._own, "numbers", None)
        if kept is None or len(kept) < size:
            kept = self._own.numbers = np.empty(size, np.float32)
        near = kept[:size].reshape(len(some), columns.shape[1])
        np.matmul(some, columns, out=near)
        return near

    def map(self, work: Callable[[int, int], Result], n: int, block: int = BLOCK_ROWS) -> list[Result]:
        """As `each`, all at once."""
        return list(self.each(work, n, block))


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries loaded when first asked, numpy's among them (looking them up takes 6 ms)."""
    return ThreadpoolController().select(user_api="blas")


def checked_rows(
    rows: npt.NDArray[np.floating], pool: BlockPool, name_of: Callable[[int], str] | None = None
) -> tuple[FloatMatrix, FloatVector]:
    """`rows` as (n, d) C-contiguous float32, and the squared length x.x of each, 1 up to rounding.

    No copy is made of rows that are such already (memory-mapped or not).

    name_of: says what row i belongs to, for the message.
    Raises DataError for an empty or not two-dimensional array, and for the first row that is not a unit
    vector (NaN, infinite, all zero, or of another length): every formula here takes x.y for the cosine.
    """
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] == 0:
        raise DataError(
            "there are no vectors to group",
            value=tuple(rows.shape),
            remedy="give at least one row of numbers",
        )
    if rows.dtype.kind != "f":
        raise DataError("vectors must be floating-point numbers", value=str(rows.dtype))
    with np.errstate(over="ignore", invalid="ignore"):
        plain = np.ascontiguousarray(rows, dtype=np.float32)
        squares = np.concatenate(
            pool.map(lambda start, stop: squared_lengths(plain[start:stop]), len(plain), 4 * BLOCK_ROWS)
        )
    wrong = np.flatnonzero(~(np.abs(np.sqrt(squares) - 1) <= NORM_TOLERANCE))
    if len(wrong):
        _refuse_row(int(wrong[0]), np.asarray(rows[wrong[0]]), name_of)
    return plain, squares


def _refuse_row(index: int, row: npt.NDArray[np.floating], name_of: Callable[[int], str] | None) -> None:
    where = f"vector {index}" + (f" ({name_of(index)})" if name_of else "")
    if not np.isfinite(row).all():
        bad = int(np.flatnonzero(~np.isfinite(row))[0])
        raise DataError(
            "the vector holds a number that is not finite",
            where=where,
            value=f"{row[bad]} at dimension {bad}",
            remedy="embed this item again or leave it out",
        )
    length = float(np.linalg.norm(row.astype(np.float64)))
    what = "the vector is all zero" if length == 0 else "the vector does not have length 1"
    raise DataError(
        what,
        where=where,
        value=f"length {length:.6g}",
        remedy="embed this item again or leave it out"
        if length == 0
        else "divide every vector by its length first",
    )


def one_hot(labels: IntVector, k: int, kind: type[np.floating] = np.float64) -> sp.csc_matrix:
    """(k, n) indicator matrix: entry (labels[i], i) is 1.

    By columns: its product with rows reads each of them once, in order.
    """
    n = len(labels)
    return sp.csc_matrix((np.ones(n, kind), labels, np.arange(n + 1, dtype=np.int32)), shape=(k, n))


def in_float64(rows: FloatMatrix) -> npt.NDArray[np.float64]:
    return rows.astype(np.float64)


def cluster_sums(
    rows: FloatMatrix,
    labels: IntVector,
    k: int,
    pool: BlockPool,
    prepared: Callable[[FloatMatrix], npt.NDArray[np.float64]] | None = in_float64,
) -> npt.NDArray[np.float64]:
    """(k, d) float64 sums of the rows of every cluster.

    prepared: what a block of rows is turned into first. None adds up within a block of 2,048 rows in
        float32 (then in float64): three times as fast, with a relative rounding of about 1e-7.
    """

    def work(start: int, stop: int) -> npt.NDArray[np.floating]:
        block, some = rows[start:stop], labels[start:stop]
        part: npt.NDArray[np.floating] = (
            one_hot(some, k, np.float32) @ block if prepared is None else one_hot(some, k) @ prepared(block)
        )
        return part

    total = np.zeros((k, rows.shape[1]))
    for part in pool.each(work, len(rows), 2 * BLOCK_ROWS):
        total += part
    return total


def distinct_rows(rows: FloatMatrix) -> npt.NDArray[np.int64]:
    """Index of the first of each set of equal rows, ascending."""
    return np.sort(np.unique(_row_hashes(rows), return_index=True)[1])


def equal_rows(rows: FloatMatrix) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(m,) index of the first of each set of equal rows, ascending, and (n,) the set each row is of."""
    _, first, group = np.unique(_row_hashes(rows), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[group]


def _row_hashes(rows: FloatMatrix) -> npt.NDArray[np.uint64]:
    """(n,) 64-bit hash of the bits of every row; 0.0 and -0.0 are equal."""
    n, width = rows.shape
    odd = np.random.default_rng(0x5EED).integers(0, 2**63, (width + 1) // 2, dtype=np.uint64) * 2 + 1
    hashes = np.empty(n, np.uint64)
    for start in range(0, n, BLOCK_ROWS):
        part = np.zeros((min(BLOCK_ROWS, n - start), len(odd) * 2), np.float32)
        np.add(rows[start : start + BLOCK_ROWS], np.float32(0), out=part[:, :width])  # -0.0 becomes 0.0
        bits = part.view(np.uint64)
        bits ^= bits >> np.uint64(29)
        hashes[start : start + BLOCK_ROWS] = (bits * odd).sum(axis=1, dtype=np.uint64)
    return hashes


def squared_lengths(rows: npt.NDArray[np.floating]) -> FloatVector:
    """(n,) x.x of every row, summed in the precision of the rows: 1 up to rounding."""
    squares: FloatVector = np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    return squares

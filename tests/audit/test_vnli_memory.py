"""VNLI-Critique on 20,000 sentences: in the memory of a part, measured in processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.vnli_memory import BROKEN_EVERY, WRONG_EVERY

REPOSITORY = Path(__file__).resolve().parents[2]
FEW, MANY = 2_000, 20_000


def measured(folder, n):
    command = [sys.executable, "-m", "tests.audit.vnli_memory", str(n), str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's count of resident memory")
def test_twenty_thousand_sentences_in_the_memory_of_a_part(tmp_path):
    few, many = measured(tmp_path / "few", FEW), measured(tmp_path / "many", MANY)
    broken = len(range(0, MANY, BROKEN_EVERY))
    wrong = len([i for i in range(0, MANY, WRONG_EVERY) if i % BROKEN_EVERY])
    found = many["factuality"]
    assert found["n_unscored"] == broken
    assert found["verdicts"] == {"Entailment": MANY - broken - wrong, "Non-entailment": wrong}
    assert many["critiques"]["n_critiques"] == wrong
    assert many["revisions"]["accepted"] == many["revisions"]["judged"] == wrong
    assert many["parts"] == dict.fromkeys(("factuality", "critiques", "revisions"), -(-MANY // 512))
    # Questions, answers and critiques of the whole are never held: that would be over 90 MB.
    grown = (many["peak"] - many["before"]) - (few["peak"] - few["before"])
    assert grown < 30e6, f"{grown / 1e6:.0f} MB more for ten times the sentences"
    assert many["peak"] < 600e6
    assert many["seconds"] < 60

"""Reports as a base dataset: labels from columns, sentences from the corpus, denied findings left out."""

import csv
from pathlib import Path

import pytest

from core.bench.symbalbench.medical import (
    ReportColumns,
    corpus_sentences,
    medical_pairs,
    read_reports,
    says,
)
from core.bench.symbalbench.run import BenchConfig, prepare
from core.errors import ConfigError, DataError

REAL = Path(__file__).parents[3].parent / "shared" / "data" / "iu_xray_reports.csv"


def write(path, rows):
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["uid", "Problems", "findings", "impression"])
        writer.writeheader()
        writer.writerows(dict(zip(writer.fieldnames, row, strict=True)) for row in rows)
    return path


def test_table_3_is_five_by_five():
    pairs = medical_pairs()
    assert len(pairs) == 25
    assert len({t for t, _ in pairs}) == len({v for _, v in pairs}) == 5


def test_labels_devices_and_empty_reports(tmp_path):
    path = write(
        tmp_path / "r.csv",
        [
            ("1", "Cardiomegaly;Pulmonary Edema", "The heart is large.", "Cardiomegaly with edema."),
            ("2", "normal", "Surgical clips are seen.", "No acute disease."),
            ("3", "normal", "No surgical clips. No pacemaker.", "Normal."),
            ("4", "normal", "Clear lungs.", ""),
        ],
    )
    samples = read_reports(path)
    assert [s.image.image_id for s in samples] == ["1", "2", "3"]
    assert samples[0].image.annotated == {"cardiomegaly", "edema"}
    assert samples[1].image.annotated == {"surgical clips"}
    assert samples[2].image.annotated == frozenset()
    assert samples[0].references == ("The heart is large. Cardiomegaly with edema.",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("There is a pleural effusion.", True),
        ("No pleural effusion.", False),
        ("The lungs are clear without pleural effusion.", False),
        ("Possible pleural effusion.", False),
        ("No pneumothorax. Small pleural effusions.", True),
    ],
)
def test_denied_and_doubted_findings_are_not_said(text, said):
    assert says(text, "pleural effusion") is said


def test_sentences_of_the_corpus_most_frequent_first_and_a_missing_term_is_named():
    texts = ["There is edema. Lungs are clear."] * 3 + ["Edema persists."] + ["No edema."] * 9
    found = corpus_sentences(texts, ["edema"])
    assert found == {"edema": ("There is edema.", "Edema persists.")}
    with pytest.raises(DataError, match="says this is present"):
        corpus_sentences(texts, ["pneumothorax"])


def test_missing_columns_and_the_wrong_mixture_are_one_sentence(tmp_path):
    path = write(tmp_path / "r.csv", [("1", "normal", "Clear.", "Normal.")])
    with pytest.raises(DataError, match="no column 'text'"):
        read_reports(path, ReportColumns(text="text"))
    with pytest.raises(ConfigError, match="no base dataset"):
        prepare(BenchConfig())


@pytest.mark.skipif(not REAL.is_file(), reason="the X-ray reports are not on this machine")
def test_real_reports_carry_settings_with_two_devices():
    samples, settings = prepare(BenchConfig(reports=REAL))
    assert len(samples) > 3000
    assert {s.label.v for s in settings} <= {v for _, v in medical_pairs()}
    assert len({s.label.v for s in settings}) >= 2
    for setting in settings:
        assert abs(setting.label.achieved - setting.label.level) <= 0.03
        for row in setting.added:
            assert setting.label.t not in samples[row].image.annotated

"""The report: what it says, that it is deterministic, and that nothing from data becomes markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from core.cli import main
from core.errors import ConfigError, RunError
from core.labels.verdicts import LabelStore
from core.report.build import build_report
from core.report.data import SECTIONS, Options
from core.report.gather import chosen_findings, gather
from core.runs.workspace import Workspace
from core.views.findings import finding_target
from core.views.open_run import labels_of, open_run
from tests.pages import audit_fixture as fixture


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def run(root):
    run_id = fixture.write_finished(root)
    folder = root / "runs" / run_id
    (folder / "config.toml").write_text('captions = "data/captions.jsonl"\nobjects_column = "objects"\n')
    return open_run(Workspace(root), run_id)


def text_of(run, **options):
    return build_report(run, Options(**options)).html.decode()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.attributes, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in {"meta", "link", "img", "br", "line", "rect", "circle", "path"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open.pop() == tag


def parsed(html):
    found = Tags()
    found.feed(html)
    assert not found.open
    return found


def test_what_it_says(run):
    html = text_of(run, author="Ada", date="2026-03-01", notes="Read me first")
    assert "Captions say ‘handbag’ wrongly 4.0 times as often when ‘bus’ is in the object list." in html
    assert '<mark class="concept">red handbag</mark>' in html
    for said in ("Ada", "2026-03-01", "Read me first", fixture.FINGERPRINT, "row 61: the caption is empty"):
        assert said in html
    assert "Baseline scorer (objects-match)" in html
    for heading in SECTIONS.values():
        assert f">{heading}</h2>" in html


def test_sections_without_data_say_so(run):
    html = text_of(run)
    assert "did not score the three axes" in html
    assert "has no map of its sentences" in html
    assert "fewer than two captioners (all by scripted)" in html
    assert "No errors were planted" in html
    assert "This audit made no critiques" in html
    assert "No sentence of this cluster has a verdict" in html


def test_same_inputs_same_bytes(run):
    first = build_report(run, Options(date="2026-03-01")).html
    assert first == build_report(run, Options(date="2026-03-01")).html
    other = build_report(run, Options(date="2026-03-02")).html
    assert first != other
    assert first.replace(b"2026-03-01", b"2026-03-02") == other


def test_it_is_one_file_without_scripts(run):
    found = parsed(text_of(run))
    assert not {"script", "iframe", "object", "embed", "form", "base"} & set(found.seen)
    for name, value in found.attributes:
        assert not name.startswith("on")
        assert name != "style"
        if name in ("src", "href"):
            assert value.startswith(("data:", "#"))
    policy = next(v for n, v in found.attributes if n == "content" and v.startswith("default-src"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


HOSTILE = (
    "<script>window.__injected = 1</script>",
    "</style><script>window.__injected = 1</script>",
    "<img src=x onerror=window.__injected=1>",
    "\u202eesrever\u202c \u200f عربى",
    "👩‍👩‍👧‍👦 𝔘𝔫𝔦 \ud800 \x00 \x1b[31m",
    'it\'s "quoted" & <b>bold</b> {{ 7 * 7 }} {% raw %}',
    "long " * 2500,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(root, run, text):
    """Names, captions' pictures, titles and notes: nothing of it becomes an element."""
    plain = parsed(text_of(run, title="x", author="x", notes="x"))
    path = root / "runs" / run.run_id / "findings.json"
    found = json.loads(path.read_text())
    for finding in found["findings"]:
        finding["textual_fact"]["text"] = finding["visual_feature"]["text"] = text
    path.write_text(json.dumps(found))
    store = labels_of(run.workspace, run.fingerprint)
    target = finding_target(found["findings"][0]["finding_id"])
    store.give(target, "confirmed", annotator="ann", dataset=run.fingerprint, run_id=run.run_id, note=text)
    hostile_run = open_run(run.workspace, run.run_id)
    html = build_report(hostile_run, Options(title=text, author=text, notes=text)).html.decode(
        "utf-8", "replace"
    )
    seen = parsed(html)
    assert set(seen.seen) - {"blockquote", "strong"} <= set(plain.seen)
    assert seen.seen.count("style") == 1
    assert "49" not in re.findall(r"<h1><bdi>(.*?)</bdi>", html, re.DOTALL)[0]


def test_a_scripted_caption_is_escaped(run):
    html = text_of(run)
    assert "&lt;script&gt;window.__injected = 1&lt;/script&gt;" in html
    assert "<script" not in html


def test_thumbnails_keep_to_the_budget(run):
    whole = build_report(run, Options())
    assert whole.n_images > 20
    assert whole.left_out == 0
    small = build_report(run, Options(max_mb=0.15))
    assert len(small.html) <= 150_000
    assert 0 < small.n_images < whole.n_images
    assert small.left_out > 0
    assert "left out to keep the file small" in small.html.decode()
    none = build_report(run, Options(max_images=0))
    assert none.n_images == 0
    with pytest.raises(ConfigError, match="text of the report alone"):
        build_report(run, Options(max_mb=0.1, notes="n" * 200_000))


def test_an_image_that_is_gone_is_named_as_such(run):
    for path in run.image_root.rglob("*.jpg"):
        path.unlink()
    made = build_report(run, Options())
    assert made.n_images == 0
    assert made.broken > 0
    assert (
        made.html.decode().count('<span class="none">there is no such file in the image folder')
        == made.broken
    )


@pytest.mark.parametrize("asked", ["", "4", "1,x", "best", "0", "-1", "1;2", "٣"])
def test_findings_that_are_not_there(run, asked):
    with pytest.raises(ConfigError):
        chosen_findings(run, asked)


def test_findings_by_rank_and_by_verdict(run):
    assert [f["rank"] for f in chosen_findings(run, "3, 1")] == [1, 3]
    assert chosen_findings(run, "confirmed") == []
    assert "None of the 3 findings of this audit is confirmed" in text_of(run, findings="confirmed")
    store = labels_of(run.workspace, run.fingerprint)
    about = {"dataset": run.fingerprint, "run_id": run.run_id}
    target = finding_target(fixture.finding_id("chair", "tv"))
    store.give(target, "confirmed", annotator="ann", note="seen in 9 of 10", **about)
    assert [f["rank"] for f in chosen_findings(run, "confirmed")] == [2]
    assert "seen in 9 of 10" in text_of(run, findings="confirmed")
    store.give(target, "rejected", annotator="bob", **about)
    assert chosen_findings(run, "confirmed") == []


def label_sentences(run, n, wrong):
    """n verdicts on sentences of the first pair; every sentence of the fixture's pair is in cluster 1."""
    store: LabelStore = labels_of(run.workspace, run.fingerprint)
    samples = [s for i, s in enumerate(fixture.make_samples(None, 60)) if i % 3 == 0][:n]
    for i, sample in enumerate(samples):
        start = sample["caption"].index("There is a red")
        end = start + len("There is a red handbag near the middle of it.")
        store.give(
            f"fact:{start}-{end}:{sample['sample_id']}",
            "Contradiction" if wrong(i) else "Entailment",
            annotator="ann",
            dataset=run.fingerprint,
            run_id=run.run_id,
        )


def add_grouping(root, run):
    """A grouping as the engine writes it: sentences about pair k are cluster k + 1, openings cluster 0."""
    import pyarrow as pa

    rows = [[0 if k == 0 else i % 3 + 1] for i in range(60) for k in range(2)]
    fixture.write_stage(root, "fact_grouping", "a" * 64, pa.schema([("cluster", pa.int32())]), rows)
    path = root / "runs" / run.run_id / "run.json"
    record = json.loads(path.read_text())
    record["stages"]["fact_grouping"] = "a" * 64
    path.write_text(json.dumps(record))
    return open_run(run.workspace, run.run_id)


def test_prevalence_by_verdicts(root, run):
    run = add_grouping(root, run)
    label_sentences(run, 5, lambda i: True)
    (first, *_) = gather(run, Options()).findings
    assert "5 sentences of this cluster have a verdict by a person" in first.prevalence
    label_sentences(run, 15, lambda i: i % 3 != 2)
    (first, second, _) = gather(run, Options()).findings
    share = re.match(
        r"(\d+) % of its sentences are really wrong \(95 % interval (\d+) to (\d+) %\)", first.prevalence
    )
    assert share
    assert int(share[2]) < int(share[1]) < int(share[3])
    assert "from 15 verdicts of people and the scores of all 20 sentences" in first.prevalence
    assert "The verdicts alone say 67 %" in first.prevalence
    assert "0 sentences of this cluster" in second.prevalence


def test_an_unfinished_run_has_no_report(root):
    fixture.write_run(root, "dead-1", "running")
    (root / "runs" / "dead-1" / "config.toml").write_text('captions = "c.jsonl"\n')
    with pytest.raises(RunError, match="has no findings"):
        build_report(open_run(Workspace(root), "dead-1"), Options())


def test_the_command_line(root, run, tmp_path, capsys):
    out = tmp_path / 'it\'s "a" report.html'
    flags = ["--workspace", str(root), "--out", str(out), "--findings", "1,2", "--date", "2026-03-01"]
    assert main(["report", run.run_id, *flags]) == 0
    assert "2 findings" in capsys.readouterr().out
    assert out.read_bytes() == build_report(run, Options(findings="1,2", date="2026-03-01")).html
    assert main(["report", run.run_id, "--workspace", str(root), "--findings", "9"]) == 2
    assert "no finding of this rank" in capsys.readouterr().err
    assert main(["report", "nothing", "--workspace", str(root)]) == 2
    assert main(["report", run.run_id, *flags, "--sections", "colophon"]) == 2
    assert (
        main(["report", run.run_id, "--workspace", str(root), "--out", str(tmp_path / "no" / "x.html")]) == 2
    )


def test_paths_of_the_machine_stay_at_home(run, root):
    (root / "runs" / run.run_id / "config.toml").write_text(
        'captions = "/srv/secret/captions.jsonl"\nimages = "/srv/i"\n'
    )
    html = text_of(run)
    assert "/srv" not in html
    assert "core audit captions.jsonl --images i" in html

"""Against a server that misbehaves: no score is invented, every failure is counted with its reason."""

import base64
import io
import itertools
import time

import pytest
from PIL import Image

from core.dataset.images import open_image
from core.domain.chat import Completion
from core.domain.judgement import Unscored
from core.errors import AuditCancelledError, ModelError, ServerDownError
from core.models.calls import CachedChat
from core.models.server.chat import ServerChat
from core.runs.calls import CallStore
from tests.protocol.asking import SCORE_SCHEMA, chat, choice, free, image, settings
from tests.protocol.faulty_server import FaultyServer

FAULTS = {
    "500": "no answer",
    "stall": "no answer",
    "cut": "no answer",
    "not-json": "no answer",
    "400": "refused by the server",
    "wrong-schema": "wrong schema",
    "no-message": "wrong schema",
    "empty-choices": "empty answer",
    "null": "empty answer",
    "refusal": "refused",
    "prose": "not a choice",
}


@pytest.fixture
def server():
    with FaultyServer() as running:
        yield running


def cached(model, folder):
    return CachedChat("scorer_chat", model, CallStore(folder / "calls" / "scorer"), 1024)


def test_no_fault_becomes_a_score_and_each_is_counted(server, tmp_path):
    asks = [choice(f"good {i} p=0.7") for i in range(20)]
    asks += [choice(f"bad {fault} fault={fault}") for fault in FAULTS]
    asks += [choice(f"more good {i} p=0.2") for i in range(20)]
    model = cached(chat(server.url, max_concurrency=4), tmp_path)
    answers = model.complete(asks)
    bad = dict(zip(FAULTS, answers[20 : 20 + len(FAULTS)], strict=True))
    assert {fault: a.reason for fault, a in bad.items()} == FAULTS
    assert all(isinstance(a, Completion) for a in answers[:20] + answers[-20:])
    assert answers[0].choice_probabilities == pytest.approx({"0": 0.3, "1": 0.7})
    assert model.counts.asked == len(asks)
    assert model.counts.unscored.total() == len(FAULTS)
    assert all(a.detail for a in bad.values())


@pytest.mark.parametrize("fault", ["429", "500", "stall", "cut", "not-json"])
def test_a_passing_fault_is_tried_again(server, fault):
    (answer,) = chat(server.url).complete([choice(f"p=0.9 fault={fault}*1")])
    assert answer.choice_probabilities["1"] == pytest.approx(0.9)
    assert len(server.questions()) == 2


def test_retry_after_is_honoured(server):
    model = chat(server.url)
    assert model.capabilities.logprobs
    began = time.monotonic()
    model.complete([choice("p=0.9 fault=429*1")])
    assert time.monotonic() - began >= 0.4


def test_an_answer_cut_by_its_length_is_unscored_with_its_text(server):
    (answer,) = chat(server.url).complete([free("describe fault=length", max_tokens=4)])
    assert answer == Unscored("cut off", "the answer is longer than 4 tokens", "A dog on a")


def test_json_is_held_to_its_schema(server):
    asks = [free("ok", json_schema=SCORE_SCHEMA), free("fault=bad-json", json_schema=SCORE_SCHEMA)]
    good, bad = chat(server.url).complete(asks)
    assert good.text == '{"score": 1}'
    assert bad.reason == "unparseable"
    assert bad.raw == '{"score": "high"}'


def test_transport_failures_are_not_kept_malformed_answers_are(server, tmp_path):
    asks = [choice("fault=500"), choice("fault=prose"), choice("fault=400")]
    first = cached(chat(server.url), tmp_path).complete(asks)
    n = len(server.questions())
    second = cached(chat(server.url), tmp_path).complete(asks)
    assert first == second
    asked_again = server.questions()[n:]
    assert sorted(set(asked_again)) == ["fault=400", "fault=500"]
    assert "The score is 0." in second[1].raw


def test_a_server_that_is_gone_stops_the_run_in_one_sentence():
    with FaultyServer() as server:
        pass
    with pytest.raises(ServerDownError) as caught:
        chat(server.url).complete([choice(f"q {i}") for i in range(50)])
    sentence = caught.value.sentence()
    assert f"127.0.0.1:{server.port}" in sentence
    assert "resume the run" in sentence
    assert "\n" not in sentence


def test_a_server_that_only_fails_stops_the_run_and_keeps_nothing(server, tmp_path):
    model = cached(chat(server.url, max_concurrency=8), tmp_path)
    with pytest.raises(ServerDownError):
        model.complete([choice(f"q {i} fault=500") for i in range(200)])
    assert len(CallStore(tmp_path / "calls" / "scorer")) == 0
    assert len(server.questions()) < 100


def test_a_rate_limit_that_never_ends_pauses_the_run(server):
    with pytest.raises(ServerDownError, match="slow down"):
        chat(server.url, max_attempts=2).complete([choice("fault=429")])


def test_a_server_that_dies_is_resumed_without_asking_twice(tmp_path):
    asks = [choice(f"question {i} p=0.6") for i in range(300)]
    with FaultyServer() as server:

        def kill():
            if len(server.questions()) >= 60:
                server.stop()

        with pytest.raises(ServerDownError):
            cached(chat(server.url, max_concurrency=4, check=kill), tmp_path).complete(asks)
        kept = len(CallStore(tmp_path / "calls" / "scorer"))
        answered_before = set(server.questions())
    assert 50 <= kept <= len(answered_before)
    with FaultyServer(port=server.port) as again:
        model = cached(chat(again.url), tmp_path)
        answers = model.complete(asks)
        assert model.counts.kept == kept
        assert len(again.questions()) == len(asks) - kept
    assert all(a.choice_probabilities["1"] == pytest.approx(0.6) for a in answers)


def test_images_stay_with_one_server_and_move_when_it_is_gone(tmp_path):
    pictures = [image(tmp_path, f"{i}", (i * 9, 50, 90)) for i in range(12)]
    asks = [choice(f"fact {k} p=0.7", [p]) for k in range(3) for p in pictures]
    with FaultyServer() as one, FaultyServer() as two:
        chat(one.url, two.url).complete(asks)
        places = {}
        for server in (one, two):
            for path, body in server.seen:
                if path.endswith("completions") and "fact" in str(body["messages"]):
                    url = body["messages"][-1]["content"][0]["image_url"]["url"]
                    places.setdefault(url, set()).add(server.port)
        assert len(places) == len(pictures)
        assert all(len(ports) == 1 for ports in places.values())
        assert len({next(iter(ports)) for ports in places.values()}) == 2
        model = chat(one.url, two.url)
        assert model.capabilities.images
        one.stop()
        answers = model.complete(asks)
    assert all(isinstance(a, Completion) for a in answers)


def test_the_image_comes_before_the_text_and_is_scaled_down(server, tmp_path):
    picture = image(tmp_path, "wide", size=(300, 100))
    chat(server.url, image_max_side=60).complete([choice("A red wall.", [picture], system="You check.")])
    messages = server.seen[-1][1]["messages"]
    assert [m["role"] for m in messages] == ["system", "user"]
    assert [p["type"] for p in messages[1]["content"]] == ["image_url", "text"]
    raw = base64.b64decode(messages[1]["content"][0]["image_url"]["url"].split(",")[1])
    assert Image.open(io.BytesIO(raw)).size == (60, 20)


def test_questions_about_one_image_follow_each_other(server, tmp_path):
    pictures = [image(tmp_path, f"{i}", (i * 20, 0, 0)) for i in range(8)]
    asks = [choice(f"fact {k}", [p]) for k in range(4) for p in pictures]
    chat(server.url, max_concurrency=1).complete(asks)
    bodies = [b for p, b in server.seen if "fact" in str(b["messages"])]
    urls = [b["messages"][-1]["content"][0]["image_url"]["url"] for b in bodies]
    changes = sum(a != b for a, b in itertools.pairwise(urls))
    assert changes == len(pictures) - 1


def test_a_changed_or_missing_image_is_unscored(server, tmp_path):
    changed, missing = image(tmp_path, "a"), image(tmp_path, "b", (9, 9, 9))
    image(tmp_path, "a", (1, 2, 3))
    missing.path.unlink()
    model = ServerChat(settings(server.url), open_image=open_image)
    first, second = model.complete([choice("x", [changed]), choice("x", [missing])])
    assert first.reason == "image changed"
    assert second.reason == "no image"


@pytest.mark.parametrize(
    ("poor", "mode", "note"),
    [
        ((), "logprobs", ""),
        (("no-logprobs",), "samples-8", "shares of 8 drawn answers"),
        (("no-logprobs", "one-sample"), "hard", "hard labels"),
        (("ignores-choice",), "logprobs", "not held to the labels"),
        (("rejects-choice",), "logprobs", "not held to the labels"),
        (("no-schema",), "logprobs", "JSON schemas are not honoured"),
        (("no-images",), "logprobs", "Images are not accepted"),
    ],
)
def test_what_a_server_cannot_do_is_found_and_said(poor, mode, note):
    with FaultyServer(poor) as server:
        model = chat(server.url)
        assert model.capabilities.choice_mode(8) == mode
        assert note in " ".join(model.degradation)
        assert bool(model.degradation) == bool(poor)
        (answer,) = model.complete([choice("p=0.75")])
    if "choice" in str(poor):
        assert answer.reason == "not a choice"  # "hello" is no label: nothing is made of it
    elif mode == "hard":
        assert answer.text == "1"
        assert not answer.choice_probabilities
    else:
        assert answer.choice_probabilities["1"] == pytest.approx(0.75)


def test_labels_weighed_in_another_way_are_kept_apart(tmp_path):
    with FaultyServer(["no-logprobs"]) as poor:
        cached(chat(poor.url), tmp_path).complete([choice("p=0.7")])
        plan = cached(chat(poor.url), tmp_path).plan([choice("p=0.7")])
        assert plan.calls == 0
    with FaultyServer() as full:
        (answer,) = cached(chat(full.url), tmp_path).complete([choice("p=0.7")])
        assert full.questions() == ["p=0.7"]
    assert answer.choice_probabilities["1"] == pytest.approx(0.7)


def test_a_model_that_is_not_served_is_named_with_what_is():
    with FaultyServer(models=("a", "b")) as server, pytest.raises(ModelError, match="It lists: a, b"):
        chat(server.url, model="qwen").complete([choice("x")])


def test_a_stop_is_noticed_while_asking(server):
    def check():
        if len(server.questions()) > 20:
            raise AuditCancelledError("stop")

    with pytest.raises(AuditCancelledError):
        chat(server.url, max_concurrency=2, check=check).complete([choice(f"q {i}") for i in range(5000)])
    assert len(server.questions()) < 4000


def test_the_api_key_is_sent_but_never_shown_or_kept(tmp_path):
    key = "sk-very-secret-0123456789"
    with FaultyServer(key=key) as server:
        more = {"api_key_env": "TEST_KEY", "secrets": {"TEST_KEY": key}}
        model = cached(chat(server.url, **more), tmp_path)
        asks = [choice("p=0.7"), choice(f"echo {key} fault=prose"), free("fault=length")]
        shown = repr(model.complete(asks)[::2]) + repr(model.identity)
        with pytest.raises(ModelError) as caught:
            chat(server.url, api_key_env="TEST_KEY", secrets={"TEST_KEY": key + "x"}).complete(asks)
    assert key not in shown + caught.value.sentence()
    kept = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"cut off" in kept
    assert key.encode() not in kept


def test_a_missing_api_key_is_said_before_anything_is_asked():
    with pytest.raises(ModelError, match="Set the environment variable NO_SUCH_KEY"):
        chat("http://127.0.0.1:1/v1", api_key_env="NO_SUCH_KEY")


def test_identity_says_how_images_are_made_but_not_where_the_server_is():
    one, two = chat("http://a:1/v1").identity, chat("http://b:2/v1", max_concurrency=3).identity
    assert one == two
    assert chat("http://a:1/v1", image_max_side=512).identity != one
    assert settings("http://a:1/v1").model in one.name


def test_a_server_too_slow_for_the_probe_is_not_taken_for_a_poor_one(server, monkeypatch):
    monkeypatch.setattr(type(server), "fault_of_probes", "stall")
    with pytest.raises(ServerDownError, match="does not answer a first question"):
        chat(server.url, timeout_s=0.2, max_attempts=2).complete([choice("p=0.5")])

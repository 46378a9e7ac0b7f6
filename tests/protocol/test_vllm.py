"""Against a real vLLM on the CPU: scores, concurrency, prefix cache, resume after the server is killed."""

import json
import math
import subprocess
from pathlib import Path

import pytest

from core.cli import main
from core.domain.chat import Completion
from core.errors import ServerDownError
from core.models.calls import CachedChat
from core.models.server.answers import first_token_logprobs, schema_problem
from core.models.server.images import data_url
from core.models.server.messages import messages_of
from core.runs.calls import CallStore
from tests.protocol.asking import SCORE_SCHEMA, chat, choice, free, image, opener
from tests.protocol.vllm_server import ENVIRONMENT, MODEL, quiet_environment

SCRIPT = Path(__file__).with_name("offline_answers.py")
pytestmark = pytest.mark.timeout(900)


def vllm_chat(server, **more):
    fields = {"timeout_s": 120.0, "max_attempts": 6, "backoff_s": 0.2, **more}
    return chat(server.url, model=MODEL, **fields)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    colours = [(i * 20 % 255, i * 67 % 255, i * 131 % 255) for i in range(12)]
    return [image(folder, f"{i}", colour, size=(224, 224)) for i, colour in enumerate(colours)]


def unmasked_ratio(server, ask):
    """P(1) / (P(0) + P(1)) of the first token when nothing is held to the labels."""
    link = chat(server.url, model=MODEL, timeout_s=120.0).link
    urls = [data_url(i, opener, 1024) for i in ask.images]
    body = {
        "model": MODEL,
        "messages": messages_of(ask, urls),
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": server.vocabulary(),
    }
    answer = link.run(link.post("/chat/completions", body, ""))
    listed = first_token_logprobs(answer["choices"][0])
    zero, one = (next(math.exp(p) for token, p in listed if token == label) for label in "01")
    return one / (zero + one), zero + one


def test_everything_the_client_needs_is_found(vllm):
    model = vllm_chat(vllm)
    able = model.capabilities
    assert able.choice_field == "structured_outputs"
    assert (able.logprobs, able.json_schema, able.images) == (True, True, True)
    assert able.context == 2048
    assert able.models == (MODEL,)
    assert model.degradation == ()


def test_scores_are_the_servers_own_unmasked_ratio(vllm, pictures):
    asks = [
        choice(f"Does the caption describe the image? {text} Answer 1 for yes and 0 for no.", [picture])
        for picture in pictures[:3]
        for text in ("A dog runs.", "A red sofa.", "Two people ride bicycles.")
    ]
    answers = vllm_chat(vllm).complete(asks)
    values = [a.choice_probabilities["1"] for a in answers]
    expected, mass = zip(*[unmasked_ratio(vllm, ask) for ask in asks], strict=True)
    assert max(mass) < 0.9, "the unmasked model says other things too"
    assert values == pytest.approx(expected, abs=2e-3)
    assert len({round(v, 6) for v in values}) > 3
    assert all(a.text == ("1" if v > 0.5 else "0") for a, v in zip(answers, values, strict=True))


def test_longer_labels_are_told_apart_by_their_first_token(vllm):
    labels = ("Entailment", "Neutral", "Contradiction")
    (answer,) = vllm_chat(vllm).complete([choice("A dog runs.", labels=labels)])
    assert answer.text in labels
    assert sum(answer.choice_probabilities.values()) == pytest.approx(1.0)


def test_a_schema_is_followed_or_the_answer_is_unscored(vllm):
    asks = [free(f"Score caption {i}.", json_schema=SCORE_SCHEMA, max_tokens=40) for i in range(8)]
    answers = vllm_chat(vllm).complete(asks)
    good = [a for a in answers if isinstance(a, Completion)]
    assert all(schema_problem(a.text, SCORE_SCHEMA) == "" for a in good)
    assert all(a.reason in {"cut off", "unparseable"} for a in answers if not isinstance(a, Completion))
    long = vllm_chat(vllm).complete([free("word " * 3000)])[0]
    assert long.reason == "refused by the server"
    assert "2048" in long.detail


def test_32_questions_at_once_give_the_answers_of_one_at_a_time(vllm, pictures):
    asks = [choice(f"Fact {i}: a dog. 1 or 0?", [pictures[i % 12]]) for i in range(96)]
    together = vllm_chat(vllm, max_concurrency=32).complete(asks)
    assert all(isinstance(a, Completion) for a in together)
    alone = vllm_chat(vllm, max_concurrency=1).complete(asks[::8])
    near = [a.choice_probabilities["1"] for a in together[::8]]
    assert near == pytest.approx([a.choice_probabilities["1"] for a in alone], abs=0.01)


def test_a_second_question_about_an_image_hits_the_prefix_cache(vllm, tmp_path):
    picture = image(tmp_path, "new", (17, 203, 99), size=(280, 280))
    model = vllm_chat(vllm)
    assert model.capabilities.images

    def hits():
        return vllm.metric("vllm:prefix_cache_hits_total")

    model.complete([choice("Is there a dog?", [picture])])
    before = hits()
    model.complete([choice("Are there two people?", [picture])])
    assert hits() > before


def test_models_check_prints_what_the_server_can_do(vllm, tmp_path, capsys):
    preset = tmp_path / "mine.toml"
    preset.write_text(
        'description = "test"\ntext_embedder = "minilm"\nimage_embedder = "efficientnet-lite0"\n'
        'joint_image_embedder = "conse"\nconcept_extractor = "spacy"\nscorer_chat = "vl"\n'
        f'[chat.vl]\nmodel = "{MODEL}"\nbase_urls = ["{vllm.url}"]\nserve_args = "--max-model-len 2048"\n'
    )
    assert main(["models", "check", "--preset", str(preset)]) == 0
    out = capsys.readouterr().out
    assert "scorer_chat: tiny" in out
    assert "log-probabilities: yes, JSON schema: yes, images: yes" in out
    assert f"vllm serve tiny --port {vllm.port}" in out
    assert main(["models", "check", "--preset", str(preset), "--json"]) == 0
    served = [m for m in json.loads(capsys.readouterr().out) if m["serve"]]
    assert served[0]["capabilities"]["context"] == 2048


def test_vllm_in_this_process_gives_the_servers_scores(vllm, pictures, tmp_path):
    texts = [f"Is statement {i} true? 1 or 0?" for i in range(6)]
    asks = [choice(text, [pictures[i]]) for i, text in enumerate(texts)]
    served = [a.choice_probabilities["1"] for a in vllm_chat(vllm).complete(asks)]
    questions = tmp_path / "questions.json"
    listed = [
        {"text": ask.text, "image": str(ask.images[0].path), "sha256": ask.images[0].sha256} for ask in asks
    ]
    questions.write_text(json.dumps(listed))
    done = subprocess.run(
        [ENVIRONMENT / "bin" / "python", SCRIPT, vllm.model(), questions],
        env=quiet_environment(),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.strip().splitlines()[-1]) == pytest.approx(served, abs=2e-3)


def test_a_run_goes_on_after_the_server_was_killed(vllm, pictures, tmp_path):
    """Nothing answered is asked again, nothing is lost. Restarts the server: the last test here."""
    asks = [choice(f"Statement {i}: a cat. 1 or 0?", [pictures[i % 12]]) for i in range(240)]
    store = CallStore(tmp_path / "calls" / "scorer")

    def kill():
        if len(store) >= 60:
            vllm.stop()

    def cached(**more):
        model = vllm_chat(vllm, max_concurrency=8, max_attempts=3, **more)
        return CachedChat("scorer_chat", model, store, 1024)

    with pytest.raises(ServerDownError):
        cached(check=kill).complete(asks)
    kept = len(store)
    assert 60 <= kept < len(asks)
    vllm.start()
    again = cached()
    assert again.plan(asks).calls == len(asks) - kept
    before = vllm.metric("vllm:request_success_total")
    assert again.model.capabilities.images
    probes = vllm.metric("vllm:request_success_total") - before
    answers = again.complete(asks)
    served = vllm.metric("vllm:request_success_total") - before - probes
    assert (again.counts.kept, again.counts.asked, served) == (kept, len(asks) - kept, len(asks) - kept)
    assert all(isinstance(a, Completion) for a in answers)
    assert len(store) == len(asks)

"""vLLM's LLM class, stood in for by a module of the same shape; the real one is in tests/protocol."""

import math
import sys
import types
from types import SimpleNamespace

import pytest

from core.domain.chat import Ask, PromptRef
from core.errors import ModelError
from core.models.preset import ChatSettings
from core.models.server.offline import OfflineChat, offline_options

PROMPT = PromptRef("tests/x@1", "0" * 64)


@pytest.fixture
def vllm(monkeypatch):
    """Records what LLM and chat were given; answers "1" with P(1) = 0.75, or JSON text."""
    module = types.ModuleType("vllm")
    module.seen = SimpleNamespace(options=None, calls=[])
    module.sampling_params = SimpleNamespace(StructuredOutputsParams=lambda **held: held)
    module.SamplingParams = lambda **fields: SimpleNamespace(**fields)

    class LLM:
        def __init__(self, **options):
            if options["model"] == "broken":
                raise ValueError("no such model")
            module.seen.options = options

        def chat(self, messages, sampling_params, use_tqdm):
            module.seen.calls.append((messages, sampling_params))
            return [answer(params) for params in sampling_params]

    module.LLM = LLM
    monkeypatch.setitem(sys.modules, "vllm", module)
    return module


def answer(params):
    entries = {
        5: SimpleNamespace(logprob=math.log(0.25), decoded_token="0"),
        6: SimpleNamespace(logprob=math.log(0.75), decoded_token="1"),
    }
    held = params.structured_outputs
    if held and "choice" in held:
        text, logprobs, finish = "1", [entries], "length"
    else:
        text, logprobs, finish = "A dog.", None, "stop"
    output = SimpleNamespace(text=text, finish_reason=finish, logprobs=logprobs, token_ids=[6])
    return SimpleNamespace(outputs=[output], prompt_token_ids=[1, 2, 3])


def offline(model="m", **more):
    return OfflineChat(ChatSettings("x", model, engine="vllm-offline", **more))


def test_questions_are_asked_as_the_server_is_asked(vllm):
    model = offline(serve_args="--max-model-len 4096 --enforce-eager --hf-overrides '{\"a\": 1}'")
    asks = [Ask("score", PROMPT, system="You check.", choices=("0", "1")), Ask("describe", PROMPT)]
    scored, said = model.complete(asks)
    assert scored.choice_probabilities == pytest.approx({"0": 0.25, "1": 0.75})
    assert (scored.prompt_tokens, scored.completion_tokens) == (3, 1)
    assert said.text == "A dog."
    messages, params = vllm.seen.calls[0]
    assert [m["role"] for m in messages[0]] == ["system", "user"]
    assert params[0].structured_outputs == {"choice": ["0", "1"]}
    assert (params[0].max_tokens, params[0].temperature, params[0].logprobs) == (1, 0.0, 5)
    assert params[1].structured_outputs is None
    assert vllm.seen.options["max_model_len"] == 4096
    assert vllm.seen.options["enforce_eager"] is True
    assert vllm.seen.options["hf_overrides"] == {"a": 1}


def test_a_model_that_does_not_load_is_one_sentence(vllm):
    with pytest.raises(ModelError, match="vLLM cannot load the model: no such model"):
        offline("broken").complete([Ask("x", PROMPT)])


def test_missing_vllm_is_one_sentence_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ModelError, match=r"Pip install -r requirements-gpu\.txt"):
        offline().complete([Ask("x", PROMPT)])


def test_words_that_are_no_options_are_refused():
    assert offline_options("--a-b=3 --c") == {"a_b": 3, "c": True}
    with pytest.raises(ModelError, match="no option"):
        offline_options("--a 1 2")

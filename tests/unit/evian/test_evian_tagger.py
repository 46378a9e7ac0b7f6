"""What the rule-based tagger calls inference and what outside knowledge."""

import pytest

from core.models.embedded.evian_tagger import RuleTagger, clause_label

TAGGER = RuleTagger()


@pytest.mark.parametrize(
    ("clause", "tag"),
    [
        ("which is an unusual and amusing sight", "INFER"),
        ("which is quite a beautiful view", "INFER"),
        ("which is a creative and humorous way to dress", "INFER"),
        ("which are really impressive", "INFER"),
        ("which may be a type of terrier", "INFER"),
        ("creating a cosy mood", "INFER"),
        ("which is a type of cat", "KNOW"),
        ("which is the capital of France", "KNOW"),
        ("which is a very famous landmark", "KNOW"),
        ("which is a device used to collect payment", "KNOW"),
        ("a dog is sitting on a red bench", None),
        ("which is visible in the background", None),
    ],
)
def test_clauses(clause, tag):
    assert clause_label(clause, None) == tag


def test_a_judgement_worded_like_a_definition_is_inference_in_its_sentence():
    text = "A cat wears a top hat, which is an unusual and amusing sight."
    ((span,),) = TAGGER.tag([text])
    assert (span.tag, text[span.start : span.stop]) == ("INFER", "which is an unusual and amusing sight")

import pytest

from core.dataset.columns import choose_columns, describe_columns
from core.domain.run import AuditConfig
from core.domain.sample import Columns
from core.errors import ConfigError, DataError


def choose(rows, **chosen):
    names = list(dict.fromkeys(k for r in rows for k in r))
    return choose_columns(names, rows, AuditConfig(captions="c.jsonl", **chosen))


def test_usual_names_in_their_order():
    row = {
        "text": "other",
        "Caption": "A dog.",
        "file-name": "a.jpg",
        "id": 1,
        "references": ["r"],
        "objects": ["dog"],
        "question": "q",
        "model": "m",
    }
    assert choose([row], images="x") == Columns(
        "Caption", "file-name", "id", "references", "objects", "question", "model"
    )


def test_several_texts_a_row_are_references_beside_another_caption():
    row = {"captions": ["a", "b"], "response": "A dog."}
    found = choose([row])
    assert (found.caption, found.references) == ("response", "captions")


def test_several_texts_a_row_alone_are_refused_in_words_and_joined_by_flag():
    row = {"captions": ["a", "b"], "file_name": "a.jpg"}
    with pytest.raises(DataError, match="'captions' holds 2 texts a row"):
        choose([row])
    found = choose([row], caption_column="captions")
    assert found.references is None
    assert "up to 2 texts a row" in describe_columns(found, list(row), [row])


def test_sentences_of_a_caption_and_conversations_are_captions():
    assert choose([{"sentences": ["A.", "B."]}]).caption == "sentences"
    turns = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
    found = choose([{"conversations": turns}])
    assert found.caption == "conversations"
    assert "model's turns" in describe_columns(found, ["conversations"], [{"conversations": turns}])


def test_other_object_lists_need_the_flag():
    row = {"caption": "A dog.", "coco_objects": ["dog"], "chair_objects": ["dog"]}
    assert choose([row]).objects is None
    assert choose([row], objects_column="coco_objects").objects == "coco_objects"


def test_ids_that_repeat_or_belong_to_the_image_are_not_chosen():
    assert choose([{"caption": "a", "image_id": 1}, {"caption": "b", "image_id": 2}]).sample_id is None
    assert choose([{"caption": "a", "id": 1}, {"caption": "b", "id": 1}]).sample_id is None
    assert choose([{"caption": "a", "id": 1}, {"caption": "b", "id": 2}]).sample_id == "id"


def test_image_columns_need_a_folder_and_paths():
    assert choose([{"caption": "a", "image": "a.jpg"}]).image is None
    row = {"caption": "a", "image": {"path": "a"}, "path": "a.jpg"}
    assert choose([row], images="x").image == "path"
    with pytest.raises(ConfigError, match="no image folder"):
        choose([row], image_column="path")
    with pytest.raises(DataError, match="no column has a usual name for image paths"):
        choose([{"caption": "a"}], images="x")


def test_a_flag_for_a_missing_column_lists_the_columns_and_the_nearest():
    with pytest.raises(DataError) as caught:
        choose([{"captoin": "a", "n": 1}], caption_column="caption")
    assert "'captoin', 'n'" in caught.value.sentence()
    assert "Did you mean 'captoin'" in caught.value.sentence()


def test_one_column_cannot_play_two_roles():
    with pytest.raises(ConfigError, match="name the same column"):
        choose([{"caption": "a"}], caption_column="caption", references_column="caption")


def test_no_caption_and_a_caption_column_without_text_are_refused():
    with pytest.raises(DataError, match="no column has a usual name for captions"):
        choose([{"a": "x", "b": "y"}])
    with pytest.raises(DataError, match="holds no text"):
        choose([{"n": 1}, {"n": 2}], caption_column="n")


def test_description_tells_the_choice_and_the_alternatives():
    row = {"caption": "A dog.", "text": "x", "id": 7}
    assert describe_columns(choose([row]), list(row), [row]) == (
        "Columns: captions from 'caption', no images, ids from 'id'. "
        "Also possible as caption: 'text' (choose with --caption-column)."
    )

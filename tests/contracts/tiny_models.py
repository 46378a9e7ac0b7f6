"""Small models with random weights, written as a hub would hold them: made here, nothing is downloaded."""

import json

import open_clip
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from core.models.local_settings import LocalSettings

WORDS = "a photo of dog cat red bus two cats runs on the grass . small handbag street".split()
CLIP = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1},
}
LAYERS = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
SIZE = {"height": 32, "width": 32}


def tokenizer(**special):
    vocab = {word: i for i, word in enumerate(["<pad>", "<unk>", "<s>", "</s>", *WORDS, *special.values()])}
    inner = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    inner.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", 3)]
    )
    names = {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=16, **names)


def open_clip_weights(folder):
    (folder / "tiny-contract.json").write_text(json.dumps(CLIP))
    open_clip.add_model_config(folder / "tiny-contract.json")
    torch.manual_seed(3)
    torch.save(open_clip.create_model("tiny-contract").state_dict(), folder / "tiny.pt")
    return LocalSettings("clip", "tiny-contract", weights=str(folder / "tiny.pt"), device="cpu", batch_size=2)


def _save(folder, kind, *parts):
    folder.mkdir()
    for part in parts:
        part.save_pretrained(folder)
    return LocalSettings(kind, str(folder), kind=kind, device="cpu", batch_size=2)


def dinov2(folder):
    torch.manual_seed(3)
    config = transformers.Dinov2Config(**LAYERS, image_size=32, patch_size=8)
    processor = transformers.BitImageProcessor(
        size={"shortest_edge": 36}, crop_size=SIZE, do_center_crop=True
    )
    return _save(folder / "dinov2", "dinov2", transformers.Dinov2Model(config), processor)


def siglip(folder):
    torch.manual_seed(3)
    text = {**LAYERS, "vocab_size": 40, "max_position_embeddings": 12, "projection_size": 32}
    vision = {**LAYERS, "image_size": 32, "patch_size": 8}
    config = transformers.SiglipConfig(text_config=text, vision_config=vision)
    processor = transformers.SiglipImageProcessor(size=SIZE)
    return _save(folder / "siglip", "siglip", transformers.SiglipModel(config), processor, tokenizer())


def owlv2(folder):
    torch.manual_seed(3)
    text = {**LAYERS, "vocab_size": 40, "max_position_embeddings": 16, "eos_token_id": 3}
    vision = {**LAYERS, "image_size": 32, "patch_size": 8}
    config = transformers.Owlv2Config(text_config=text, vision_config=vision, projection_dim=32)
    model = transformers.Owlv2ForObjectDetection(config)
    image = transformers.Owlv2ImageProcessor(size=SIZE)
    processor = transformers.Owlv2Processor(image_processor=image, tokenizer=tokenizer())
    return _save(folder / "owlv2", "owlv2", model, processor)


def sentences(folder):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    torch.manual_seed(3)
    config = transformers.BertConfig(**LAYERS, vocab_size=40, max_position_embeddings=20)
    bert = _save(folder / "bert", "bert", transformers.BertModel(config), tokenizer())
    module = Transformer(bert.model)
    made = SentenceTransformer(modules=[module, Pooling(32)], device="cpu")
    made.save(str(folder / "sentences"))
    kind = "sentence-transformers"
    return LocalSettings(kind, str(folder / "sentences"), kind=kind, device="cpu", batch_size=2)

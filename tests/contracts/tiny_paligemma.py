"""A PaliGemma with random weights and a word-level tokenizer, as a folder."""

import torch
import transformers

from tests.contracts.tiny_models import LAYERS, SIZE, tokenizer


def paligemma(folder):
    torch.manual_seed(5)
    words = tokenizer(yes="Yes", no="No")
    words.add_tokens([transformers.AddedToken("<image>", special=True)])
    image = transformers.SiglipImageProcessor(size=SIZE)
    image.image_seq_length = 4
    processor = transformers.PaliGemmaProcessor(image_processor=image, tokenizer=words)
    text = {
        **LAYERS,
        "model_type": "gemma",
        "num_key_value_heads": 1,
        "head_dim": 16,
        "vocab_size": len(processor.tokenizer),
        "pad_token_id": 0,
        "bos_token_id": 2,
        "eos_token_id": 3,
    }
    vision = {**LAYERS, "model_type": "siglip_vision_model", "image_size": 32, "patch_size": 16}
    config = transformers.PaliGemmaConfig(
        text_config=text,
        vision_config=vision,
        projection_dim=32,
        image_token_index=processor.tokenizer.convert_tokens_to_ids("<image>"),
    )
    path = folder / "paligemma"
    path.mkdir()
    transformers.PaliGemmaForConditionalGeneration(config).save_pretrained(path)
    processor.save_pretrained(path)
    return path

"""Make a tiny random-weight Qwen2.5-VL. Run with the Python of vLLM's own environment.

Everything is made here, the tokenizer included; nothing is downloaded. Random weights show protocol,
parsing, caching, concurrency and resume, not the quality of an audit.

usage: tiny_vlm.py FOLDER
"""

import os
import pathlib
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
)
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

SPECIAL = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
]
CORPUS = [
    "A dog runs over the grass. A cat sleeps on a red sofa. Two people ride bicycles down the street.",
    "Does the caption describe the image? Answer 1 for yes and 0 for no.",
    '{"score": 0, "reason": "The caption names a dog but the image shows a cat."}',
] * 8
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.content is string %}{{ m.content }}{% else %}{% for c in m.content %}"
    "{% if c.type in ('image', 'image_url') %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif c.type == 'text' %}{{ c.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make_tokenizer():
    plain = Tokenizer(models.BPE(unk_token=None))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    plain.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=600, special_tokens=SPECIAL, show_progress=False, initial_alphabet=alphabet
        ),
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=plain,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=SPECIAL[1:],
        model_max_length=4096,
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = TEMPLATE
    return made


def make_model(folder, seed=0):
    torch.manual_seed(seed)
    tokenizer = make_tokenizer()
    ids = {text: tokenizer.convert_tokens_to_ids(text) for text in SPECIAL}
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": (len(tokenizer) + 63) // 64 * 64,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "max_position_embeddings": 4096,
            "rope_scaling": {"type": "mrope", "mrope_section": [4, 6, 6]},
            "rope_theta": 1e6,
            "bos_token_id": ids["<|im_start|>"],
            "eos_token_id": ids["<|im_end|>"],
            "pad_token_id": ids["<|endoftext|>"],
        },
        vision_config={
            "depth": 2,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_heads": 2,
            "out_hidden_size": 64,
            "patch_size": 14,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "window_size": 112,
            "fullatt_block_indexes": [1],
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        bos_token_id=ids["<|im_start|>"],
        eos_token_id=ids["<|im_end|>"],
        pad_token_id=ids["<|endoftext|>"],
    )
    model = Qwen2_5_VLForConditionalGeneration(config)
    with torch.no_grad():  # spread the logits, so that greedy answers are not one token for ever
        for weights in model.parameters():
            if weights.dim() >= 2:
                weights.normal_(0, 0.15)
    model = model.to(torch.bfloat16)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    pixels = {"min_pixels": 28 * 28 * 4, "max_pixels": 28 * 28 * 64}
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessorPil(**pixels),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(**pixels),
        chat_template=TEMPLATE,
    )
    for part in (model, processor, tokenizer):
        part.save_pretrained(folder)


if __name__ == "__main__":
    make_model(pathlib.Path(sys.argv[1]))

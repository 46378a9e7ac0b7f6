"""Ask a model in this process and print its answers as JSON. Run with the Python of vLLM's environment.

usage: offline_answers.py MODEL_FOLDER QUESTIONS.json, a list of {"text", "image", "sha256"}
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PIL import Image

from core.domain.chat import Ask, Completion, ImageInput, PromptRef
from core.models.preset import ChatSettings
from core.models.server.offline import OfflineChat

SERVE_ARGS = (
    "--dtype float32 --max-model-len 2048 --max-num-seqs 8 --enforce-eager --block-size 32 "
    "--distributed-executor-backend uni --kv-cache-memory-bytes 67108864"
)


def main():
    settings = ChatSettings("offline", sys.argv[1], engine="vllm-offline", serve_args=SERVE_ARGS)
    model = OfflineChat(settings, open_image=lambda path: Image.open(path).convert("RGB"))
    prompt = PromptRef("tests/score@1", "0" * 64)
    asks = [
        Ask(q["text"], prompt, images=(ImageInput(Path(q["image"]), q["sha256"]),), choices=("0", "1"))
        for q in json.loads(Path(sys.argv[2]).read_text())
    ]
    answers = model.complete(asks)
    assert all(isinstance(a, Completion) for a in answers), answers
    print(json.dumps([a.choice_probabilities["1"] for a in answers]))


if __name__ == "__main__":
    main()

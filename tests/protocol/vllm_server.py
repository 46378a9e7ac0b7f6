"""A real vLLM on the CPU, started by the tests from its own environment (`make vllm`)."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".vllm-venv"
READY = ENVIRONMENT / ".installed"
MODEL = "tiny"
START_S = 240


def why_not():
    """Why the server cannot be started here, "" if it can."""
    if READY.is_file():
        return ""
    return "vLLM for the CPU is not installed; `make vllm` tries, and needs Linux on x86-64 and Python 3.11"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def quiet_environment():
    """No network, no compiling (17 s at the first log-probabilities), one process (12 s less)."""
    return {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "TORCH_COMPILE_DISABLE": "1",
        "TORCHDYNAMO_DISABLE": "1",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "WARNING",
    }


class VllmServer:
    """One server process. url: its base URL; it keeps its port over a restart."""

    def __init__(self, folder, port=None):
        self.folder = folder
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.process = None

    def model(self):
        """The tiny model, made once in the environment's folder."""
        made = ENVIRONMENT / "tiny-qwen2.5-vl"
        if not (made / "done").is_file():
            script = Path(__file__).with_name("tiny_vlm.py")
            python = ENVIRONMENT / "bin" / "python"
            subprocess.run([python, script, made], check=True, env=quiet_environment(), timeout=120)
            (made / "done").touch()
        return made

    def vocabulary(self):
        """Number of tokens the model knows."""
        return json.loads((self.model() / "config.json").read_text())["text_config"]["vocab_size"]

    def start(self):
        options = [
            "--host", "127.0.0.1", "--port", str(self.port), "--served-model-name", MODEL,
            "--dtype", "float32", "--max-model-len", "2048", "--max-num-seqs", "32", "--enforce-eager",
            "--distributed-executor-backend", "uni", "--kv-cache-memory-bytes", "134217728",
            "--block-size", "32", "--max-logprobs", "1000",
            "--limit-mm-per-prompt", '{"image": 4, "video": 0}',
            "--enable-prompt-tokens-details",
        ]  # fmt: skip
        with (self.folder / "vllm.log").open("ab") as log:
            self.process = subprocess.Popen(
                [ENVIRONMENT / "bin" / "vllm", "serve", self.model(), *options],
                env=quiet_environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2):
                    return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.3)
        tail = (self.folder / "vllm.log").read_text(errors="replace")[-3000:]
        self.stop()
        raise RuntimeError(f"vLLM did not start:\n{tail}")

    def stop(self, how=signal.SIGKILL):
        """Kill the server and what it started."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, how)
            self.process.wait(30)

    def metric(self, name):
        """Sum of a counter over its labels, from /metrics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as page:
            lines = page.read().decode().splitlines()
        values = [line.rsplit(" ", 1)[1] for line in lines if line.startswith((name + "{", name + " "))]
        return sum(map(float, values))

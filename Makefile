# Targets of Trunnion; `make help` lists them. Everything is built below build/.
# SPDX-License-Identifier: BSD-3-Clause
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Progress lines on a terminal, only errors in a pipe.
build = cmake --build --preset $(1) $(2) $$([ -t 2 ] || echo -- --quiet)

.PHONY: demo
demo: dependencies build/release/build.ninja ## run the four-bar mechanism with each friction model; results and their report in build/demo
	@$(call build,release,--target trunnion_program)
	build/release/bin/trunnion compare examples/four_bar.yaml \
	  --vary cylinders.lift.friction.model=bengisu_akay,brown_mcphee,lugre,modified_lugre \
	  --reference examples/reference/four_bar_friction_paper.csv -o build/demo
	build/release/bin/trunnion report build/demo

.PHONY: build
build: dependencies build/release/build.ninja ## build everything; the program is build/release/bin/trunnion
	@$(call build,release)

.PHONY: test
test: test-dependencies build ## build everything and run all tests
	@tools/run_tests.sh release

.PHONY: test-once
test-once: test-dependencies build/once/build.ninja ## the same in build/once: faster from scratch, slower after a change
	@$(call build,once)
	@tools/run_tests.sh once

.PHONY: bench
bench: dependencies build/release/build.ninja ## build and run the benchmarks
	@$(call build,release,--target bench)

.PHONY: validation
validation: dependencies build/release/build.ninja ## run every comparison of docs/validation.md and regenerate the page
	@$(call build,release,--target trunnion_program)
	tools/scale.py --store --jobs "$$(nproc)"
	tools/oil_rule.py --store --jobs "$$(nproc)"
	tools/steady.py --store --jobs "$$(nproc)"
	tools/validation.py

.PHONY: papers
papers: dependencies build/release/build.ninja ## repeat tables, figures and claims of the papers: build/papers/index.html, docs/papers.md
	@$(call build,release,--target trunnion_program)
	tools/papers/make.py

.PHONY: docs
docs: docs-dependencies build/release/build.ninja ## build the documentation as a site: build/docs/index.html
	@$(call build,release,--target trunnion_program)
	@tools/docs.py

.PHONY: asan
asan: dependencies build/once/build.ninja ## run the tests on the library with the address and undefined-behaviour sanitizers
	@$(call build,once,--target trunnion_sanitized_tests)
	@tools/run_tests.sh sanitized

.PHONY: tsan
tsan: dependencies build/once/build.ninja ## run what threads share with the thread sanitizer
	@cmake --build --preset tsan $$([ -t 2 ] || echo -- --quiet)
	@setarch --addr-no-randomize build/once/bin/trunnion_thread_program

.PHONY: format
format: check-dependencies ## format all C++ files
	@tools/check_format.sh --fix

.PHONY: format-check
format-check: check-dependencies ## check that all C++ files are formatted
	@tools/check_format.sh

.PHONY: tidy
tidy: check-dependencies build/tidy/build.ninja ## run clang-tidy on the library; FILES="src/a/b.cpp ..." on some files
	@tools/run_tidy.sh $(FILES)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build

.PHONY: help
help: ## show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

.PHONY: dependencies
dependencies:
	@tools/install_dependencies.sh

.PHONY: check-dependencies
check-dependencies:
	@tools/install_dependencies.sh --checks

.PHONY: test-dependencies
test-dependencies:
	@tools/install_dependencies.sh --docs --browser

.PHONY: docs-dependencies
docs-dependencies: dependencies
	@tools/install_dependencies.sh --docs

# Configured once and when the presets change; whenever a CMake file changes, Ninja reconfigures automatically.
build/%/build.ninja: CMakePresets.json | dependencies
	@cmake --preset $* --log-level=WARNING > /dev/null
	@touch $@

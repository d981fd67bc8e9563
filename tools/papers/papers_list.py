"""The papers, in the order of the page."""
# SPDX-License-Identifier: BSD-3-Clause
import cosimulation
import formulations
import friction
import linearisation
import open_questions
import quasistatic

PAPERS = [friction.PAPER, formulations.PAPER, linearisation.PAPER, cosimulation.PAPER, quasistatic.PAPER, open_questions.PAPER]

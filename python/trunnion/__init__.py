"""Trunnion: simulation of hydraulically actuated multibody machines.

    import trunnion as tr
    m = tr.Model("crane_single.yaml", {"cylinders.lift.bore": "80 mm"})
    r = m.run(duration=5)
    r["boom.angle"]

SI units and radians throughout; texts with units are accepted wherever a number is.
"""
# SPDX-License-Identifier: BSD-3-Clause
from ._trunnion import Io, State
from .batch import Batch, uniform
from .description import Description
from .errors import Finding, Interrupted, ModelError, RunError
from .linear import LinearSystem, Mode, OtherSide, SampledLoop, Transition
from .model import Channel, Curve, Gradients, Input, Model, Parameter, Sensitivities
from .result import Report, Result, read
from .simulation import Incident, Message, Simulation
from .sweep import Sweep, sweep, sweep_to_folder
from .units import MPa, bar, deg, mm, to_si, units

__all__ = [
    "Batch", "Channel", "Curve", "Description", "Finding", "Gradients", "Incident", "Input", "Interrupted", "Io", "LinearSystem", "MPa", "Message", "Mode", "Model",
    "ModelError", "OtherSide", "Parameter", "Report", "Result", "RunError", "SampledLoop", "Sensitivities", "Simulation", "State", "Sweep", "Transition", "bar", "deg", "mm", "read", "sweep",
    "sweep_to_folder", "to_si", "uniform", "units",
]
__version__ = "0.1.0"

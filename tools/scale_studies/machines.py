"""Random machines with loops, planar and spatial, closed at the start (tools/scale.py: random)."""
# SPDX-License-Identifier: BSD-3-Clause
import dataclasses
import math
import random

from .runs import GRAVITY, text_of


@dataclasses.dataclass
class Machine:
    """A model in its closed configuration, and the scales of its errors."""

    family: str
    model: dict
    scales: dict  # of every coordinate's channel: 1, or the length of the machine
    length: float
    masses: list
    step: float
    steps: int

    def text(self, division):
        """The model with a step shorter by the factor `division`."""
        return text_of(self.model | {"solver": {"step": self.step / division, "duration": self.step * self.steps}})


def turned(vector, angle):
    return (math.cos(angle) * vector[0] - math.sin(angle) * vector[1], math.sin(angle) * vector[0] + math.cos(angle) * vector[1])


class Draft:
    """A machine under construction: common part of planar and spatial ones."""

    def __init__(self, rng, length, masses):
        self.rng, self.length = rng, length
        self.low, self.high = masses  # powers of ten
        self.bodies, self.joints, self.loops, self.springs, self.motions, self.couplings, self.signals = {}, {}, {}, {}, {}, {}, {}
        self.mass, self.arm, self.scales = {}, {}, {}
        self.drivers = []  # names, and whether they slide

    def name(self):
        return f"b{len(self.bodies) + 1}"

    def draw_mass(self):
        return 10 ** self.rng.uniform(self.low, self.high)

    def point_on(self, body):
        raise NotImplementedError

    def loop(self, kind, content):
        self.loops[f"l{len(self.loops) + 1}"] = {kind: content}

    def lightest(self, first, second):
        """Of two bodies; the ground is excluded."""
        return min((self.mass[b], self.arm[b]) for b in (first, second) if b != "ground")

    def add_springs(self, unit, step):
        """One to three springs with dampers, with frequencies according to the lighter of the two bodies, so that none is too fast for the step."""
        rng = self.rng
        for i in range(rng.randint(1, 3)):
            frequency = math.exp(rng.uniform(math.log(0.5 / unit), math.log(min(20 / unit, 0.2 / step))))
            damping = rng.choice([0, rng.uniform(0.02, 0.5)])
            single = [b for b, joint in self.joints.items() if "revolute" in joint or "prismatic" in joint]
            if rng.random() < 0.5:
                body = rng.choice(single)
                kind = next(k for k in ("revolute", "prismatic") if k in self.joints[body])
                mass, arm = self.lightest(body, self.joints[body][kind]["parent"])
                inertia = mass * (arm**2 / 3 if kind == "revolute" else 1)
                item = {"joint": body}
            else:
                body, other = rng.choice(list(self.bodies)), rng.choice(["ground", *self.bodies])
                p, q = self.point_on(body), self.point_on(other)
                if body == other or self.distance(body, p, other, q) < 0.5 * self.length:
                    continue
                inertia = self.lightest(body, other)[0]
                item = {"between": [body, other], "at": [list(p), list(q)]}
            self.springs[f"s{i + 1}"] = item | {"stiffness": inertia * frequency**2, "damping": 2 * damping * inertia * frequency}

    def add_motion(self, unit):
        name, slides = self.drivers[0]
        joint = self.joints[name]
        start = joint.get("position" if slides else "angle", 0)
        joint.pop("speed" if slides else "rate", None)
        self.signals["moved"] = {"sine": {"amplitude": self.rng.uniform(0.1, 0.5) * (self.length if slides else 1),
                                          "frequency": self.rng.uniform(0.05, 0.3) / unit, "offset": start}}
        self.motions["moved"] = {"joint": name, "signal": "moved"}

    def add_coupling(self):
        """A gear between the first two drivers; the rate of one follows."""
        (a, slides), (b, other) = self.drivers[:2]
        ratio = self.rng.choice([-1, 1]) * self.rng.uniform(0.3, 2) * (self.length if slides else 1) / (self.length if other else 1)
        self.joints[a].pop("speed" if slides else "rate", None)
        self.couplings["gear"] = {"joints": [a, b], "ratio": ratio, "level": self.rng.choice(["position", "velocity"])}

    def model(self, gravity):
        sections = {"bodies": self.bodies, "joints": self.joints, "loops": self.loops, "springs": self.springs, "motions": self.motions,
                    "couplings": self.couplings, "signals": self.signals}
        return {"trunnion": 1, "gravity": list(gravity)} | {name: section for name, section in sections.items() if section}


class Planar(Draft):
    """In the plane x, y: drivers, and groups that add as many rows as coordinates; on the ground, or on a base that turns about y."""

    def __init__(self, rng, length, masses, on_base):
        super().__init__(rng, length, masses)
        self.place, self.angle, self.size = {"ground": (0.0, 0.0)}, {"ground": 0.0}, {}
        self.root = "ground"
        if on_base:
            self.root = self.name()
            self._inertia_body(self.root, length, (0.0, 0.0))
            self.place[self.root], self.angle[self.root], self.size[self.root] = (0.0, 0.0), 0.0, length
            self.joints[self.root] = {"revolute": {"parent": "ground", "axis": "y"}, "angle": 0.0}
            self.scales[f"{self.root}.angle"] = 1
            self.drivers.append((self.root, False))

    def world(self, body, point):
        x, y = turned(point, self.angle[body])
        return (self.place[body][0] + x, self.place[body][1] + y)

    def local(self, body, point):
        return turned((point[0] - self.place[body][0], point[1] - self.place[body][1]), -self.angle[body])

    def point_on(self, body):
        rng = self.rng
        if body in ("ground", self.root):
            return (rng.uniform(-1.5, 1.5) * self.length, rng.uniform(-1.5, 1.5) * self.length, 0)
        size = self.size[body]
        if rng.random() < 0.5:
            return (size, 0, 0)
        return (rng.uniform(0.4, 1.1) * size, rng.uniform(-0.3, 0.3) * size, 0)

    def distance(self, body, p, other, q):
        return math.dist(self.world(body, p), self.world(other, q))

    def _inertia_body(self, name, size, centre):
        """Inertias of a body as long as `size`, its centre of mass off the line."""
        rng, mass = self.rng, self.draw_mass()
        radius = rng.uniform(0.2, 0.5) * size
        self.bodies[name] = {"mass": mass, "center_of_mass": [centre[0], centre[1], 0], "inertia": [mass * radius**2] * 3}
        self.mass[name], self.arm[name] = mass, size

    def _body(self, name, size):
        rng = self.rng
        if rng.random() < 0.7:
            mass = self.draw_mass()
            self.bodies[name] = {"rod": {"length": size, "mass": mass, "diameter": 0.05 * size}}
            self.mass[name], self.arm[name] = mass, size
        else:
            self._inertia_body(name, size, (rng.uniform(0.2, 0.8) * size, rng.uniform(-0.2, 0.2) * size))

    def link(self, parent, at, tip):
        """A body on a revolute joint, from there to the position `tip`."""
        name, origin = self.name(), self.world(parent, at)
        angle = math.atan2(tip[1] - origin[1], tip[0] - origin[0])
        size = math.dist(origin, tip)
        self._body(name, size)
        self.place[name], self.angle[name], self.size[name] = origin, angle, size
        self.joints[name] = {"revolute": {"parent": parent, "at": [at[0], at[1], 0]}, "angle": angle - self.angle[parent]}
        self.scales[f"{name}.angle"] = 1
        return name

    def slide(self, parent, at, direction, position):
        """A body that slides on its parent; `direction` in the parent's frame."""
        name = self.name()
        if self.rng.random() < 0.5:
            mass = self.draw_mass()
            self.bodies[name] = {"point_mass": {"mass": mass}}
            self.mass[name], self.arm[name] = mass, self.length
        else:
            self._inertia_body(name, 0.3 * self.length, (0.0, 0.0))
        self.place[name] = self.world(parent, (at[0] + position * direction[0], at[1] + position * direction[1]))
        self.angle[name], self.size[name] = self.angle[parent], 0.3 * self.length
        self.joints[name] = {"prismatic": {"parent": parent, "at": [at[0], at[1], 0], "axis": [direction[0], direction[1], 0]},
                             "position": position}
        self.scales[f"{name}.position"] = self.length
        return name

    def driver(self, parent, rate):
        rng = self.rng
        at = self.point_on(parent)
        if rng.random() < 0.12:
            angle = rng.uniform(-math.pi, math.pi)
            name = self.slide(parent, at, (math.cos(angle), math.sin(angle)), 0.0)
            self.joints[name]["speed"] = rate * self.length
            self.drivers.append((name, True))
        else:
            origin, angle = self.world(parent, at), rng.uniform(-math.pi, math.pi)
            size = rng.uniform(0.3, 1) * self.length
            name = self.link(parent, at, (origin[0] + size * math.cos(angle), origin[1] + size * math.sin(angle)))
            self.joints[name]["rate"] = rate
            self.drivers.append((name, False))
        return name

    def group(self, kind, first, second):
        """Connects two bodies without changing the degrees of freedom; false if the drawn points are unsuitable."""
        rng, length = self.rng, self.length
        p, q = self.point_on(first), self.point_on(second)
        P, Q = self.world(first, p), self.world(second, q)
        d = math.dist(P, Q)
        if not 0.31 * length < d < 3 * length:
            return False
        along = ((Q[0] - P[0]) / d, (Q[1] - P[1]) / d)
        if kind == "RRR":
            side, forward = rng.choice([-1, 1]) * rng.uniform(0.3, 1) * d, rng.uniform(0.2, 0.8) * d
            K = (P[0] + forward * along[0] - side * along[1], P[1] + forward * along[1] + side * along[0])
            u = self.link(first, p, K)
            if rng.random() < 0.5:
                w = self.link(second, q, K)
                self.loop("revolute", {"between": [u, w], "at": [[self.size[u], 0, 0], [self.size[w], 0, 0]]})
            else:
                w = self.link(u, (self.size[u], 0), Q)
                self.loop("revolute", {"between": [w, second], "at": [[self.size[w], 0, 0], [q[0], q[1], 0]]})
        elif kind == "RRP":
            angle = rng.uniform(-1, 1)  # between rod and slide
            e = turned(along, angle)
            position = rng.uniform(-0.5, 0.5) * length
            K = (Q[0] + position * e[0], Q[1] + position * e[1])
            rod = (K[0] - P[0], K[1] - P[1])
            if abs(rod[0] * e[0] + rod[1] * e[1]) < 0.5 * math.hypot(*rod) or math.hypot(*rod) < 0.4 * length:
                return False
            u = self.link(first, p, K)
            w = self.slide(second, q, turned(e, -self.angle[second]), position)
            self.loop("revolute", {"between": [u, w], "at": [[self.size[u], 0, 0], [0, 0, 0]]})
        elif kind == "RPR":
            u = self.link(first, p, (P[0] + 0.5 * d * along[0], P[1] + 0.5 * d * along[1]))
            share = rng.uniform(0.3, 0.9)
            w = self.slide(u, (0, 0), (1, 0), share * d)
            self.loop("revolute", {"between": [w, second], "at": [[(1 - share) * d, 0, 0], [q[0], q[1], 0]]})
        elif kind == "line":  # a pin of `first` in a slot of an arm
            w = self.link(second, q, P)
            self.loop("point_on_line", {"between": [w, first], "at": [[0, 0, 0], [p[0], p[1], 0]], "axis": "x"})
        elif kind == "distance":  # a link without mass
            side = rng.choice([-1, 1]) * rng.uniform(0.5, 2.5)
            size = rng.uniform(0.3, 1) * length
            e = turned(along, side)
            K = (Q[0] + size * e[0], Q[1] + size * e[1])
            rod = (K[0] - P[0], K[1] - P[1])
            if abs(rod[0] * e[0] + rod[1] * e[1]) < 0.5 * math.hypot(*rod) or math.hypot(*rod) < 0.4 * length:
                return False
            w = self.link(second, q, K)
            self.loop("distance", {"between": [w, first], "at": [[self.size[w], 0, 0], [p[0], p[1], 0]]})
        return True

    def join(self, kinds, first, second):
        for _ in range(100):
            if self.group(self.rng.choice(kinds), first, second):
                return True
        return False


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def plus(a, b, factor=1.0):
    return [x + factor * y for x, y in zip(a, b)]


def unit_of(a):
    size = math.sqrt(dot(a, a))
    return [x / size for x in a]


class Spatial(Draft):
    """In space. At the start all frames are parallel to the ground's, so that all coordinates but those of slides are zero."""

    def __init__(self, rng, length, masses):
        super().__init__(rng, length, masses)
        self.place, self.reach = {"ground": [0.0, 0.0, 0.0]}, {}

    def direction(self):
        return unit_of([self.rng.gauss(0, 1) for _ in range(3)])

    def across(self, axis):
        """A unit vector perpendicular to a vector."""
        return unit_of(cross(axis, self.direction()))

    def point_on(self, body):
        if body == "ground":
            return [self.rng.uniform(-1.5, 1.5) * self.length for _ in range(3)]
        return self.reach[body]

    def distance(self, body, p, other, q):
        return math.dist(plus(self.place[body], p), plus(self.place[other], q))

    def body(self, parent, at, reach, joint):
        """From a point on the parent along the vector `reach`."""
        rng, name = self.rng, self.name()
        mass, l2 = self.draw_mass(), dot(reach, reach)
        thick = 10 ** rng.uniform(-3, -1)
        J = [[mass * l2 * ((1 / 12 + thick) * (i == j) - reach[i] * reach[j] / l2 / 12) for j in range(3)] for i in range(3)]
        self.bodies[name] = {"mass": mass, "center_of_mass": plus([0, 0, 0], reach, 0.5),
                             "inertia": {"xx": J[0][0], "yy": J[1][1], "zz": J[2][2], "xy": J[0][1], "xz": J[0][2], "yz": J[1][2]}}
        self.mass[name], self.arm[name] = mass, math.sqrt(l2)
        self.place[name], self.reach[name] = plus(self.place[parent], at), reach
        kind, content, start = joint
        self.joints[name] = {kind: {"parent": parent, "at": at} | content} | start
        for coordinate in {"revolute": ["angle"], "universal": ["angle_1", "angle_2"], "spherical": ["q_w", "q_x", "q_y", "q_z"]}.get(kind, []):
            self.scales[f"{name}.{coordinate}"] = 1
        return name

    def tip(self, name):
        return plus(self.place[name], self.reach[name])

    def turning(self, parent, at, reach, axis, rate=None):
        start = {"angle": 0.0} | ({} if rate is None else {"rate": rate})
        name = self.body(parent, at, reach, ("revolute", {"axis": axis}, start))
        if rate is not None:
            self.drivers.append((name, False))
        return name

    def crank(self, rate=None):
        """On the ground, about its own axis."""
        axis, rng = self.direction(), self.rng
        at = [rng.uniform(-1, 1) * self.length for _ in range(3)]
        reach = plus([0, 0, 0], plus(self.across(axis), axis, rng.uniform(-0.5, 0.5)), rng.uniform(0.3, 0.8) * self.length)
        return self.turning("ground", at, reach, axis, rate), axis

    def rod(self, parent, to, kind, rate):
        """From the tip of a body to a point, on a spherical or a universal joint."""
        reach = plus(to, self.tip(parent), -1)
        along = unit_of(reach)
        if kind == "universal":
            first = self.across(along)
            joint = ("universal", {"axes": [first, cross(along, first)]}, {"angles": [0.0, 0.0]})
        else:
            spin = {"angular_velocity": plus([0, 0, 0], along, rate)} if self.rng.random() < 0.5 else {}
            joint = ("spherical", {}, {"rotation": [0.0, 0.0, 0.0]} | spin)
        return self.body(parent, self.reach[parent], reach, joint)

    def slider(self, place, axis):
        name, rng = self.name(), self.rng
        mass, position = self.draw_mass(), rng.uniform(-0.5, 0.5) * self.length
        self.bodies[name] = {"mass": mass, "inertia": [0.02 * mass * self.length**2] * 3}
        self.mass[name], self.arm[name] = mass, self.length
        self.place[name], self.reach[name] = place, [0.0, 0.0, 0.0]
        self.joints[name] = {"prismatic": {"parent": "ground", "at": plus(place, axis, -position), "axis": axis}, "position": position}
        self.scales[f"{name}.position"] = self.length
        return name


def draw_planar(rng, family, length, masses, rates, on_base):
    """None if nothing suitable was drawn."""
    draft = Planar(rng, length, masses, on_base)
    if on_base:
        draft.joints[draft.root]["rate"] = rates[2]
    root = draft.root
    every = ["RRR", "RRR", "RRP", "RPR", "line", "distance"]
    first = draft.driver(root, rates[0])
    if family == "four-bar":
        good = draft.join(["RRR"], first, root)
    elif family == "slider-crank":
        good = draft.join(["RRP"], first, root)
    elif family == "inverted":
        good = draft.join(["RPR", "line", "distance"], first, root)
    elif family == "five-bar":
        second = draft.driver(rng.choice([root, first]), rates[1])
        good = draft.join(["RRR", "RPR", "RRP"], second, root if draft.joints[second].get("revolute", {}).get("parent") == first else first)
    elif family == "six-bar":
        good = draft.join(["RRR", "RRP"], first, root) and draft.join(every, rng.choice(list(draft.bodies)[-2:]), root)
    else:  # many loops
        good = draft.join(every, first, root)
        for _ in range(rng.randint(2, 5)):
            if good:
                a, b = rng.sample([root, *(b for b in draft.bodies if b != root)], 2)
                good = draft.join(every, a, b)
    return draft if good else None


def draw_spatial(rng, family, length, masses, rates):
    draft = Spatial(rng, length, masses)
    first, axis = draft.crank(rates[0])
    start = draft.tip(first)
    if family in ("spatial slider-crank", "spatial slider-crank, universal"):
        along = draft.direction()
        end = plus(start, along, rng.uniform(1.5, 3) * length)
        e = unit_of(plus(along, draft.across(along), rng.uniform(0, 0.8)))
        rod = draft.rod(first, end, "universal" if "universal" in family else "spherical", rates[1])
        slider = draft.slider(end, e)
        draft.loop("spherical", {"between": [rod, slider], "at": [draft.reach[rod], [0, 0, 0]]})
    elif family in ("spatial four-bar", "spatial four-bar, universal", "spatial four-bar, distance"):
        second, other = draft.crank()
        end = draft.tip(second)
        along = plus(end, start, -1)
        size = math.sqrt(dot(along, along))
        arm = unit_of(cross(other, draft.reach[second]))  # direction of motion of the second tip
        if not 0.5 * length < size < 4 * length or abs(dot(along, arm)) < 0.4 * size:
            return None
        if family.endswith("distance"):
            draft.loop("distance", {"between": [first, second], "at": [draft.reach[first], draft.reach[second]]})
        elif family.endswith("universal"):
            rod = draft.rod(first, end, "spherical", 0.0)
            u = draft.across(unit_of(along))
            draft.loop("universal", {"between": [rod, second], "at": [draft.reach[rod], draft.reach[second]], "axes": [u, draft.across(u)]})
        else:
            rod = draft.rod(first, end, "spherical", rates[1])
            draft.loop("spherical", {"between": [rod, second], "at": [draft.reach[rod], draft.reach[second]]})
    elif family == "tripod":
        draft = Spatial(rng, length, masses)
        radius, height, inner = length, rng.uniform(0.8, 1.4) * length, rng.uniform(0.3, 0.7) * length
        shanks, tips = [], []
        for i in range(3):
            angle = 2 * math.pi / 3 * i + rng.uniform(-0.2, 0.2)
            out, tangent = [math.cos(angle), math.sin(angle), 0.0], [-math.sin(angle), math.cos(angle), 0.0]
            foot, tip = plus([0, 0, 0], out, radius), plus([0, 0, height], out, inner)
            knee = plus(plus(foot, tip), out, rng.uniform(0.6, 1.2) * length)
            knee = [x / 2 for x in knee]
            thigh = draft.turning("ground", foot, plus(knee, foot, -1), tangent, rates[i])
            shanks.append(draft.turning(thigh, draft.reach[thigh], plus(tip, knee, -1), tangent))
            tips.append(tip)
        platform = draft.body(shanks[0], draft.reach[shanks[0]], plus(plus([0, 0, height], [0, 0, 0]), tips[0], -1),
                              ("spherical", {}, {"rotation": [0.0, 0.0, 0.0]}))
        for i in (1, 2):
            draft.loop("spherical", {"between": [shanks[i], platform], "at": [draft.reach[shanks[i]], plus(tips[i], tips[0], -1)]})
    else:  # spherical four-bar: axes through one point, three redundant rows
        draft = Spatial(rng, length, masses)
        axes = [draft.direction() for _ in range(4)]
        if any(abs(dot(axes[i], axes[j])) > 0.8 for i, j in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))):
            return None
        def reach(i, j):
            return plus([0, 0, 0], unit_of(plus(axes[i], axes[j])), length)

        a = draft.turning("ground", [0, 0, 0], reach(0, 1), axes[0], rates[0])
        b = draft.turning(a, [0, 0, 0], reach(1, 2), axes[1])
        c = draft.turning("ground", [0, 0, 0], reach(3, 2), axes[3])
        draft.loop("revolute", {"between": [b, c], "at": [[0, 0, 0], [0, 0, 0]], "axis": axes[2]})
    return draft


FAMILIES = {  # and how many of a hundred
    "four-bar": 16, "slider-crank": 14, "inverted": 8, "five-bar": 12, "six-bar": 10, "many loops": 10, "on a turning base": 6,
    "spatial slider-crank": 8, "spatial slider-crank, universal": 3, "spatial four-bar": 4, "spatial four-bar, universal": 2,
    "spatial four-bar, distance": 2, "tripod": 3, "spherical four-bar": 2}
PLANAR = ["four-bar", "slider-crank", "inverted", "five-bar", "six-bar", "many loops"]


def random_machine(seed, index, as_unit=False):
    """Always the same for a seed and an index; `as_unit`: the same machine and motion with its length and its middle mass for 1 m and 1 kg."""
    rng = random.Random(f"{seed}/{index}")
    family = rng.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    length = 10 ** rng.uniform(-2, 2)
    span = rng.uniform(0, 4)
    middle = rng.uniform(-4 + span / 2, 4 - span / 2)
    masses = (middle - span / 2, middle + span / 2)
    unit = math.sqrt(length / GRAVITY)
    rates = [rng.choice([0, rng.uniform(-3, 3)]) / unit for _ in range(3)]
    unit = min(unit, 1 / max(max(abs(r) for r in rates), 1e-9))
    step = min(max(unit / math.exp(rng.uniform(math.log(50), math.log(2000))), 1e-5), 1e-2)
    steps = round(min(math.exp(rng.uniform(math.log(200), math.log(1000))), max(200, 4 * unit / step)))
    if as_unit:
        shift, root = sum(masses) / 2, math.sqrt(length)
        masses = (masses[0] - shift, masses[1] - shift)
        length, unit, step, rates = 1.0, unit / root, step / root, [rate * root for rate in rates]
    has_springs = rng.random() < 0.4
    while True:
        if family in PLANAR or family == "on a turning base":
            planar = rng.choice(PLANAR) if family == "on a turning base" else family
            draft = draw_planar(rng, planar, length, masses, rates, family not in PLANAR)
        else:
            draft = draw_spatial(rng, family, length, masses, rates)
        if draft:
            break
    if has_springs:
        draft.add_springs(unit, step)
    more = rng.random()
    if len(draft.drivers) > 1 and more < 0.4:
        draft.add_motion(unit)
    elif len(draft.drivers) > 1 and more < 0.55:
        draft.add_coupling()
    direction = rng.uniform(-math.pi, math.pi)
    gravity = (GRAVITY * math.cos(direction), GRAVITY * math.sin(direction), 0.0)
    if family not in PLANAR:
        gravity = tuple(GRAVITY * x for x in unit_of([rng.gauss(0, 1) for _ in range(3)]))
    return Machine(family, draft.model(gravity), draft.scales, length, list(draft.mass.values()), step, steps)

// The animation: the machines of all runs with grid, names, legend and gizmo, camera and pointer. Draws only when something changed.
// SPDX-License-Identifier: BSD-3-Clause
import {
  AmbientLight, BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, Group, HemisphereLight, LineBasicMaterial, LineSegments,
  PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {scales} from './color.js';
import {h, icon, iconButton, save, fileName} from './dom.js';
import {Machine} from './machine.js';
import {add, cross, dot, minus, niceStep, norm, place, poseAt, times, unit, viewDirections} from './pose.js';
import {vector, corners, extentOf, centerOf} from './shapes.js';
import {formatNumber, withUnit} from './units.js';

/** @typedef {import('./app.js').App} App */

export class View {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    const scenes = app.runs.map((r) => r.scene).filter(Boolean);
    this.box = {
      min: [0, 1, 2].map((k) => Math.min(...scenes.map((s) => s.box?.min[k] ?? -1))),
      max: [0, 1, 2].map((k) => Math.max(...scenes.map((s) => s.box?.max[k] ?? 1))),
    };
    this.span = norm(minus(this.box.max, this.box.min)) || 1; // of the whole motion
    this.up = unit(scenes[0]?.up ?? [0, 0, 1]);
    this.planar = scenes[0]?.planar ?? null;
    this.directions = viewDirections(this.up);
    this.shown = {forces: true, joints: true, loops: true, grid: true, names: false, ghosts: true};
    this.layers = {forces: [], joints: [], loops: []};
    this.mode = 'none';
    this.arrowScale = 0;
    this.followed = -1;
    this.machines = [];
    this.size = this.machineSize() || this.span;
    this.build();
  }

  /** @param {'forces'|'joints'|'loops'} name @param {any} object */
  layer(name, object) {
    this.layers[name].push(object);
  }

  build() {
    const {app} = this;
    this.stage = h('.stage');
    this.element = h('section.scene', {'aria-label': 'Animation'}, this.stage);
    const why = app.runs.every((r) => !r.scene) ? app.runs.map((r) => r.sceneMissing).find(Boolean) || 'The report contains no geometry of this machine.' : '';
    if (why) return this.refuse('No animation', why);
    // Checked here, because three.js reports a missing context as an error on the console.
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('webgl2', {antialias: true, alpha: true, powerPreference: 'low-power'});
    if (!context) return this.refuse('No 3-D view: WebGL is missing', 'This browser does not support WebGL 2, or it is disabled. Everything else works without it.');
    this.renderer = new WebGLRenderer({canvas, context});
    const {renderer} = this;
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.canvas = renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', 'Machine in motion. Drag to orbit, right drag or two fingers to pan, wheel to zoom; Shift and arrows to orbit, plus and minus to zoom.');
    this.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    this.canvas.addEventListener('webglcontextrestored', () => this.invalidate());
    this.stage.append(this.canvas);

    this.scene = new Scene();
    this.scene.add(new AmbientLight(0xffffff, 0.55), new HemisphereLight(0xffffff, 0x8a8f96, 1.3));
    this.sun = new DirectionalLight(0xffffff, 1.7);
    this.scene.add(this.sun);
    this.camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    this.camera.up.set(...this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => this.stage.classList.add('dragging'));
    this.controls.addEventListener('end', () => this.stage.classList.remove('dragging'));
    this.grid = new Group();
    this.scene.add(this.grid);

    this.available = {
      pressure: this.channelsOf('pressure').length > 0,
      force: this.channelsOf('force').length > 0,
    };
    this.mode = this.available.pressure ? 'pressure' : this.available.force ? 'force' : 'none';
    this.buildOverlay();
    this.drawGrid();
    this.rebuild();
    this.resize();
    this.followed = this.driver();
    this.preset(this.planar ? 'plane' : 'oblique');
    new ResizeObserver(() => this.resize()).observe(this.stage);
    app.player.on('time', () => this.update());
    app.theme.on(() => { this.drawGrid(); this.rebuild(); });
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
  }

  refuse(title, text) {
    this.stage.classList.add('refused');
    this.stage.append(h('.refusal', {role: 'status'}, h('strong', {}, title), h('p', {}, text)));
  }

  buildOverlay() {
    const {app} = this;
    const machine = app.mainRun()?.scene ?? app.runs.find((r) => r.scene)?.scene;
    const presets = /** @type {[string, string, string][]} */ ([
      ...(this.planar ? [['plane', 'Plane', 'Normal to the plane of the machine']] : []),
      ['oblique', '3-D', 'Oblique view'], ['front', 'Front', 'Front view'], ['side', 'Side', 'Side view'], ['top', 'Top', 'Top view'],
    ]);
    this.presetButtons = new Map(presets.map(([key, label, title]) => [key, h('button.chip', {type: 'button', title, 'aria-pressed': 'false', onclick: () => this.preset(key)}, label)]));
    const check = (key, label, title) => h('label.menu-check', {title}, h('input', {
      type: 'checkbox', checked: this.shown[key], onchange: (event) => { this.shown[key] = event.target.checked; this.applyLayers(); },
    }), h('span', {}, label));
    const has = (list, test = () => true) => (machine?.[list] ?? []).some(test);
    this.follow = h('select', {'aria-label': 'Follow a body', title: 'The camera moves with this body', onchange: (event) => this.setFollow(Number(event.target.value))},
      h('option', {value: '-1'}, 'Follow: none'), (machine?.bodies ?? []).map((b, i) => (b.ground ? null : h('option', {value: String(i)}, `Follow: ${b.name}`))));
    this.colors = h('select', {'aria-label': 'Colour of cylinders', title: 'Quantity shown by the colour of cylinders and motors', onchange: (event) => { this.mode = event.target.value; this.rescale(); this.update(); }},
      this.available.pressure ? h('option', {value: 'pressure'}, 'Colour: pressure') : null,
      this.available.force ? h('option', {value: 'force'}, 'Colour: force') : null, h('option', {value: 'none'}, 'Colour: none'));
    this.colors.value = this.mode;
    this.perspective = h('label.menu-check', {title: 'Off: parallel projection'}, h('input', {type: 'checkbox', checked: !this.planar, onchange: (e) => this.setPerspective(e.target.checked)}), h('span', {}, 'Perspective'));
    const menu = h('details.menu', {}, h('summary', {title: 'Visible items'}, icon('eye'), h('span', {}, 'Show')), h('.menu-body', {},
      check('forces', 'Forces', 'Force arrows; for a cylinder, the force on its rod end'),
      has('joints', (j) => !j.loop) ? check('joints', 'Joints', 'Joints of the tree') : null,
      has('joints', (j) => j.loop) ? check('loops', 'Loop closures', 'Joints that close loops, shown as rings') : null,
      app.runs.length > 1 ? check('ghosts', 'Other runs', 'Transparent ghosts') : null,
      check('grid', 'Grid', 'Ground grid'), check('names', 'Names', 'Names of bodies'), this.perspective));
    document.addEventListener('pointerdown', (event) => { if (menu.open && !menu.contains(/** @type {Node} */ (event.target))) menu.open = false; });
    menu.addEventListener('keydown', (event) => { if (event.key === 'Escape') { menu.open = false; menu.querySelector('summary').focus(); event.stopPropagation(); } });
    this.tools = h('.scene-tools', {role: 'toolbar', 'aria-label': 'View'}, h('.chips', {role: 'group', 'aria-label': 'Camera'}, [...this.presetButtons.values()],
      h('button.chip', {type: 'button', title: 'Fit the full motion (F)', onclick: () => this.fit()}, 'Fit')),
    this.follow, this.colors, menu, iconButton('camera', 'Save picture as PNG', () => this.savePng()));
    this.element.prepend(this.tools);
    this.legend = h('.scene-legend');
    this.gridText = h('.scene-scale');
    this.gizmo = h('svg.gizmo', {viewBox: '-32 -32 64 64', 'aria-hidden': 'true'});
    this.names = h('.scene-names', {'aria-hidden': 'true'});
    this.tip = h('.scene-tip', {hidden: true});
    this.stage.append(this.names, this.legend, h('.scene-corner', {}, this.gizmo, this.gridText), this.tip);
  }

  /** Channels for the colours of cylinders and motors of all runs, so that ghosts and main run share one scale. @param {string} kind */
  channelsOf(kind) {
    const names = kind === 'pressure' ? ['pressure_A', 'pressure_B'] : ['force'];
    return this.app.runs.flatMap((run) => [...(run.scene?.cylinders ?? []), ...(run.scene?.motors ?? [])].flatMap((c) => names.map((n) => run.channels.get(c.channels?.[n])).filter(Boolean)));
  }

  rescale() {
    const {mode, app} = this;
    const extremes = (channels) => {
      let low = Infinity;
      let high = -Infinity;
      for (const c of channels) for (const v of c.values) { if (v < low) low = v; if (v > high) high = v; }
      return [low, high];
    };
    const forces = this.channelsOf('force');
    let most = forces.length ? Math.max(...extremes(forces).map(Math.abs)) : 0;
    for (const run of app.runs) {
      for (const force of run.scene?.forces ?? []) {
        if (force.vector) for (let i = 0; i + 2 < force.vector.length; i += 3) most = Math.max(most, Math.hypot(force.vector[i], force.vector[i + 1], force.vector[i + 2]));
        else if (force.direction && run.channels.has(force.channel)) most = Math.max(most, ...extremes([run.channels.get(force.channel)]).map(Math.abs));
      }
    }
    this.greatest = most;
    this.arrowScale = most > 0 ? (0.16 * this.size) / most : 0;
    if (mode !== 'none') {
      let [low, high] = extremes(this.channelsOf(mode));
      if (mode === 'force') [low, high] = [-Math.max(Math.abs(low), Math.abs(high)), Math.max(Math.abs(low), Math.abs(high))];
      else low = Math.min(0, low);
      this.limits = [low, high > low ? high : low + 1];
    }
    this.drawLegend();
  }
  /** @param {number} value */
  scaleColor(value) {
    const [low, high] = this.limits;
    return scales[this.mode]((value - low) / (high - low));
  }

  drawLegend() {
    if (!this.legend) return;
    const {mode, app} = this;
    this.legend.replaceChildren();
    const machine = app.mainRun()?.scene;
    if (mode !== 'none') {
      const shown = app.units.of(mode === 'pressure' ? 'Pa' : 'N');
      const stops = Array.from({length: 9}, (_, i) => `rgb(${scales[mode](i / 8).map((c) => Math.round(255 * c)).join(' ')})`);
      const [low, high] = this.limits.map((v) => v * shown.factor);
      this.legend.append(h('.legend-title', {}, mode === 'pressure' ? `${machine?.motors?.length && !machine.cylinders?.length ? 'Port' : 'Chamber'} pressure [${shown.unit}]` : `Cylinder force [${shown.unit}]`),
        h('.legend-bar', {role: 'img', 'aria-label': `Colours from ${formatNumber(low, 3)} to ${formatNumber(high, 3)} ${shown.unit}`, style: {background: `linear-gradient(to right, ${stops.join(',')})`}}),
        h('.legend-ends', {}, h('span', {}, formatNumber(low, 3)), h('span', {}, mode === 'force' ? 'pull · push' : formatNumber((low + high) / 2, 3)), h('span', {}, formatNumber(high, 3))));
    }
    if (this.greatest > 0 && this.shown.forces) {
      const shown = app.units.of('N');
      this.legend.append(h('.legend-row', {}, h('svg.arrow-sample', {viewBox: '0 0 14 10', 'aria-hidden': 'true'}, h('path', {d: 'M0 4h8V1l6 4-6 4V6H0z'})), `longest arrow ${withUnit(formatNumber(this.greatest * shown.factor, 3), shown.unit)}`));
    }
    if (this.shown.joints && machine?.joints?.some((j) => !j.loop)) this.legend.append(h('.legend-row', {}, h('span.dot.joint', {'aria-hidden': 'true'}), 'joint'));
    if (this.shown.loops && machine?.joints?.some((j) => j.loop)) this.legend.append(h('.legend-row', {}, h('span.ring', {'aria-hidden': 'true'}), 'loop closure'));
  }

  drawGrid() {
    const {app, up, box} = this;
    this.grid.clear();
    const normal = this.planar ? unit(this.planar.normal) : up;
    const span = niceStep(this.span, 10);
    const center = times(add(box.min, box.max), 0.5);
    let height;
    if (this.planar) height = Math.min(...corners(box).map((c) => dot(c, normal))) - 0.03 * this.span; // behind the machine
    else {
      const heights = corners(box).map((c) => dot(c, up));
      const low = Math.min(...heights);
      const high = Math.max(...heights);
      height = app.runs.find((r) => r.scene)?.scene.floor ?? (low <= 1e-6 + 0.02 * this.span && high >= 0 ? 0 : low);
    }
    const a = unit(Math.abs(normal[0]) < 0.9 ? minus([1, 0, 0], times(normal, normal[0])) : minus([0, 1, 0], times(normal, normal[1])));
    const b = cross(normal, a);
    const reach = (axis) => Math.max(...corners(box).map((c) => Math.abs(dot(minus(c, center), axis)))) + (this.planar ? 4 : 3) * span;
    const snap = (v) => Math.round(v / span);
    const lines = (major) => {
      const points = [];
      const [ca, cb, na, nb] = [snap(dot(center, a)), snap(dot(center, b)), Math.ceil(reach(a) / span), Math.ceil(reach(b) / span)];
      const at = (i, j) => add(add(times(a, i * span), times(b, j * span)), times(normal, height));
      for (let i = ca - na; i <= ca + na; ++i) if ((i % 5 === 0) === major) points.push(...at(i, cb - nb), ...at(i, cb + nb));
      for (let j = cb - nb; j <= cb + nb; ++j) if ((j % 5 === 0) === major) points.push(...at(ca - na, j), ...at(ca + na, j));
      return new LineSegments(new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3)), new LineBasicMaterial({color: app.theme.color(major ? '--grid-major' : '--grid-minor')}));
    };
    this.grid.add(lines(false), lines(true));
    this.gridStep = span;
    this.drawGridText();
  }
  drawGridText() {
    if (!this.gridText) return;
    const chosen = this.app.units.of('m');
    const shown = chosen.unit === 'mm' && this.gridStep >= 1 ? {unit: 'm', factor: 1} : chosen;
    this.gridText.textContent = this.shown.grid ? `grid ${withUnit(formatNumber(this.gridStep * shown.factor, 3), shown.unit)}` : '';
  }

  /** New machines, after a run was switched or the theme changed. */
  rebuild() {
    if (!this.renderer) return;
    for (const machine of this.machines) this.scene.remove(machine.root);
    this.layers = {forces: [], joints: [], loops: []};
    const main = this.app.mainRun();
    this.machines = this.app.runs.filter((r) => r.visible && r.scene).map((run) => new Machine(run, this, run !== main));
    for (const machine of this.machines) this.scene.add(machine.root);
    this.rescale();
    this.names.replaceChildren();
    const first = this.machines.find((m) => !m.ghost);
    this.nameTags = (first?.data.bodies ?? []).map((body, i) => {
      const tag = h('span.name-tag', {}, body.name);
      this.names.append(tag);
      return {tag, body: i, at: centerOf(body)};
    });
    this.applyLayers();
    this.update();
  }
  applyLayers() {
    for (const name of /** @type {const} */ (['forces', 'joints', 'loops'])) for (const object of this.layers[name]) object.visible = this.shown[name];
    for (const machine of this.machines) if (machine.ghost) machine.root.visible = this.shown.ghosts;
    this.grid.visible = this.shown.grid;
    this.names.hidden = !this.shown.names;
    this.drawGridText();
    this.drawLegend();
    this.invalidate();
  }
  unitsChanged() {
    if (!this.renderer) return;
    this.drawGridText();
    this.drawLegend();
  }

  update() {
    if (!this.renderer) return;
    const t = this.app.player.time;
    for (const machine of this.machines) machine.move(t);
    if (this.followed >= 0) this.track();
    this.invalidate();
  }
  invalidate() {
    if (this.pending || !this.renderer) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.render();
    });
  }
  render() {
    const {camera, controls} = this;
    // Clipping planes around the machine: in parallel views the camera is far away.
    const distance = camera.position.distanceTo(controls.target);
    camera.near = Math.max(distance * 1e-3, distance - 6 * this.span);
    camera.far = distance + 6 * this.span;
    camera.updateProjectionMatrix();
    // Light from above the viewer's left shoulder, so that faces are shaded in every view.
    this.sun.position.copy(camera.position).sub(controls.target).normalize().add(new Vector3(...this.up).multiplyScalar(0.7)).add(new Vector3(-0.5, 0, 0).applyQuaternion(camera.quaternion));
    this.renderer.setClearColor(new Color(this.app.theme.color('--stage')));
    this.renderer.render(this.scene, camera);
    this.drawGizmo();
    if (this.shown.names) this.placeNames();
  }
  drawGizmo() {
    const inverse = this.camera.quaternion.clone().invert();
    const axes = [['x', [1, 0, 0]], ['y', [0, 1, 0]], ['z', [0, 0, 1]]].map(([name, d]) => ({name, v: vector(d).applyQuaternion(inverse)})).sort((p, q) => p.v.z - q.v.z);
    this.gizmo.replaceChildren(...axes.filter(({v}) => Math.hypot(v.x, v.y) > 0.06).map(({name, v}) => h('g', {class: `axis-${name}`},
      h('line', {x1: 0, y1: 0, x2: 20 * v.x, y2: -20 * v.y}), h('text', {x: 27 * v.x, y: -27 * v.y + 4}, name))));
  }
  placeNames() {
    const machine = this.machines.find((m) => !m.ghost);
    const {clientWidth: w, clientHeight: hgt} = this.stage;
    for (const {tag, body, at} of this.nameTags) {
      const p = vector(place(machine.pose(body, this.app.player.time), at)).project(this.camera);
      tag.style.transform = `translate(${((p.x + 1) / 2) * w}px, ${((1 - p.y) / 2) * hgt}px) translate(-50%, -50%)`;
    }
  }

  resize() {
    const {clientWidth: w, clientHeight: hgt} = this.stage;
    if (!w || !hgt) return;
    this.renderer.setSize(w, hgt, false);
    const before = this.camera.aspect;
    this.camera.aspect = w / hgt;
    this.camera.updateProjectionMatrix();
    // A fitted view stays fitted when it gets narrower.
    if (this.fitted && Math.abs(before - this.camera.aspect) > 1e-3) this.fit();
    this.invalidate();
  }

  /** @param {string} name */
  preset(name) {
    const {directions, planar, up} = this;
    let direction = directions[name];
    if (name === 'plane') {
      direction = unit(planar.normal);
      // The axis to the right points to positive values.
      const right = cross(Math.abs(dot(direction, up)) > 0.9 ? directions.forward : up, direction);
      const largest = right.reduce((m, v, i) => (Math.abs(v) > Math.abs(right[m]) ? i : m), 0);
      if (right[largest] < 0 && Math.abs(dot(direction, up)) < 0.9) direction = times(direction, -1);
    }
    const parallel = name !== 'oblique';
    this.perspective.querySelector('input').checked = !parallel;
    this.setFov(parallel ? 1 : 32);
    // In the top view the camera needs an up direction.
    const steep = Math.abs(dot(direction, up)) > 0.999;
    this.look(steep ? add(direction, times(directions.forward, -1e-4)) : direction);
    this.fit();
    this.presets = name;
    for (const [key, button] of this.presetButtons) button.setAttribute('aria-pressed', String(key === name));
    const release = () => {
      for (const button of this.presetButtons.values()) button.setAttribute('aria-pressed', 'false');
      this.fitted = false;
      this.controls.removeEventListener('start', release);
    };
    this.controls.addEventListener('start', release);
  }
  look(direction) {
    const distance = this.camera.position.distanceTo(this.controls.target) || this.size;
    this.camera.position.copy(this.controls.target).addScaledVector(vector(unit(direction)), distance);
    this.controls.update();
  }
  setFov(fov) {
    const ratio = Math.tan((this.camera.fov * Math.PI) / 360) / Math.tan((fov * Math.PI) / 360);
    this.camera.position.sub(this.controls.target).multiplyScalar(ratio).add(this.controls.target);
    this.camera.fov = fov;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }
  setPerspective(on) {
    this.setFov(on ? 32 : 1);
  }
  /** Fits the full motion, in the current direction. */
  fit() {
    const {camera, controls} = this;
    const direction = camera.position.clone().sub(controls.target).normalize();
    const right = new Vector3();
    const above = new Vector3();
    camera.position.copy(controls.target).add(direction);
    controls.update();
    camera.updateMatrixWorld();
    right.setFromMatrixColumn(camera.matrixWorld, 0);
    above.setFromMatrixColumn(camera.matrixWorld, 1);
    const points = this.cloud().map((p) => [dot(p, right.toArray()), dot(p, above.toArray()), dot(p, direction.toArray())]);
    const middle = (k) => (Math.min(...points.map((p) => p[k])) + Math.max(...points.map((p) => p[k]))) / 2;
    const center = [middle(0), middle(1), middle(2)];
    const tall = Math.tan((camera.fov * Math.PI) / 360);
    const wide = tall * camera.aspect;
    let distance = 0;
    // With perspective the centre of the view is not the centre of the points: iterate.
    for (let round = 0; round < 8; ++round) {
      distance = 0;
      for (const p of points) distance = Math.max(distance, Math.abs(p[0] - center[0]) / wide + p[2] - center[2], Math.abs(p[1] - center[1]) / tall + p[2] - center[2]);
      for (const k of [0, 1]) {
        const seen = points.map((p) => (p[k] - center[k]) / (distance - p[2] + center[2]));
        center[k] += 0.7 * distance * ((Math.min(...seen) + Math.max(...seen)) / 2);
      }
    }
    controls.target.set(0, 0, 0).addScaledVector(right, center[0]).addScaledVector(above, center[1]).addScaledVector(direction, center[2]);
    camera.position.copy(controls.target).addScaledVector(direction, 1.1 * distance || this.size);
    controls.update();
    this.fitted = true;
    if (this.followed >= 0) this.setFollow(this.followed, true);
    this.invalidate();
  }
  /** Points passed by the machines: corners of shapes, at the given times of each run. @param {(run: import('./data.js').Run) => number[]} timesOf @param {boolean} [ground] */
  pointsAt(timesOf, ground = true) {
    /** @type {[number, number, number][]} */
    const points = [];
    for (const run of this.app.runs) {
      if (!run.scene) continue;
      const ends = [...(run.scene.cylinders ?? []), ...(run.scene.springs ?? [])].flatMap((c) => [c.base ?? c.from, c.rod_end ?? c.to]);
      const instants = timesOf(run);
      run.scene.bodies.forEach((body, i) => {
        if (body.ground && !ground) return;
        const own = [...(body.shapes ?? []).filter((s) => !s.hidden_by_default).flatMap(extentOf), ...ends.filter((e) => e.body === i).map((e) => e.at),
          ...(run.scene.wheels ?? []).filter((w) => w.body === i).flatMap((w) => extentOf({type: 'sphere', radius: w.radius, at: w.at}))];
        for (const t of body.pose ? instants : [0]) {
          const pose = poseAt(run.time, body.pose, t);
          for (const p of own) points.push(place(pose, p));
        }
      });
    }
    return points.every((p) => p.every(Number.isFinite)) ? points : [];
  }
  /** Content of a fit: the full motion, or the followed body at this time. */
  cloud() {
    if (this.followed >= 0) {
      const now = this.pointsAt(() => [this.app.player.time], !this.drives());
      if (now.length) return now;
    }
    if (!this.points) {
      this.points = this.pointsAt((run) => Array.from({length: 48}, (_, k) => run.time[Math.round((k * (run.time.length - 1)) / 47)] ?? 0));
      if (!this.points.length) this.points = corners(this.box);
    }
    return this.points;
  }
  /** Diagonal of the machine at the start: that of the motion may be a travelled distance. */
  machineSize() {
    const points = this.pointsAt((run) => [run.time[0] ?? 0], false);
    if (!points.length) return 0;
    const range = (k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k]));
    return Math.hypot(range(0), range(1), range(2));
  }
  /** Whether the motion extends far beyond the machine and the drawn ground. */
  drives() {
    return this.span >= 3 * this.size;
  }
  /** The heaviest body of a machine that travels far: followed from the start. */
  driver() {
    const bodies = this.app.mainRun()?.scene?.bodies ?? [];
    if (!this.drives()) return -1;
    return bodies.reduce((best, b, i) => (b.pose && (best < 0 || (b.mass ?? 0) > (bodies[best].mass ?? 0)) ? i : best), -1);
  }
  /** @param {number} body @param {boolean} [fitted] */
  setFollow(body, fitted = false) {
    this.followed = body;
    this.follow.value = String(body);
    const main = this.machines.find((m) => !m.ghost);
    if (body < 0 || !main) return this.invalidate();
    this.fitted = fitted;
    this.followedAt = fitted ? this.placeOfFollowed(main) : this.controls.target.clone(); // a fitted view keeps its target
    this.track();
    this.invalidate();
  }
  /** @param {Machine} main */
  placeOfFollowed(main) {
    return vector(place(main.pose(this.followed, this.app.player.time), centerOf(main.data.bodies[this.followed])));
  }
  track() {
    const main = this.machines.find((m) => !m.ghost);
    if (!main) return;
    const at = this.placeOfFollowed(main);
    const d = at.clone().sub(this.followedAt);
    this.followedAt = at;
    this.controls.target.add(d);
    this.camera.position.add(d);
    this.controls.update();
  }

  /** @param {PointerEvent} event */
  hover(event) {
    if (event.buttons) {
      this.tip.hidden = true;
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    this.pointer = [event.clientX - box.left, event.clientY - box.top];
    if (this.picking) return;
    this.picking = requestAnimationFrame(() => {
      this.picking = 0;
      const [px, py] = this.pointer;
      const ray = new Raycaster();
      ray.setFromCamera(new Vector2((2 * px) / box.width - 1, 1 - (2 * py) / box.height), this.camera);
      const machine = this.machines.find((m) => !m.ghost);
      const hit = machine && ray.intersectObjects(machine.picked, false)[0];
      this.tip.hidden = !hit;
      if (!hit) return;
      const data = hit.object.userData;
      this.tip.textContent = data.cylinder ? this.actuatorText(machine, 'cylinders', data.cylinder)
        : data.motor ? this.actuatorText(machine, 'motors', data.motor) : data.wheel ?? machine.data.bodies[data.body]?.name ?? '';
      this.tip.style.transform = `translate(${Math.min(px + 14, box.width - 150)}px, ${Math.max(4, py - 30)}px)`;
    });
  }
  /** Name, load and pressures. @param {Machine} machine @param {'cylinders'|'motors'} list @param {string} name */
  actuatorText(machine, list, name) {
    const {units, player} = this.app;
    const names = machine.data[list].find((a) => a.name === name).channels ?? {};
    const values = [['force', '', 'N'], ['torque', '', 'N m'], ['pressure_A', 'A ', 'Pa'], ['pressure_B', 'B ', 'Pa']].map(([key, label, unit]) => {
      const value = machine.channel(names[key], player.time);
      return value === undefined ? null : label + units.text(value, unit, 3);
    }).filter(Boolean);
    return [name, ...values].join(' · ');
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const turn = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    const zoom = {'+': 0.85, '=': 0.85, '-': 1 / 0.85}[event.key];
    if (event.shiftKey && turn) {
      const arm = this.camera.position.clone().sub(this.controls.target);
      const up = new Vector3(...this.up);
      arm.applyAxisAngle(up, (turn[0] * Math.PI) / 18);
      const side = new Vector3().crossVectors(arm, up).normalize();
      const angle = arm.angleTo(up) - (turn[1] * Math.PI) / 18;
      if (turn[1] && angle > 0.02 && angle < Math.PI - 0.02) arm.applyAxisAngle(side, (turn[1] * Math.PI) / 18);
      this.camera.position.copy(this.controls.target).add(arm);
    } else if (zoom) this.camera.position.sub(this.controls.target).multiplyScalar(zoom).add(this.controls.target);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.fitted = false;
    this.controls.update();
    this.invalidate();
  }

  /** The view at twice the screen resolution, for publication. */
  savePng() {
    const {renderer} = this;
    const ratio = renderer.getPixelRatio();
    const {clientWidth: w, clientHeight: hgt} = this.stage;
    const finest = renderer.getContext().getParameter(WebGL2RenderingContext.MAX_RENDERBUFFER_SIZE) / Math.max(w, hgt, 1);
    const draw = (r) => {
      renderer.setPixelRatio(r);
      renderer.setSize(w, hgt, false);
      this.render();
    };
    draw(Math.min(2 * ratio, finest));
    this.canvas.toBlob((blob) => blob && save(`${fileName(`${this.app.mainRun()?.name ?? 'machine'}_${this.app.player.time.toFixed(2)}s`)}.png`, blob), 'image/png');
    draw(ratio); // the copy above is made on demand
  }
}

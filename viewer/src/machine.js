// The machine of one run: bodies, cylinders that extend, motors, wheels, springs, joints and forces, moved to a time.
// SPDX-License-Identifier: BSD-3-Clause
import {
  BoxGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, OctahedronGeometry, SRGBColorSpace,
  TorusGeometry,
} from 'three';
import {valueAt} from './data.js';
import {add, cylinderParts, cylinderSizes, minus, norm, place, poseAt, rotate, times, unit} from './pose.js';
import {thinnest, bar, slab, cone, sphere, helix, along, geometryOf} from './shapes.js';

const bodyColors = ['#d9a441', '#7f98b3', '#b5765a', '#8aa37b', '#a58fb8', '#c2b280', '#6fa3a0', '#b98a9a'];
const groundColor = '#6d747c';
const steel = '#c3c9cf';
/** Corners of triangles above which a mesh has no edges, whose search takes long. */
const mostWithEdges = 300000;
/** Colours of chambers A and B without colour scale. */
const oilColors = ['#56606b', '#78838f'];

/** The machine of one run. */
export class Machine {
  /** @param {import('./data.js').Run} run @param {import('./scene.js').View} view @param {boolean} ghost */
  constructor(run, view, ghost) {
    this.run = run;
    this.view = view;
    this.ghost = ghost;
    this.data = run.scene;
    this.root = new Group();
    /** @type {Group[]} */
    this.bodies = [];
    this.picked = [];
    /** @type {((poses: any[], t: number) => void)[]} */
    this.moves = [];
    this.size = view.size;
    const ghostColor = view.app.theme.color(view.app.theme.curve(run.index));
    this.material = (color) => ghost
      ? new MeshLambertMaterial({color: ghostColor, emissive: ghostColor, emissiveIntensity: 0.25, transparent: true, opacity: 0.3, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8}) // behind the main run where they coincide
      : new MeshLambertMaterial({color});
    this.edges = new LineBasicMaterial(ghost ? {color: ghostColor, transparent: true, opacity: 0.55} : {color: 0x20262c, transparent: true, opacity: 0.55});

    this.data.bodies.forEach((body, i) => this.addBody(body, i));
    for (const cylinder of this.data.cylinders ?? []) this.addCylinder(cylinder);
    for (const motor of this.data.motors ?? []) this.addMotor(motor);
    for (const wheel of this.data.wheels ?? []) this.addWheel(wheel);
    for (const spring of this.data.springs ?? []) this.addSpring(spring);
    if (!ghost) {
      for (const joint of this.data.joints ?? []) this.addJoint(joint);
      for (const force of this.data.forces ?? []) this.addForce(force);
    }
  }

  /** @param {number} i @param {number} t */
  pose(i, t) {
    return poseAt(this.run.time, this.data.bodies[i]?.pose, t);
  }
  /** Channel at t, undefined if missing. @param {string|undefined} name @param {number} t */
  channel(name, t) {
    const channel = name ? this.run.channels.get(name) : undefined;
    return channel ? valueAt(this.run.time, channel.values, t) : undefined;
  }

  addBody(body, i) {
    const group = new Group();
    group.name = body.name;
    const color = body.color ?? (body.ground ? groundColor : bodyColors[this.data.bodies.slice(0, i).filter((b) => !b.ground).length % bodyColors.length]);
    const material = this.material(color);
    for (const shape of body.shapes ?? []) {
      if (shape.hidden_by_default) continue;
      if (shape.type === 'segments') {
        this.addSegments(group, shape, material);
        continue;
      }
      const geometry = geometryOf(shape, this.size);
      if (!geometry) continue;
      const mesh = new Mesh(geometry, material);
      mesh.position.set(...(shape.at ?? [0, 0, 0]));
      const q = shape.rotation ?? [1, 0, 0, 0];
      mesh.quaternion.set(q[1], q[2], q[3], q[0]);
      if (geometry.attributes.position.count < mostWithEdges) mesh.add(new LineSegments(new EdgesGeometry(geometry, 30), this.edges));
      mesh.userData.body = i;
      group.add(mesh);
      this.picked.push(mesh);
    }
    this.bodies.push(group);
    this.root.add(group);
  }
  /** Lines between the connection points of a body without shape. */
  addSegments(group, shape, material) {
    const radius = shape.radius || 0.008 * this.size;
    const at = shape.at ?? [0, 0, 0];
    const q = shape.rotation ?? [1, 0, 0, 0];
    const own = new Group();
    own.position.set(...at);
    own.quaternion.set(q[1], q[2], q[3], q[0]);
    const seen = new Set();
    for (const [p, r] of shape.points) {
      const d = minus(r, p);
      if (norm(d) > 1e-9) {
        const mesh = new Mesh(bar, material);
        mesh.position.set(...p);
        mesh.quaternion.copy(along(d));
        mesh.scale.set(norm(d), radius, radius);
        mesh.userData.body = this.bodies.length;
        own.add(mesh);
        this.picked.push(mesh);
      }
      for (const end of [p, r]) {
        if (seen.has(end.join())) continue;
        seen.add(end.join());
        const mesh = new Mesh(sphere, material);
        mesh.position.set(...end);
        mesh.scale.setScalar(1.25 * radius);
        mesh.userData.body = this.bodies.length;
        own.add(mesh);
        this.picked.push(mesh);
      }
    }
    group.add(own);
  }

  addCylinder(cylinder) {
    const time = this.run.time;
    const ends = (t) => [place(this.pose(cylinder.base.body, t), cylinder.base.at), place(this.pose(cylinder.rod_end.body, t), cylinder.rod_end.at)];
    let least = Infinity;
    let most = 0;
    const stride = Math.max(1, Math.floor(time.length / 400));
    for (let i = 0; i < time.length; i += stride) {
      const [a, b] = ends(time[i]);
      const length = norm(minus(b, a));
      least = Math.min(least, length);
      most = Math.max(most, length);
    }
    const sizes = cylinderSizes(cylinder, least, most);
    const bore = cylinder.bore || 0.05 * most;
    const drawn = cylinder.barrel_diameter || 1.2 * bore;
    const thick = Math.max(1, (2 * thinnest * 1.5 * this.size) / drawn); // cylinders stay visible on a large machine
    const rodRadius = (thick * (cylinder.rod || 0.55 * bore)) / 2;
    const outer = (thick * drawn) / 2;
    const group = new Group();
    const part = (geometry, color) => {
      const mesh = new Mesh(geometry, this.material(color));
      mesh.userData.cylinder = cylinder.name;
      group.add(mesh);
      this.picked.push(mesh);
      return mesh;
    };
    const chamberA = part(bar, oilColors[0]);
    const chamberB = part(bar, oilColors[1]);
    const piston = part(slab, '#1d2228');
    const head = part(slab, '#3d454d');
    const rod = part(bar, steel);
    const eyes = [part(sphere, '#3d454d'), part(sphere, steel)];
    eyes[0].scale.setScalar(0.85 * outer);
    eyes[1].scale.setScalar(Math.max(1.5 * rodRadius, 0.7 * outer));
    this.root.add(group);
    const names = cylinder.channels ?? {};
    const arrow = !this.ghost && this.run.channels.has(names.force) ? this.arrow() : null;
    this.moves.push((poses, t) => {
      const a = place(poses[cylinder.base.body] ?? poses.ground, cylinder.base.at);
      const b = place(poses[cylinder.rod_end.body] ?? poses.ground, cylinder.rod_end.at);
      const line = minus(b, a);
      const length = norm(line);
      const {barrel, piston: p} = cylinderParts(length, sizes);
      group.position.set(...a);
      group.quaternion.copy(along(line));
      chamberA.scale.set(p, outer, outer);
      chamberB.position.x = p;
      chamberB.scale.set(Math.max(1e-6, barrel - p), outer, outer);
      piston.position.x = p;
      piston.scale.set(Math.min(0.04 * barrel, 0.5 * bore), 1.04 * outer, 1.04 * outer);
      head.position.x = barrel;
      head.scale.set(Math.min(0.04 * barrel, 0.5 * bore), 1.12 * outer, 1.12 * outer);
      rod.position.x = p;
      rod.scale.set(length - p, rodRadius, rodRadius);
      eyes[1].position.x = length;
      if (!this.ghost) {
        const {mode} = this.view;
        const force = this.channel(names.force, t);
        this.paint(chamberA, mode === 'force' ? force : this.channel(names.pressure_A, t), oilColors[0]);
        this.paint(chamberB, mode === 'force' ? force : this.channel(names.pressure_B, t), oilColors[1]);
        // Beyond the rod end, where it hides nothing: away from it in compression, towards it in tension.
        const push = times(unit(line), force ?? 0);
        arrow?.set((force ?? 0) < 0 ? minus(b, times(push, this.view.arrowScale)) : b, push);
      }
    });
  }

  /** @param {Mesh} mesh @param {number|undefined} value on the colour scale of the view @param {string} plain colour without one */
  paint(mesh, value, plain) {
    const material = /** @type {MeshLambertMaterial} */ (mesh.material);
    if (this.view.mode === 'none' || value === undefined) material.color.set(plain);
    else material.color.setRGB(.../** @type {[number, number, number]} */ (this.view.scaleColor(value)), SRGBColorSpace);
  }

  /** A motor or pump: a drum on the axis of the joint, beside others there; each half shows the pressure at a port, a shaft with a mark turns with the joint. */
  addMotor(motor) {
    const axis = motor.axis ?? [0, 0, 1];
    const radius = motor.radius ?? 0.022 * this.size;
    const length = 1.8 * radius;
    const at = add(motor.at ?? [0, 0, 0], times(unit(axis), 1.5 * length * (motor.beside ?? 0)));
    const group = new Group();
    const part = (geometry, color) => {
      const mesh = new Mesh(geometry, this.material(color));
      mesh.userData.motor = motor.name;
      this.picked.push(mesh);
      return mesh;
    };
    const [halfA, halfB] = [-1, 0].map((side, i) => {
      const mesh = part(bar.clone().scale(length / 2, radius, radius), oilColors[i]);
      mesh.position.x = (side * length) / 2;
      mesh.add(new LineSegments(new EdgesGeometry(mesh.geometry, 30), this.edges));
      group.add(mesh);
      return mesh;
    });
    group.position.set(.../** @type {[number, number, number]} */ (at));
    group.quaternion.copy(along(axis));
    (this.bodies[motor.body] ?? this.root).add(group);
    const shaft = part(slab.clone().scale(1.25 * length, 0.35 * radius, 0.35 * radius), steel);
    const mark = part(new BoxGeometry(1.12 * length, 2.3 * radius, 0.22 * radius), steel);
    const turning = new Group();
    turning.add(shaft, mark);
    this.root.add(turning);
    const names = motor.channels ?? {};
    this.moves.push((poses, t) => {
      const holder = poses[motor.body] ?? poses.ground;
      const turned = poses[motor.turns] ?? holder;
      turning.position.set(.../** @type {[number, number, number]} */ (place(holder, at)));
      const [w, ...q] = turned.rotation;
      const own = rotate({position: [0, 0, 0], rotation: [w, -q[0], -q[1], -q[2]]}, rotate(holder, axis)); // the axis in the rotating body
      turning.quaternion.set(q[0], q[1], q[2], w).multiply(along(own));
      if (this.ghost) return;
      const shows = this.view.mode === 'pressure';
      this.paint(halfA, shows ? this.channel(names.pressure_A, t) : undefined, oilColors[0]);
      this.paint(halfB, shows ? this.channel(names.pressure_B, t) : undefined, oilColors[1]);
    });
  }

  addWheel(wheel) {
    const width = wheel.width ?? 0.35 * wheel.radius;
    const group = new Group();
    const material = this.material('#2b3036');
    const tyre = new Mesh(slab.clone().scale(width, wheel.radius, wheel.radius), material);
    tyre.add(new LineSegments(new EdgesGeometry(tyre.geometry, 30), this.edges));
    const mark = new Mesh(new BoxGeometry(1.04 * width, 1.7 * wheel.radius, 0.08 * wheel.radius), this.material('#d9a441')); // shows the rotation
    group.add(tyre, mark);
    for (const mesh of [tyre, mark]) {
      mesh.userData.wheel = wheel.name;
      this.picked.push(mesh);
    }
    group.position.set(.../** @type {[number, number, number]} */ (wheel.at ?? [0, 0, 0]));
    group.quaternion.copy(along(wheel.axis ?? [0, 1, 0]));
    (this.bodies[wheel.body] ?? this.root).add(group);
  }

  addSpring(spring) {
    const radius = spring.radius ?? 0.015 * this.size;
    const line = new LineSegments(helix, new LineBasicMaterial(this.ghost ? this.edges : {color: 0x2f9e6e}));
    this.root.add(line);
    this.moves.push((poses) => {
      const a = place(poses[spring.from.body] ?? poses.ground, spring.from.at);
      const d = minus(place(poses[spring.to.body] ?? poses.ground, spring.to.at), a);
      line.position.set(...a);
      line.quaternion.copy(along(d));
      line.scale.set(norm(d), radius, radius);
    });
  }

  addJoint(joint) {
    const type = joint.type ?? '';
    if (type === 'free') return; // joins nothing
    const r = 0.0075 * this.size;
    const color = this.view.app.theme.color(joint.loop ? '--loop' : '--joint');
    const material = new MeshBasicMaterial({color, transparent: true, opacity: 0.92, depthTest: false});
    const group = new Group();
    const push = (geometry, scale, position) => {
      const mesh = new Mesh(geometry, material);
      mesh.scale.set(...scale);
      if (position) mesh.position.set(...position);
      mesh.renderOrder = 10;
      group.add(mesh);
    };
    if (joint.loop) {
      push(new TorusGeometry(1.5, 0.34, 10, 28).rotateY(Math.PI / 2), [r, r, r]);
      push(sphere, [0.55 * r, 0.55 * r, 0.55 * r]);
    } else if (/prismatic|point_on_line|cylindrical/.test(type)) {
      push(new BoxGeometry(3.4, 0.7, 0.7), [r, r, r]);
      push(cone, [r, 0.9 * r, 0.9 * r], [1.7 * r, 0, 0]);
      push(cone, [-r, 0.9 * r, 0.9 * r], [-1.7 * r, 0, 0]);
    } else if (/spherical/.test(type)) push(sphere, [r, r, r]);
    else if (/revolute|universal/.test(type)) push(slab, [2.6 * r, 0.75 * r, 0.75 * r]);
    else push(new OctahedronGeometry(1.1), [r, r, r]);
    group.position.set(.../** @type {[number, number, number]} */ (joint.at ?? [0, 0, 0]));
    if (joint.axis) group.quaternion.copy(along(joint.axis));
    (this.bodies[joint.body] ?? this.root).add(group);
    this.view.layer(joint.loop ? 'loops' : 'joints', group);
  }

  /** An arrow whose length shows the magnitude of a force. */
  arrow() {
    const material = new MeshLambertMaterial({color: this.view.app.theme.color('--force'), emissive: this.view.app.theme.color('--force'), emissiveIntensity: 0.4});
    const shaft = new Mesh(bar, material);
    const tip = new Mesh(cone, material);
    const group = new Group();
    group.add(shaft, tip);
    this.root.add(group);
    this.view.layer('forces', group);
    const r = 0.005 * this.size;
    return {
      set: (from, force) => {
        const length = norm(force) * this.view.arrowScale;
        shaft.visible = tip.visible = length > 0.002 * this.size;
        if (!shaft.visible) return;
        const head = Math.min(5 * r, 0.6 * length);
        group.position.set(.../** @type {[number, number, number]} */ (from));
        group.quaternion.copy(along(force));
        shaft.scale.set(length - head, Math.min(r, 0.25 * head), Math.min(r, 0.25 * head));
        tip.position.x = length - head;
        tip.scale.set(head, 0.52 * head, 0.52 * head);
      },
    };
  }
  addForce(force) {
    if (!force.vector && !(force.direction && this.run.channels.has(force.channel))) return;
    const arrow = this.arrow();
    this.moves.push((poses, t) => {
      const pose = poses[force.body] ?? poses.ground;
      let value;
      if (force.vector) {
        value = [0, 1, 2].map((k) => valueAt(this.run.time, strided(force.vector, k), t));
      } else {
        const size = this.channel(force.channel, t) ?? 0;
        value = times(force.frame === 'body' ? rotate(pose, unit(force.direction)) : unit(force.direction), size);
      }
      arrow.set(place(pose, force.at ?? [0, 0, 0]), value);
    });
  }

  /** @param {number} t */
  move(t) {
    /** @type {any} */
    const poses = this.data.bodies.map((body) => poseAt(this.run.time, body.pose, t));
    poses.ground = poseAt(this.run.time, undefined, t);
    this.bodies.forEach((group, i) => {
      const {position, rotation: q} = poses[i];
      group.position.set(...position);
      group.quaternion.set(q[1], q[2], q[3], q[0]);
    });
    for (const move of this.moves) move(poses, t);
  }
}

/** One component of a sequence of vectors. */
const components = new WeakMap();
function strided(values, k) {
  let parts = components.get(values);
  if (!parts) {
    const n = values.length / 3;
    parts = [0, 1, 2].map((c) => Float32Array.from({length: n}, (_, i) => values[3 * i + c]));
    components.set(values, parts);
  }
  return parts[k];
}

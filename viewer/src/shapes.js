// Geometries of shapes and of the parts that machines are drawn with, and their extents.
// SPDX-License-Identifier: BSD-3-Clause
import {
  BoxGeometry, BufferGeometry, ConeGeometry, CylinderGeometry, ExtrudeGeometry, Float32BufferAttribute, LatheGeometry, Matrix4, Quaternion, Shape,
  SphereGeometry, Uint32BufferAttribute, Vector2, Vector3,
} from 'three';
import {add, cross, place, times, unit} from './pose.js';

/** Minimum radius of rods, relative to the machine's size. */
export const thinnest = 0.005;
const x = new Vector3(1, 0, 0);

// Unit parts along x, from 0 to 1, radius 1; created once.
export const bar = new CylinderGeometry(1, 1, 1, 28).rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
export const slab = new CylinderGeometry(1, 1, 1, 36).rotateZ(-Math.PI / 2); // from -1/2 to 1/2
export const cone = new ConeGeometry(1, 1, 20).rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
export const sphere = new SphereGeometry(1, 24, 16);
export const helix = (() => {
  const points = [];
  const coils = 8;
  const n = 12 * coils;
  const at = (i) => {
    const f = i / n;
    const r = f < 0.08 || f > 0.92 ? 0 : 1;
    const angle = 2 * Math.PI * coils * f;
    return [f, r * Math.cos(angle), r * Math.sin(angle)];
  };
  for (let i = 0; i < n; ++i) points.push(...at(i), ...at(i + 1));
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
})();

export const vector = (a) => new Vector3(a[0], a[1], a[2]);
/** Turns x into a direction. */
export const along = (direction) => new Quaternion().setFromUnitVectors(x, vector(unit(direction)));

/** Geometry of a shape, rotated into the body's axes. @param {any} shape @param {number} size of the machine */
export function geometryOf(shape, size) {
  const turned = (geometry) => geometry.applyQuaternion(along(shape.axis ?? [1, 0, 0]));
  switch (shape.type) {
    case 'box': return new BoxGeometry(...shape.size);
    case 'cylinder': {
      const radius = shape.length > 8 * shape.radius ? Math.max(shape.radius, thinnest * size) : shape.radius;
      return turned(slab.clone().scale(shape.length, radius, radius));
    }
    case 'plate': {
      const [u, v] = shape.axes.map(vector);
      const frame = new Matrix4().makeBasis(u, v, new Vector3().crossVectors(u, v));
      const outline = new Shape(shape.outline.map((p) => new Vector2(...p)));
      return new ExtrudeGeometry(outline, {depth: shape.thickness, bevelEnabled: false}).translate(0, 0, -shape.thickness / 2).applyMatrix4(frame);
    }
    case 'mesh': {
      const mesh = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(shape.points, 3));
      mesh.setIndex(new Uint32BufferAttribute(Uint32Array.from(shape.triangles), 1));
      const flat = mesh.toNonIndexed(); // a normal of its own for each triangle
      flat.computeVertexNormals();
      return flat;
    }
    case 'sphere': return sphere.clone().scale(shape.radius, shape.radius, shape.radius);
    case 'ellipsoid': return sphere.clone().scale(...shape.radii);
    case 'tube': {
      const inner = shape.inner_radius ?? 0.8 * shape.radius;
      const half = shape.length / 2;
      const outline = [[inner, -half], [shape.radius, -half], [shape.radius, half], [inner, half], [inner, -half]].map((p) => new Vector2(...p));
      return turned(new LatheGeometry(outline, 36).rotateZ(-Math.PI / 2));
    }
    default:
      console.warn(`shape of type "${shape.type}" is unknown and not drawn`);
      return null;
  }
}

/** @param {{min: number[], max: number[]}} box */
export function corners({min, max}) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => /** @type {[number, number, number]} */ ([i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]]));
}

/** Corners of a shape's box in the body's frame. @returns {[number, number, number][]} */
export function extentOf(shape) {
  if (shape.type === 'segments') return shape.points.flat().map((p) => place(framed(shape), p));
  if (shape.type === 'plate') {
    const [u, v] = shape.axes;
    const n = times(cross(u, v), shape.thickness / 2);
    return shape.outline.flatMap(([p, q]) => [1, -1].map((side) => place(framed(shape), add(add(times(u, p), times(v, q)), times(n, side)))));
  }
  if (shape.type === 'mesh') return corners(shape.box).map((p) => place(framed(shape), p));
  const r = shape.radius ?? 0;
  let half = [r, r, r];
  if (shape.type === 'box') half = shape.size.map((s) => s / 2);
  else if (shape.type === 'ellipsoid') half = shape.radii;
  else if (shape.type !== 'sphere') {
    const axis = unit(shape.axis ?? [1, 0, 0]);
    half = axis.map((a) => (Math.abs(a) * shape.length) / 2 + r * Math.sqrt(Math.max(0, 1 - a * a)));
  }
  return corners({min: half.map((v) => -v), max: half}).map((p) => place(framed(shape), p));
}
const framed = (shape) => ({position: shape.at ?? [0, 0, 0], rotation: shape.rotation ?? [1, 0, 0, 0]});

/** Centre of a body's shapes in its own frame. */
export function centerOf(body) {
  const points = (body.shapes ?? []).flatMap(extentOf);
  const middle = (k) => (Math.min(...points.map((p) => p[k])) + Math.max(...points.map((p) => p[k]))) / 2;
  return points.length ? [middle(0), middle(1), middle(2)] : [0, 0, 0];
}

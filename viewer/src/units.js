// Display units and number formatting.
// SPDX-License-Identifier: BSD-3-Clause

/**
 * A display unit: shown = value * factor.
 * @typedef {{unit: string, factor: number}} Shown
 */

const deg = 180 / Math.PI;
const inch = 0.0254;
const pound = 4.4482216152605;
const gallon = 231 * inch ** 3;

/** Quantities by SI unit; the first choice is SI itself. @type {{si: string, name: string, choices: Shown[]}[]} */
export const quantities = [
  {si: 'm', name: 'Length', choices: [{unit: 'm', factor: 1}, {unit: 'mm', factor: 1e3}, {unit: 'cm', factor: 1e2}, {unit: 'in', factor: 1 / inch}, {unit: 'ft', factor: 1 / (12 * inch)}]},
  {si: 'rad', name: 'Angle', choices: [{unit: 'rad', factor: 1}, {unit: 'deg', factor: deg}]},
  {si: 'm/s', name: 'Speed', choices: [{unit: 'm/s', factor: 1}, {unit: 'mm/s', factor: 1e3}, {unit: 'km/h', factor: 3.6}, {unit: 'in/s', factor: 1 / inch}]},
  {si: 'rad/s', name: 'Angular speed', choices: [{unit: 'rad/s', factor: 1}, {unit: 'deg/s', factor: deg}, {unit: 'rpm', factor: 30 / Math.PI}]},
  {si: 'm/s^2', name: 'Acceleration', choices: [{unit: 'm/s²', factor: 1}, {unit: 'mm/s²', factor: 1e3}, {unit: 'g', factor: 1 / 9.80665}]},
  {si: 'rad/s^2', name: 'Angular acceleration', choices: [{unit: 'rad/s²', factor: 1}, {unit: 'deg/s²', factor: deg}]},
  {si: 'N', name: 'Force', choices: [{unit: 'N', factor: 1}, {unit: 'kN', factor: 1e-3}, {unit: 'lbf', factor: 1 / pound}]},
  {si: 'N m', name: 'Torque', choices: [{unit: 'N m', factor: 1}, {unit: 'kN m', factor: 1e-3}, {unit: 'lbf ft', factor: 1 / (pound * 12 * inch)}]},
  {si: 'Pa', name: 'Pressure', choices: [{unit: 'Pa', factor: 1}, {unit: 'bar', factor: 1e-5}, {unit: 'MPa', factor: 1e-6}, {unit: 'kPa', factor: 1e-3}, {unit: 'psi', factor: inch ** 2 / pound}]},
  {si: 'm^3/s', name: 'Volume flow', choices: [{unit: 'm³/s', factor: 1}, {unit: 'L/min', factor: 6e4}, {unit: 'cm³/s', factor: 1e6}, {unit: 'gpm', factor: 60 / gallon}]},
  {si: 'm^3', name: 'Volume', choices: [{unit: 'm³', factor: 1}, {unit: 'L', factor: 1e3}, {unit: 'cm³', factor: 1e6}, {unit: 'gal', factor: 1 / gallon}]},
  {si: 'J', name: 'Energy', choices: [{unit: 'J', factor: 1}, {unit: 'kJ', factor: 1e-3}, {unit: 'W h', factor: 1 / 3600}]},
  {si: 'W', name: 'Power', choices: [{unit: 'W', factor: 1}, {unit: 'kW', factor: 1e-3}, {unit: 'hp', factor: 1 / (550 * 12 * inch * pound)}]},
];

/** Named sets of units; others stay SI. @type {Record<string, {label: string, units: Record<string, string>}>} */
export const systems = {
  si: {label: 'SI', units: {}},
  workshop: {
    label: 'mm bar deg kN',
    units: {'m': 'mm', 'rad': 'deg', 'm/s': 'mm/s', 'rad/s': 'deg/s', 'rad/s^2': 'deg/s²', 'N': 'kN', 'N m': 'kN m', 'Pa': 'bar', 'm^3/s': 'L/min', 'm^3': 'L', 'J': 'kJ', 'W': 'kW'},
  },
  inch: {
    label: 'in psi deg lbf',
    units: {'m': 'in', 'rad': 'deg', 'm/s': 'in/s', 'rad/s': 'deg/s', 'rad/s^2': 'deg/s²', 'N': 'lbf', 'N m': 'lbf ft', 'Pa': 'psi', 'm^3/s': 'gpm', 'm^3': 'gal', 'W': 'hp'},
  },
};

/** Powers as they are printed. @param {string} unit */
export const pretty = (unit) => unit.replaceAll('^2', '²').replaceAll('^3', '³').replaceAll('^-1', '⁻¹');

/** The selected units of the page. */
export class Units {
  constructor() {
    /** @type {Record<string, string>} SI unit -> unit shown */
    this.chosen = {};
    this.system = 'si';
  }
  /** @param {string} system */
  useSystem(system) {
    this.system = system;
    this.chosen = {...systems[system].units};
  }
  /** @param {string} si @param {string} unit */
  use(si, unit) {
    this.chosen[si] = unit;
    this.system = Object.keys(systems).find((s) => quantities.every((q) => (systems[s].units[q.si] ?? q.choices[0].unit) === this.of(q.si).unit)) ?? 'own';
  }
  /** Display unit of an SI unit; itself if not in the table. @param {string} si @returns {Shown} */
  of(si) {
    const quantity = quantities.find((q) => q.si === si);
    if (!quantity) return {unit: si === '1' || si === '-' ? '' : pretty(si), factor: 1};
    return quantity.choices.find((c) => c.unit === this.chosen[si]) ?? quantity.choices[0];
  }
  /** Value with unit, as text. @param {number|null|undefined} value in SI @param {string} si @param {number} [digits] */
  text(value, si, digits = 4) {
    const shown = this.of(si);
    return withUnit(formatNumber(value == null ? value : value * shown.factor, digits), shown.unit);
  }
}

/** @param {string} number @param {string} unit */
export const withUnit = (number, unit) => (unit ? `${number} ${unit}` : number);

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** @param {number} exponent */
export const powerOfTen = (exponent) => `10${[...String(exponent)].map((c) => (c === '-' ? '⁻' : superscript[+c])).join('')}`;

/**
 * A formatted number: significant digits, powers of ten only for very large or small values, a true minus sign.
 * @param {number|null|undefined} value @param {number} [digits]
 */
export function formatNumber(value, digits = 4) {
  if (value == null || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  let text;
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    text = `${trim(mantissa)}·${powerOfTen(Number(exponent))}`;
  } else {
    text = trim(Number(value.toPrecision(digits)).toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size)))));
  }
  return text.replace('-', '−');
}
const trim = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** Integers with thin spaces between thousands, others as formatNumber. @param {number} value */
export function formatCount(value) {
  if (!Number.isInteger(value) || Math.abs(value) >= 1e12) return formatNumber(value);
  return String(value).replace('-', '−').replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** Decimals of a time with this spacing of instants. @param {number} step */
export const decimalsOf = (step) => Math.min(6, Math.max(2, Math.ceil(-Math.log10(step || 0.01))));

// Summary of a run as rows of figures and sentences about events. No drawing.
// SPDX-License-Identifier: BSD-3-Clause
import {formatCount, formatNumber} from './units.js';

/**
 * A figure of the summary: text, and its time if known.
 * @typedef {{text: string, time?: number, tone?: 'bad'|'warn'|'good'}} Figure
 * @typedef {{label: string, hint?: string, of: (summary: any, units: import('./units.js').Units, run: import('./data.js').Run) => Figure|string|null}} Row
 */

const number = (value, unit = '', digits = 4) => (value == null ? null : unit ? `${formatNumber(value, digits)} ${unit}` : formatNumber(value, digits));
const count = (value) => (value == null ? null : formatCount(value));
const at = (text, time) => (text == null ? null : {text, time});

/** @type {{title: string, rows: Row[]}[]} */
export const summaryRows = [
  {title: 'Run', rows: [
    {label: 'Status', of: (s, _, run) => ({text: run.status, tone: run.status === 'failed' ? 'bad' : 'good'})},
    {label: 'Simulated until', of: (s) => number(s.end_time, 's', 6)},
    {label: 'Steps', of: (s) => count(s.steps)},
    {label: 'Split steps', hint: 'Grid steps split at a jump of a signal', of: (s) => (s.split_steps ? count(s.split_steps) : null)},
    {label: 'Divided steps', hint: 'Steps in which Newton’s method converged only after subdividing the step', of: (s) => (s.divided_steps ? {text: count(s.divided_steps), tone: 'warn'} : null)},
    {label: 'Steps at the iteration cap', of: (s) => (s.capped_steps == null ? null : {text: count(s.capped_steps), tone: s.capped_steps ? 'warn' : undefined})},
    {label: 'Iterations per step', hint: 'Mean (max.)', of: (s) => (s.iterations ? `${formatNumber(s.iterations.mean, 4)} (max. ${count(s.iterations.max)})` : null)},
  ]},
  {title: 'Speed', rows: [
    {label: 'Real-time factor', hint: 'Simulated time over computing time of the steps: above 1 is faster than real time', of: (s) => (s.real_time_factor == null ? null : {text: `${formatNumber(s.real_time_factor, 3)} ×`, tone: s.real_time_factor < 1 ? 'warn' : undefined})},
    {label: 'Time per step', of: (s) => (s.step_nanoseconds == null ? null : `${formatNumber(s.step_nanoseconds / 1000, 3)} µs`)},
    {label: 'Whole run', of: (s) => number(s.wall_seconds, 's', 3)},
  ]},
  {title: 'Constraints', rows: [
    {label: 'Degrees of freedom', of: (s) => count(s.constraints?.degrees_of_freedom)},
    {label: 'Constraint equations', of: (s) => (s.constraints?.rows == null ? null : s.constraints.rank < s.constraints.rows ? `${s.constraints.rows}, of which ${s.constraints.rows - s.constraints.rank} redundant` : count(s.constraints.rows))},
    {label: 'Max. constraint violation', of: (s) => at(number(s.constraints?.max_violation, '', 3), s.constraints?.max_violation_time)},
    {label: 'Max. constraint rate', of: (s) => at(number(s.constraints?.max_velocity_violation, '', 3), s.constraints?.max_velocity_violation_time)},
    {label: 'Partition changes', of: (s) => (s.constraints?.repartitions ? at(count(s.constraints.repartitions), s.constraints.repartition_time) : null)},
  ]},
  {title: 'Energy', rows: [
    {label: 'Max. actuator work', of: (s, u) => (s.energy?.max_actuator_work == null ? null : at(u.text(s.energy.max_actuator_work, 'J'), s.energy.max_actuator_work_time))},
    {label: 'Min. actuator work', of: (s, u) => (s.energy?.min_actuator_work == null ? null : at(u.text(s.energy.min_actuator_work, 'J'), s.energy.min_actuator_work_time))},
    {label: 'Max. drift', hint: 'Energy error of the mechanism', of: (s, u) => (s.energy?.max_drift == null ? null : at(`${u.text(s.energy.max_drift, 'J', 3)}${s.energy.drift_percent == null ? '' : ` (${formatNumber(s.energy.drift_percent, 2)} %)`}`, s.energy.max_drift_time))},
    {label: 'Energy balance error', hint: 'Max. residual of the balance in percent of the energy transferred', of: (s) => number(s.energy?.closed_to_percent, '%', 2)},
    {label: 'Accumulated local error', hint: 'Sum of the local errors of all steps for the worst coordinate, in percent of its range', of: (s) => {
      const worst = s.error_estimate?.accumulated_local?.coordinate;
      return worst?.channel ? {text: `${formatNumber(worst.percent_of_range, 2)} % (${worst.channel})`, tone: worst.percent_of_range > 1 ? 'warn' : undefined} : null;
    }},
    {label: 'Rule error, energy', hint: 'Balance residual by higher-order quadrature, in percent of the energy transferred', of: (s) => number(s.energy?.rule_error_percent, '%', 2)},
    {label: 'Rule error, oil', hint: 'The same for the oil', of: (s) => number(s.energy?.oil_rule_error_percent, '%', 2)},
    {label: 'Oil balance error', hint: 'Max. residual of the oil balance in percent of the oil transferred', of: (s) => number(s.energy?.oil_closed_to_percent, '%', 2)},
  ]},
];

/**
 * Events of a run as sentences, each with its first time.
 * @param {any} s summary @param {import('./units.js').Units} units @returns {{text: string, time?: number}[]}
 */
export function incidents(s, units) {
  /** @type {{text: string, time?: number}[]} */
  const out = [];
  const entries = (table) => Object.entries(table ?? {});
  for (const [name, v] of entries(s.cavitation?.volumes)) out.push({text: `${name} cavitated in ${formatCount(v.steps)} steps, lowest pressure ${units.text(v.lowest_pressure ?? v.min_pressure, 'Pa', 3)}`, time: v.first_time});
  for (const [name, v] of entries(s.end_stops)) out.push({text: `${name} struck its end stop ${times(v.strikes)}, max. speed ${units.text(v.max_speed, 'm/s', 3)}`, time: v.first_time});
  for (const [name, v] of entries(s.reliefs)) out.push({text: `${name} opened ${times(v.openings)}, max. flow ${units.text(v.max_flow, 'm^3/s', 3)}`, time: v.first_time});
  for (const [name, v] of entries(s.accumulators_emptied)) out.push({text: `${name} was empty for ${formatCount(v.steps)} steps`, time: v.first_time});
  for (const [name, v] of entries(s.switches)) out.push({text: `${name} switched ${times(v.on + v.off)}`, time: v.events?.[0]?.time});
  if (s.coupling && s.coupling.accurate === false) out.push({text: `co-simulation is not accurate: ${(s.coupling.faults ?? []).join('; ') || `ratio ${formatNumber(s.coupling.max_ratio, 3)}`}`, time: s.coupling.lost_time});
  return out.sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
}
const times = (n) => (n === 1 ? 'once' : `${formatCount(n ?? 0)} times`);

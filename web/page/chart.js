// Comparing the algorithms: each validates the board, one after the other so that none disturbs another's time. That is
// the same search as solving it, and it tells its nodes and its time however it ends.

import { ProblemError, post } from './api.js';
import { $, make } from './dom.js';
import { number, say, time } from './language.js';
import { request } from './puzzle.js';

const ALGORITHMS = ['fast', 'mrv', 'exact_cover', 'reading_order'];

/** Of each algorithm that has run: its answer, or its problem. */
let results = new Map();

/** Runs all four; `onRun(name)` is told which is next. */
export async function compare(puzzle, { signal, onWait, onRun }) {
  results = new Map();
  for (const algorithm of ALGORITHMS) {
    onRun(say(`algorithm.${algorithm}`));
    drawChart();
    try {
      results.set(algorithm, await post('validate', request(puzzle, { algorithm }), { signal, onWait }));
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.type !== '/problems/unsupported-algorithm') throw error;
      results.set(algorithm, null);
    }
  }
  drawChart();
}

/** Which algorithm took the fewest nodes, and which the least time, by name; `null` while nothing is known. */
export function winners() {
  const known = [...results].filter(([, answer]) => answer && !answer.limit);
  if (known.length === 0) return null;
  const least = (member) => known.toSorted(([, one], [, other]) => one[member] - other[member])[0];
  const [[fewest, { nodes }], [quickest, { elapsed_us }]] = [least('nodes'), least('elapsed_us')];
  return {
    fewest: say(`algorithm.${fewest}`),
    nodes,
    quickest: say(`algorithm.${quickest}`),
    time: time(elapsed_us),
  };
}

export function hideChart() {
  results = new Map();
  $('chart').hidden = true;
}

export function drawChart() {
  const answers = [...results.values()].filter(Boolean);
  const most = (member) => Math.max(1, ...answers.map((answer) => answer[member]));
  const scales = { nodes: most('nodes'), elapsed_us: most('elapsed_us') };
  const rows = ALGORITHMS.map((algorithm) => {
    const name = make('th', { scope: 'row' }, say(`algorithm.${algorithm}`), make('code', { textContent: algorithm }));
    const answer = results.get(algorithm);
    if (!answer) {
      const text = say(answer === null ? 'chart.nocages' : 'chart.waiting');
      return make('tr', {}, name, make('td', { colSpan: 2, className: 'none', textContent: text }));
    }
    const stopped = answer.limit ? ` · ${say('chart.stopped')}` : '';
    return make(
      'tr',
      {},
      name,
      bar(answer.nodes, scales.nodes, number(answer.nodes), stopped),
      bar(answer.elapsed_us, scales.elapsed_us, time(answer.elapsed_us), ''),
    );
  });
  $('chart').tBodies[0].replaceChildren(...rows);
}

/** A value and its bar; the bar is as long as the logarithm, and 0 is a sliver. */
function bar(value, most, text, note) {
  const element = make('span', { className: 'bar' });
  element.style.setProperty('--length', Math.log10(1 + value) / Math.log10(1 + most));
  return make('td', {}, make('span', { className: 'value', textContent: text + note }), element);
}

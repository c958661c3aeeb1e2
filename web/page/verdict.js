// Answers and problems in words, and as marks on the board.

import { has, say, time } from './language.js';
import { cellNamed, columnOf, digits, houseCells, isFull, rowOf } from './puzzle.js';

/** More lines than these are counted, not shown. */
const MOST_LINES = 3;

const place = (cell) => ({ row: rowOf(cell) + 1, column: columnOf(cell) + 1 });

/** What /validate answered: tone, title, lines, figures, marks, and the solutions to be shown on demand. */
export function ofValidation(answer, puzzle) {
  const { verdict, nodes, conflicts } = answer;
  const figures = say('figures', { nodes, time: time(answer.elapsed_us) });
  const view = { tone: verdict, title: say(`verdict.${verdict}`), lines: [], figures, marks: {}, solutions: [] };
  if (verdict === 'unique') {
    view.lines = [say(isFull(puzzle) ? 'verdict.unique.full' : 'verdict.unique.text')];
  } else if (verdict === 'multiple') {
    view.lines = [say('verdict.multiple.text', { count: answer.differing_cells.length })];
    view.marks.differ = answer.differing_cells.map(cellNamed);
    view.solutions = answer.solutions.slice(0, 2).map(digits);
  } else if (verdict === 'undecided') {
    view.lines = [say(`verdict.undecided.${answer.limit}`, { nodes })];
  } else if (conflicts.length > 0) {
    // A clash is seen, not searched for: there are no figures.
    Object.assign(view, ofConflicts(conflicts), { figures: '' });
  } else {
    Object.assign(view, ofDeadEnd(answer.dead_end, nodes, puzzle));
  }
  return view;
}

function ofConflicts(conflicts) {
  const lines = conflicts.map(({ kind, house, digit, cells }) =>
    kind === 'repeated_digit' ? say('clash.digit', { house, digit, count: cells.length }) : say('clash.sum', { house }),
  );
  const marks = { clash: [...new Set(conflicts.flatMap(({ cells }) => cells.map(cellNamed)))] };
  return { lines: shorten(lines, 'clash.more'), marks };
}

function ofDeadEnd(end, nodes, puzzle) {
  if (!end || !has(`dead.${end.kind}`)) return { lines: [say('verdict.unsolvable.text', { nodes })], marks: {} };
  const cell = end.cell === undefined ? null : cellNamed(end.cell);
  const lines = [say(`dead.${end.kind}`, { ...end, ...(cell === null ? {} : place(cell)) })];
  return { lines, marks: cell === null ? { area: houseCells(end.house, puzzle) } : { dead: [cell] } };
}

function shorten(lines, more, omitted = 0) {
  const hidden = lines.length - MOST_LINES + omitted;
  return hidden > 0 ? [...lines.slice(0, MOST_LINES), say(more, { count: hidden })] : lines;
}

/** What /solve answered. */
export function ofSolution(answer) {
  return {
    tone: 'unique',
    title: say('verdict.solved'),
    lines: [say(`verdict.solved.${answer.unique}`)],
    figures: say('figures', { nodes: answer.nodes, time: time(answer.elapsed_us) }),
    marks: {},
    solutions: [],
  };
}

/** A problem document. */
export function ofProblem(problem, puzzle) {
  const name = String(problem.type).replace('/problems/', '');
  const key = has(`problem.${name}.title`) ? name : 'unknown';
  const view = {
    tone: 'problem',
    title: say(`problem.${key}.title`),
    lines: [say(`problem.${key}.text`, { id: problem.request_id, status: problem.status })],
    figures: problem.nodes === undefined ? '' : say('figures.nodes', { nodes: problem.nodes }),
    marks: {},
    solutions: [],
  };
  if (problem.errors) {
    const lines = problem.errors.map(ofError);
    view.lines = [...view.lines, ...shorten(lines, 'code.more', problem.errors_omitted)];
    view.marks.clash = problem.errors.map(({ pointer, cell }) => faultyCells(pointer, cell, puzzle)).flat();
  } else if (problem.conflicts) {
    Object.assign(view, ofConflicts(problem.conflicts), { tone: 'unsolvable', title: say('verdict.unsolvable') });
  } else if (key === 'unsolvable-board') {
    const found = ofDeadEnd(problem.dead_end, problem.nodes, puzzle);
    Object.assign(view, found, { tone: 'unsolvable', title: say('verdict.unsolvable') });
  } else if (key === 'budget-exhausted') {
    const lines = [say(`verdict.undecided.${problem.limit}`, problem)];
    Object.assign(view, { tone: 'undecided', title: say('verdict.undecided'), lines });
  }
  return view;
}

function ofError({ pointer, code, cell }) {
  const key = `code.${code}`;
  const at = whereabouts(pointer, cell);
  return has(key) ? say(key, { at }) : at;
}

/** A JSON pointer in words. */
function whereabouts(pointer, cell) {
  const [member, index] = pointer.split('/').slice(1);
  if (member === undefined) return say('at.request');
  if (member === 'cages') return index === undefined ? say('at.cages') : say('at.cage', { number: Number(index) + 1 });
  if (member !== 'board') return say('at.member', { name: member.replaceAll('~1', '/').replaceAll('~0', '~') });
  if (cell !== undefined) return say('at.cell', place(cellNamed(cell)));
  return index === undefined ? say('at.board') : say('at.row', { number: Number(index) + 1 });
}

function faultyCells(pointer, cell, puzzle) {
  const cage = /^\/cages\/(\d+)/.exec(pointer);
  if (cage) return houseCells({ kind: 'cage', number: Number(cage[1]) + 1 }, puzzle);
  return cell === undefined ? [] : [cellNamed(cell)];
}

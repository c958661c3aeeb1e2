// Reading a puzzle from whatever people paste: 81 characters, nine lines, a grid drawn with lines, cells copied from a
// table, or JSON (a board in any of the API's forms, or a whole request with its cages).

import { EMPTY, MOST_CAGES, cellNamed } from './puzzle.js';

/** A drawn board with every cage is far smaller; beyond it nothing is even looked at. */
const LONGEST = 100_000;

const BLANK = new Set('.0_*');
// White space of all kinds, ASCII and Unicode drawings of lines.
const IGNORED = /[\s\u200b\ufeff|+\-\u2500-\u257f]/u;

/** `{ puzzle }`, or `{ fault }`: a message key with its parameters. */
export function read(text) {
  if (text.length > LONGEST) return fault('read.tooLong', { count: text.length });
  const trimmed = text.trim();
  if (trimmed === '') return fault('read.nothing');
  if (/^[[{"]/.test(trimmed)) return readJson(trimmed);
  return readTable(text) ?? readDrawing(text);
}

const fault = (key, parameters = {}) => ({ fault: { key, ...parameters } });

/** Nine lines of nine cells with tabs between them, where empty cells are just empty. */
function readTable(text) {
  const rows = text.replace(/\r?\n$/, '').split(/\r?\n/).map((row) => row.split('\t').map((cell) => cell.trim()));
  if (rows.length !== 9 || rows.some((row) => row.length !== 9)) return null;
  const cells = rows.flat();
  if (cells.some((cell) => !/^[0-9._*-]?$/.test(cell))) return null;
  return { puzzle: { ...EMPTY, board: cells.map((cell) => Number(cell) || 0) } };
}

function readDrawing(text) {
  const board = [];
  const rows = [];
  for (const [index, row] of text.split(/\r\n|\r|\n/).entries()) {
    const before = board.length;
    for (const [place, character] of [...row].entries()) {
      if (IGNORED.test(character)) continue;
      if (/[1-9]/.test(character)) board.push(Number(character));
      else if (BLANK.has(character)) board.push(0);
      else return fault('read.character', { character, line: index + 1, place: place + 1 });
    }
    if (board.length > before) rows.push({ line: index + 1, count: board.length - before });
  }
  if (board.length !== 81) {
    // With nine lines the one that is wrong can be named.
    const odd = rows.length === 9 && rows.find(({ count }) => count !== 9);
    return odd ? fault('read.line', odd) : fault('read.count', { count: board.length });
  }
  return { puzzle: { ...EMPTY, board } };
}

function readJson(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('read.json');
  }
  const isRequest = typeof value === 'object' && !Array.isArray(value);
  if (isRequest && value.board === undefined) return fault('read.noBoard');
  const board = readBoard(isRequest ? value.board : value);
  if (board.fault) return board;
  const cages = readCages(isRequest ? (value.cages ?? []) : []);
  if (cages.fault) return cages;
  return { puzzle: { board: board.cells, cages: cages.cages } };
}

function readBoard(value) {
  if (typeof value === 'string') {
    const { puzzle, fault: found } = readDrawing(value);
    return found ? { fault: found } : { cells: puzzle.board };
  }
  if (!Array.isArray(value)) return fault('read.shape');
  const flat = value.length === 81 && value.every((cell) => !Array.isArray(cell));
  const rows = flat ? Array.from({ length: 9 }, (_, row) => value.slice(9 * row, 9 * row + 9)) : value;
  if (rows.length !== 9) return fault('read.rows', { count: rows.length });
  const cells = [];
  for (const [index, row] of rows.entries()) {
    const elements = typeof row === 'string' ? [...row] : row;
    if (!Array.isArray(elements)) return fault('read.shape');
    if (elements.length !== 9) return fault('read.row', { row: index + 1, count: elements.length });
    for (const [column, element] of elements.entries()) {
      const digit = element === null || BLANK.has(element) ? 0 : Number(element === '' ? NaN : element);
      if (!Number.isInteger(digit) || digit < 0 || digit > 9 || typeof element === 'object' && element !== null) {
        return fault('read.cell', { row: index + 1, column: column + 1, value: shorten(JSON.stringify(element)) });
      }
      cells.push(digit);
    }
  }
  return { cells };
}

function readCages(list) {
  if (!Array.isArray(list)) return fault('read.cages');
  if (list.length > MOST_CAGES) return fault('read.tooManyCages', { count: list.length });
  const cages = [];
  for (const [index, cage] of list.entries()) {
    const { cells, sum = null } = cage ?? {};
    const number = index + 1;
    if (!Array.isArray(cells) || cells.length === 0 || cells.length > 81) return fault('read.cage', { number });
    if (sum !== null && !(Number.isInteger(sum) && sum >= 1 && sum <= 45)) return fault('read.sum', { number });
    const indices = cells.map((name) => cellNamed(String(name)));
    const unknown = indices.indexOf(null);
    if (unknown >= 0) return fault('read.cageCell', { number, name: shorten(String(cells[unknown])) });
    cages.push({ cells: indices, sum });
  }
  return { cages };
}

const shorten = (text) => (text.length > 20 ? `${text.slice(0, 20)}…` : text);

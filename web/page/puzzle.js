// What a puzzle is: 81 digits in reading order (0 is empty) and cages over cell indices from 0. Puzzles are never
// changed, only replaced, so that undo can keep them.

export const EMPTY = Object.freeze({ board: Object.freeze(Array(81).fill(0)), cages: Object.freeze([]) });

export const MOST_CELLS = 9;
export const MOST_CAGES = 324;

export const rowOf = (cell) => Math.floor(cell / 9);
export const columnOf = (cell) => cell % 9;
const boxOf = (cell) => 3 * Math.floor(rowOf(cell) / 3) + Math.floor(columnOf(cell) / 3);

export const cellName = (cell) => `r${rowOf(cell) + 1}c${columnOf(cell) + 1}`;

/** The index of a cell by its name, or null. */
export function cellNamed(name) {
  const found = /^r([1-9])c([1-9])$/i.exec(name);
  return found && 9 * (found[1] - 1) + (found[2] - 1);
}

/** The cells of a house as the API names it; a cage's come from the puzzle. */
export function houseCells({ kind, number }, puzzle) {
  if (kind === 'cage') return puzzle.cages[number - 1]?.cells ?? [];
  const of = { row: rowOf, column: columnOf, box: boxOf }[kind];
  return [...EMPTY.board.keys()].filter((cell) => of(cell) === number - 1);
}

export const isEmpty = (puzzle) => puzzle.cages.length === 0 && puzzle.board.every((digit) => digit === 0);
export const isFull = (puzzle) => puzzle.board.every((digit) => digit !== 0);

export function isSame(one, other) {
  return JSON.stringify([one.board, one.cages]) === JSON.stringify([other.board, other.cages]);
}

export function withDigit(puzzle, cells, digit) {
  const board = [...puzzle.board];
  for (const cell of cells) board[cell] = digit;
  return { ...puzzle, board };
}

export const withCage = (puzzle, cage) => ({ ...puzzle, cages: [...puzzle.cages, cage] });
export const withoutCage = (puzzle, index) => ({ ...puzzle, cages: puzzle.cages.toSpliced(index, 1) });
export const withCageAt = (puzzle, index, cage) => ({ ...puzzle, cages: puzzle.cages.with(index, cage) });

/** The least and the greatest sum of distinct digits. */
export const sumRange = (cells) => [(cells * (cells + 1)) / 2, (cells * (19 - cells)) / 2];

/** Why a cage cannot be, as a message key with its parameters, or null. */
export function cageFault({ cells, sum }) {
  if (cells.length === 0) return { key: 'cage.noCells' };
  if (cells.length > MOST_CELLS) return { key: 'cage.tooMany', count: cells.length };
  const [least, most] = sumRange(cells.length);
  if (sum !== null && (sum < least || sum > most)) return { key: 'cage.badSum', sum, count: cells.length, least, most };
  return null;
}

/** 81 characters, `empty` for empty cells. */
export const line = (board, empty = '.') => board.map((digit) => digit || empty).join('');

/** The body of a request, in the form that the documentation uses. */
export function request({ board, cages }, more = {}) {
  const text = line(board);
  const body = { board: Array.from({ length: 9 }, (_, row) => text.slice(9 * row, 9 * row + 9)) };
  if (cages.length > 0) {
    body.cages = cages.map(({ cells, sum }) => ({ ...(sum === null ? {} : { sum }), cells: cells.map(cellName) }));
  }
  return { ...body, ...more };
}

/** A board of an answer, as digits. */
export const digits = (rows) => [...rows.join('')].map(Number);

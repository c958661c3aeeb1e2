// A puzzle in the fragment of the address, so that a link shares it: `#b=530070000…&c=15-111213_0-2122`.
//
// `b` has the 81 digits, `c` a cage a part: its sum (0 for none), then row and column of each cell. There is no sign in
// it that a chat program would take for the end of the link, as a dot at the end would be.

import { EMPTY, MOST_CAGES, columnOf, isEmpty, line, rowOf } from './puzzle.js';

export function encode(puzzle) {
  if (isEmpty(puzzle)) return '';
  const cage = ({ cells, sum }) => `${sum ?? 0}-${cells.map((cell) => `${rowOf(cell) + 1}${columnOf(cell) + 1}`).join('')}`;
  const cages = puzzle.cages.length > 0 ? `&c=${puzzle.cages.map(cage).join('_')}` : '';
  return `#b=${line(puzzle.board, '0')}${cages}`;
}

/** `{ puzzle }`, or `{ fault }` with a message key: people edit addresses by hand. */
export function decode(fragment) {
  let text = fragment.replace(/^#/, '');
  if (text === '') return { puzzle: EMPTY };
  try {
    text = decodeURIComponent(text);
  } catch {
    return { fault: { key: 'link.unreadable' } };
  }
  const parts = new Map(text.split('&').map((part) => part.split(/=(.*)/s).slice(0, 2)));
  const board = parts.get('b') ?? '';
  if (board.length !== 81) return { fault: { key: 'link.length', count: board.length } };
  const wrong = board.search(/[^0-9._*]/);
  if (wrong >= 0) return { fault: { key: 'link.character', character: board[wrong], place: wrong + 1 } };
  const cages = [];
  for (const part of (parts.get('c') ?? '').split('_').filter(Boolean)) {
    const found = /^(\d{1,2})-((?:[1-9]{2}){1,81})$/.exec(part);
    if (!found || found[1] > 45) return { fault: { key: 'link.cage', number: cages.length + 1 } };
    const cells = found[2].match(/../g).map(([row, column]) => 9 * (row - 1) + (column - 1));
    cages.push({ cells, sum: Number(found[1]) || null });
  }
  if (cages.length > MOST_CAGES) return { fault: { key: 'read.tooManyCages', count: cages.length } };
  return { puzzle: { board: [...board].map((digit) => Number(digit) || 0), cages } };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../../../web/page/paste.js';

const LINE = '53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79';
const DIGITS = [...LINE].map((digit) => Number(digit) || 0);
const ROWS = LINE.match(/.{9}/g);
const NUMBERS = ROWS.map((row) => [...row].map((digit) => Number(digit) || 0));
const DRAWN = `+-------+-------+-------+
${ROWS.map((row) => `| ${row.match(/.{3}/g).map((box) => [...box].join(' ')).join(' | ')} |`).join('\n')}
+-------+-------+-------+`;

const boards = {
  '81 characters': LINE,
  'zeros for blanks': LINE.replaceAll('.', '0'),
  'underscores for blanks': LINE.replaceAll('.', '_'),
  'stars for blanks': LINE.replaceAll('.', '*'),
  'white space around': `\n  ${LINE}\t\r\n`,
  'nine lines': ROWS.join('\n'),
  'nine lines of Windows': ROWS.join('\r\n'),
  'spaced digits': ROWS.map((row) => [...row].join(' ')).join('\n'),
  'a grid drawn in ASCII': DRAWN,
  'a grid drawn in Unicode': DRAWN.replaceAll('|', '│').replaceAll('-', '─').replaceAll('+', '┼'),
  'a table with empty cells': ROWS.map((row) => [...row].join('\t').replaceAll('.', '')).join('\n'),
  'JSON, nine strings': JSON.stringify(ROWS),
  'JSON, nine arrays': JSON.stringify(NUMBERS),
  'JSON, 81 numbers': JSON.stringify(NUMBERS.flat()),
  'JSON, one string': JSON.stringify(LINE),
  'JSON, null for blanks': JSON.stringify(NUMBERS.map((row) => row.map((digit) => digit || null))),
  'JSON, a request': JSON.stringify({ board: ROWS, algorithm: 'fast' }, null, 2),
};

for (const [name, text] of Object.entries(boards)) {
  test(`reads ${name}`, () => assert.deepEqual(read(text), { puzzle: { board: DIGITS, cages: [] } }));
}

test('reads the cages of a request', () => {
  const cages = [{ sum: 3, cells: ['r1c1', 'R1C2'] }, { cells: ['r9c9'] }];
  const { puzzle } = read(JSON.stringify({ board: ROWS, cages }));
  assert.deepEqual(puzzle.cages, [{ cells: [0, 1], sum: 3 }, { cells: [80], sum: null }]);
});

const change = (index, row) => JSON.stringify(NUMBERS.with(index, row));
const cages = (list) => JSON.stringify({ board: ROWS, cages: list });
const faults = {
  'nothing': [' \n', { key: 'read.nothing' }],
  '80 digits': [LINE.slice(1), { key: 'read.count', count: 80 }],
  '82 digits': [`${LINE}1`, { key: 'read.count', count: 82 }],
  'a short line': [ROWS.with(3, '8...6...').join('\n'), { key: 'read.line', line: 4, count: 8 }],
  'emoji': [`53😀${LINE.slice(3)}`, { key: 'read.character', character: '😀', line: 1, place: 3 }],
  'a letter in line 2': [ROWS.with(1, '6..19x...').join('\n'), { key: 'read.character', character: 'x', line: 2, place: 6 }],
  '10 MB': ['1'.repeat(10 << 20), { key: 'read.tooLong', count: 10 << 20 }],
  'broken JSON': ['[[1,2', { key: 'read.json' }],
  'JSON of no board': ['{"cages": []}', { key: 'read.noBoard' }],
  'JSON of another shape': ['{"board": 5}', { key: 'read.shape' }],
  'eight rows': [JSON.stringify(NUMBERS.slice(1)), { key: 'read.rows', count: 8 }],
  'a short row': [change(4, [1]), { key: 'read.row', row: 5, count: 1 }],
  'a ten': [change(4, [0, 0, 10, 0, 0, 0, 0, 0, 0]), { key: 'read.cell', row: 5, column: 3, value: '10' }],
  'an array in a row': [change(4, [0, [1], 0, 0, 0, 0, 0, 0, 0]), { key: 'read.cell', row: 5, column: 2, value: '[1]' }],
  'an empty string in a row': [change(4, ['', 1, 0, 0, 0, 0, 0, 0, 0]), { key: 'read.cell', row: 5, column: 1, value: '""' }],
  'cages that are no list': [cages({}), { key: 'read.cages' }],
  'a cage without cells': [cages([{ sum: 3 }]), { key: 'read.cage', number: 1 }],
  'a cage that is null': [cages([null]), { key: 'read.cage', number: 1 }],
  'a cage sum of 46': [cages([{ sum: 46, cells: ['r1c1'] }]), { key: 'read.sum', number: 1 }],
  'a cell r0c1': [cages([{ sum: 4, cells: ['r0c1'] }]), { key: 'read.cageCell', number: 1, name: 'r0c1' }],
  '325 cages': [cages(Array(325).fill({ cells: ['r1c1'] })), { key: 'read.tooManyCages', count: 325 }],
};

for (const [name, [text, fault]] of Object.entries(faults)) {
  test(`tells what is wrong with ${name}`, () => assert.deepEqual(read(text), { fault }));
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import en from '../../../web/page/en.js';
import ko from '../../../web/page/ko.js';
import { decode, encode } from '../../../web/page/fragment.js';
import { History } from '../../../web/page/history.js';
import { depths, outline } from '../../../web/page/outline.js';
import { EMPTY, cageFault, request } from '../../../web/page/puzzle.js';

const web = new URL('../../../web/', import.meta.url);
const board = EMPTY.board.with(0, 9).with(80, 1);

test('a fragment gives back the puzzle it was made of', () => {
  for (const cages of [[], [{ cells: [0, 1], sum: 15 }], [{ cells: [80], sum: null }, { cells: [8, 7, 6], sum: 6 }]]) {
    const fragment = encode({ board, cages });
    assert.match(fragment, /^#[\w=&-]+$/, 'no sign that programs cut off or escape');
    assert.deepEqual(decode(fragment), { puzzle: { board, cages } });
  }
  assert.equal(encode(EMPTY), '');
  assert.deepEqual(decode(''), { puzzle: EMPTY });
});

test('a fragment that someone edited is read as far as it can be', () => {
  const text = `9${'.'.repeat(79)}1`;
  assert.deepEqual(decode(`#b=${text}&unknown=1`), { puzzle: { board, cages: [] } });
  assert.deepEqual(decode(`#b=${text}`.replaceAll('.', '%2E')), { puzzle: { board, cages: [] } });
});

test('a fragment that cannot be read says why', () => {
  const zeros = '0'.repeat(81);
  const cases = {
    '#b=12': { key: 'link.length', count: 2 },
    '#nonsense': { key: 'link.length', count: 0 },
    '#b=%E0%A4%A': { key: 'link.unreadable' },
    [`#b=x${zeros.slice(1)}`]: { key: 'link.character', character: 'x', place: 1 },
    [`#b=${zeros}&c=5-11_6-1`]: { key: 'link.cage', number: 2 },
    [`#b=${zeros}&c=46-11`]: { key: 'link.cage', number: 1 },
    [`#b=${zeros}&c=5-10`]: { key: 'link.cage', number: 1 },
    [`#b=${zeros}&c=${Array(325).fill('5-11').join('_')}`]: { key: 'read.tooManyCages', count: 325 },
  };
  for (const [fragment, fault] of Object.entries(cases)) assert.deepEqual(decode(fragment), { fault }, fragment);
});

test('history goes back and forth, and a change ends what was ahead', () => {
  const history = new History('a');
  assert.equal(history.undo(), false);
  history.push('b');
  history.push('c');
  assert.ok(history.undo() && history.undo());
  assert.equal(history.present, 'a');
  assert.ok(history.redo());
  assert.equal(history.present, 'b');
  history.push('d');
  assert.deepEqual([history.canRedo, history.redo(), history.present], [false, false, 'd']);
});

test('the outline of a cage is closed and drawn inside of its cells', () => {
  const cases = {
    'one cell': [[0], 'M0.1 0.1L0.9 0.1L0.9 0.9L0.1 0.9Z'],
    'two cells': [[0, 1], 'M0.1 0.1L1 0.1L1.9 0.1L1.9 0.9L1 0.9L0.1 0.9L0.1 0.1Z'],
    'an angle': [[0, 1, 9], 'M0.1 0.1L1 0.1L1.9 0.1L1.9 0.9L0.9 0.9L0.9 1.9L0.1 1.9L0.1 1Z'],
  };
  const points = (path) => [...new Set(path.replace(/Z/g, '').split(/[ML]/).filter(Boolean))].sort();
  for (const [name, [cells, path]] of Object.entries(cases)) {
    assert.deepEqual(points(outline(cells, 0.1)), points(path), name);
  }
  const ring = [0, 1, 2, 9, 11, 18, 19, 20];
  assert.equal(outline(ring, 0.1).match(/Z/g).length, 2, 'a ring has an outer and an inner line');
  assert.equal(outline([0, 10], 0.1).match(/Z/g).length, 2, 'corners that touch do not join');
});

test('cages that overlap are drawn at different depths', () => {
  assert.deepEqual(depths([{ cells: [0, 1] }, { cells: [1, 2] }, { cells: [2, 3] }, { cells: [0, 1, 2] }]), [0, 1, 0, 2]);
});

test('cages that cannot be are refused before they are sent', () => {
  assert.equal(cageFault({ cells: [0, 1], sum: 3 }), null);
  assert.equal(cageFault({ cells: [0, 1], sum: null }), null);
  assert.equal(cageFault({ cells: [0, 1], sum: 2 }).key, 'cage.badSum');
  assert.equal(cageFault({ cells: [0, 1], sum: 18 }).key, 'cage.badSum');
  assert.deepEqual(cageFault({ cells: [...Array(10).keys()], sum: 45 }), { key: 'cage.tooMany', count: 10 });
  assert.equal(cageFault({ cells: [], sum: 3 }).key, 'cage.noCells');
});

test('a request has the form that the documentation uses', () => {
  const cages = [{ cells: [0, 80], sum: null }, { cells: [1], sum: 5 }];
  assert.deepEqual(request({ board, cages }, { algorithm: 'mrv' }), {
    board: ['9........', ...Array(7).fill('.........'), '........1'],
    cages: [{ cells: ['r1c1', 'r9c9'] }, { sum: 5, cells: ['r1c2'] }],
    algorithm: 'mrv',
  });
});

test('both languages say everything, with the same facts', () => {
  const keys = new Set(['index.html', 'problems.html'].flatMap((file) => {
    const html = readFileSync(new URL(file, web), 'utf8');
    return [...html.matchAll(/data-t(?:-label|-content)?="([^"]+)"/g)].map(([, key]) => key);
  }));
  for (const key of keys) assert.ok(key in ko, `${key} of the HTML is missing in Korean`);
  for (const [key, text] of Object.entries(en)) {
    assert.ok(key in ko, `${key} is missing in Korean`);
    if (typeof ko[key] === 'string') continue;
    assert.equal(typeof text, 'function');
  }
  for (const key of Object.keys(ko)) assert.ok(key in en || keys.has(key) || key.startsWith('problem.'), `${key} is never said`);
});

test('every code and every type of problem has words', () => {
  const source = (file) => readFileSync(new URL(`../src/http/${file}`, web), 'utf8');
  const types = [...source('problem.rs').matchAll(/name: "([a-z-]+)"/g)].map(([, name]) => name);
  assert.ok(types.length >= 16);
  for (const name of types) assert.ok(`problem.${name}.title` in en && `problem.${name}.text` in en, name);
  const codes = source('fault.rs').match(/pub enum Code \{([^}]+)\}/)[1].match(/[A-Z]\w+/g);
  assert.ok(codes.length >= 16);
  for (const code of codes) {
    const name = code.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
    assert.ok(`code.${name}` in en, name);
  }
});

test('Korean particles follow the number before them', () => {
  const clash = (digit) => ko['clash.digit']({ house: { kind: 'row', number: 1 }, digit, count: 2 });
  assert.equal(clash(9), '1행에 9가 두 번 있습니다.');
  assert.equal(clash(3), '1행에 3이 두 번 있습니다.');
  assert.match(ko['problem.unknown.text']({ status: 418 }), /418로 /);
  assert.match(ko['problem.unknown.text']({ status: 403 }), /403으로 /);
});

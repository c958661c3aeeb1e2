// Checking as you type: what clashes, what differs, where it comes to a dead end, and stale answers dropped.

import assert from 'node:assert/strict';
import { EASY, SOLVED, cell, inViews, paste, shown, verdict, withBrowser } from '../browser.mjs';

withBrowser();

const marked = (page, mark) => page.$$eval(`.cell.${mark}`, (cells) => cells.map((c) => Number(c.dataset.cell)));
/** Answers /validate with this in place of the service. */
const answer = (page, answers) =>
  page.route('**/validate', (route) => route.fulfill({ json: { conflicts: [], solutions: [], differing_cells: [], nodes: 7, elapsed_us: 12, dead_end: null, ...answers } }));

inViews('clashing cells are marked with what clashes', async ({ page, at }) => {
  await cell(page, 1, 1).click();
  await page.keyboard.press('9');
  await cell(page, 1, 4).click();
  await page.keyboard.press('9');
  await verdict(page, { en: 'Row 1 has 9 twice.', ko: '1행에 9가 두 번 있습니다.' }[at.language]);
  assert.deepEqual(await marked(page, 'clash'), [0, 3]);
  const label = { en: 'row 1, column 4, given 9, clashes', ko: '1행 4열, 주어진 숫자 9, 충돌' }[at.language];
  assert.equal(await cell(page, 1, 4).getAttribute('aria-label'), label);
  await page.keyboard.press('8');
  await verdict(page, { en: 'Several solutions', ko: '해답이 여럿입니다' }[at.language]);
  assert.deepEqual(await marked(page, 'clash'), []);
});

inViews('a board of nines alone is told in a few words', async ({ page, at }) => {
  await paste(page, '9'.repeat(81));
  await verdict(page, { en: 'And 24 more clashes.', ko: '충돌이 24건 더' }[at.language]);
  await verdict(page, { en: 'Row 1 has 9 nine times.', ko: '1행에 9가 아홉 번' }[at.language]);
  assert.equal((await marked(page, 'clash')).length, 81);
});

inViews('a cage that cannot reach its sum clashes', async ({ page, at }) => {
  await paste(page, JSON.stringify({ board: `9${'.'.repeat(80)}`, cages: [{ sum: 3, cells: ['r1c1', 'r1c2'] }] }));
  await verdict(page, { en: 'Cage 1 can no longer reach its sum.', ko: '1번 케이지는 합을 맞출 수 없습니다.' }[at.language]);
  assert.deepEqual(await marked(page, 'clash'), [0]);
});

inViews('one solution, in words, with nodes and time', async ({ page, at }) => {
  await paste(page, EASY);
  await verdict(page, { en: 'there is exactly one way to fill it', ko: '채우는 방법이 하나뿐입니다' }[at.language]);
  assert.match(await page.locator('#figures').innerText(), { en: /\d nodes\n[\d.]+\s(µs|ms)/, ko: /노드 \d+개\n[\d.]+\s(µs|ms)/ }[at.language]);
  await paste(page, SOLVED);
  await verdict(page, { en: 'every digit is right', ko: '올바르게 채워져' }[at.language]);
});

inViews('several solutions: the cells that differ are marked, and both are shown on demand', async ({ page, at }) => {
  await page.locator('[data-example=ambiguous]').click();
  await verdict(page, { en: 'differ in 6 cells', ko: '6칸에서' }[at.language]);
  const differing = await marked(page, 'differ');
  assert.equal(differing.length, 6);
  assert.equal((await shown(page, '.solution')).replaceAll('.', ''), '', 'only on demand');
  const seen = [];
  for (const button of await page.locator('#shown button').all()) {
    await button.click();
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    const filled = await shown(page, '.given, .solution');
    assert.doesNotMatch(filled, /\./);
    seen.push(filled);
  }
  assert.deepEqual(differing, [...Array(81).keys()].filter((index) => seen[0][index] !== seen[1][index]));
  await page.locator('#shown button').last().click();
  assert.equal((await shown(page, '.solution')).replaceAll('.', ''), '', 'and hidden again');
});

inViews('no solution: the dead end is told and pointed at', async ({ page, at }) => {
  await page.locator('[data-example=unsolvable]').click();
  await verdict(page, { en: 'No solution', ko: '해답이 없습니다' }[at.language]);
  const house = { kind: 'column', number: 5 };
  const cases = [
    [{ kind: 'cell', cell: 'r5c1', placed: 0 }, 'dead', [36], { en: 'No digit is left for row 5, column 1.', ko: '5행 1열에 넣을 수 있는 숫자가 없습니다.' }],
    [
      { kind: 'digit', house, digit: 2, placed: 4 },
      'area',
      [4, 13, 22, 31, 40, 49, 58, 67, 76],
      { en: 'Once 4 forced digits are placed: column 5 has no place left for 2.', ko: '정해지는 숫자 4개를 채우고 나면, 5열에 2가 들어갈 자리가 없습니다.' },
    ],
    [{ kind: 'house_sum', house: { kind: 'box', number: 1 }, placed: 0 }, 'area', [0, 1, 2, 9, 10, 11, 18, 19, 20], { en: 'box 1', ko: '1번 박스' }],
    [{ kind: 'cage_sum', house: { kind: 'cage', number: 1 }, placed: 1 }, 'area', [0, 1], { en: 'Once 1 forced digit is placed: cage 1', ko: '정해지는 숫자 1개를 채우고 나면, 1번 케이지' }],
  ];
  const cages = [{ cells: ['r1c1', 'r1c2'] }];
  for (const [end, mark, cells, told] of cases) {
    await answer(page, { verdict: 'unsolvable', dead_end: end });
    await paste(page, JSON.stringify({ board: '.'.repeat(81), cages, n: Math.random() }));
    await paste(page, JSON.stringify({ board: `${cases.findIndex(([each]) => each === end) + 1}${'.'.repeat(80)}`, cages }));
    await verdict(page, told[at.language]);
    assert.deepEqual(await marked(page, mark), cells);
    await page.unroute('**/validate');
  }
});

inViews('undecided says why, by nodes or by time', async ({ page, at }) => {
  await answer(page, { verdict: 'undecided', limit: 'nodes', nodes: 1_000_000 });
  await paste(page, EASY);
  await verdict(page, { en: 'budget of 1,000,000 nodes', ko: '노드 한도 1,000,000개' }[at.language]);
  await page.unroute('**/validate');
  await answer(page, { verdict: 'undecided', limit: 'time' });
  await page.locator('#undo').click();
  await paste(page, SOLVED);
  await verdict(page, { en: 'ran out of time', ko: '제한 시간 안에' }[at.language]);
});

inViews('typing is waited for, and answers that come late are dropped', async ({ page, at }) => {
  const asked = [];
  await page.route('**/validate', async (route) => {
    const { board } = route.request().postDataJSON();
    asked.push(board.join(''));
    // The first question is answered last.
    if (asked.length === 1) await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue().catch(() => {});
  });
  await cell(page, 1, 1).click();
  for (const key of ['1', 'ArrowRight', '2', 'ArrowRight', '3']) await page.keyboard.press(key);
  await page.waitForTimeout(600);
  assert.deepEqual(asked, [`123${'.'.repeat(78)}`], 'one question for three digits');
  await page.keyboard.press('2');
  await verdict(page, { en: 'Row 1 has 2 twice.', ko: '1행에 2가 두 번 있습니다.' }[at.language]);
  await page.waitForTimeout(1500);
  await verdict(page, { en: 'Row 1 has 2 twice.', ko: '1행에 2가 두 번 있습니다.' }[at.language]);
});

inViews('verdicts are said in a live region', async ({ page, at }) => {
  const region = page.locator('#verdict');
  assert.equal(await region.getAttribute('role'), 'status');
  await paste(page, EASY);
  await verdict(page, { en: 'One solution', ko: '해답이 하나입니다' }[at.language]);
});

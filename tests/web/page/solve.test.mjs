// Solving, comparing, cancelling.

import assert from 'node:assert/strict';
import { EASY, SOLVED, cell, inViews, paste, shown, verdict, withBrowser } from '../browser.mjs';

// One search at a time, so that a long one can be told from a short one.
withBrowser('--default-nodes', '2000000');

const rows = (page) => page.locator('#chart tbody tr');

inViews('the solution fills in, in another colour than the givens, with nodes and time', async ({ page, at }) => {
  await paste(page, EASY);
  await page.locator('#solve').click();
  await verdict(page, { en: 'This is the only solution.', ko: '유일한 해답입니다.' }[at.language]);
  assert.equal(await shown(page, '.given, .solution'), SOLVED);
  assert.equal(await shown(page), EASY, 'givens stay givens');
  const colour = (index) => page.$eval(`[data-cell="${index}"]`, (element) => getComputedStyle(element).color);
  assert.notEqual(await colour(0), await colour(2));
  assert.match(await page.locator('#figures').innerText(), { en: /nodes\n/, ko: /노드 \d+개\n/ }[at.language]);
  const label = { en: 'row 1, column 3, solution 4', ko: '1행 3열, 해답 4' }[at.language];
  assert.equal(await cell(page, 1, 3).getAttribute('aria-label'), label);
  await cell(page, 1, 3).click();
  await page.keyboard.press('4');
  assert.equal((await shown(page, '.solution')).replaceAll('.', ''), '', 'a change takes it away');
});

inViews('what cannot be solved is told as on checking', async ({ page, at }) => {
  await page.locator('[data-example=unsolvable]').click();
  await page.locator('#solve').click();
  await verdict(page, { en: 'No solution', ko: '해답이 없습니다' }[at.language]);
  await paste(page, `55${'.'.repeat(79)}`);
  await page.locator('#solve').click();
  await verdict(page, { en: 'Row 1 has 5 twice.', ko: '1행에 5가 두 번 있습니다.' }[at.language]);
}, { expected: [/422/] });

inViews('all four algorithms are compared, with nodes, time and bars on a log scale', async ({ page, at }) => {
  await page.locator('[data-example=escargot]').click();
  await page.locator('#compare').click();
  await verdict(page, { en: 'Fewest nodes:', ko: '노드가 가장 적은 알고리즘:' }[at.language]);
  assert.equal(await rows(page).count(), 4);
  const table = await rows(page).evaluateAll((all) =>
    all.map((row) => ({
      name: row.querySelector('code').textContent,
      nodes: Number(row.cells[1].innerText.replace(/\D/g, '')),
      length: Number(row.querySelector('.bar').style.getPropertyValue('--length')),
      time: row.cells[2].innerText,
    })),
  );
  assert.deepEqual(table.map(({ name }) => name).sort(), ['exact_cover', 'fast', 'mrv', 'reading_order']);
  const most = Math.max(...table.map(({ nodes }) => nodes));
  for (const { nodes, length, time } of table) {
    assert.ok(Math.abs(length - Math.log(1 + nodes) / Math.log(1 + most)) < 1e-6, 'the bar is the logarithm');
    assert.match(time, /^[\d.,]+\s(µs|ms|s)$/);
  }
});

inViews('with cages, the algorithms that do not know them say so', async ({ page, at }) => {
  await page.locator('[data-example=killer]').click();
  await page.locator('#compare').click();
  await verdict(page, { en: 'Compared', ko: '비교했습니다' }[at.language]);
  const without = rows(page).filter({ hasText: { en: 'classic boards only', ko: '일반 보드 전용' }[at.language] });
  assert.deepEqual((await without.locator('code').allInnerTexts()).sort(), ['exact_cover', 'reading_order']);
}, { expected: [/422/] });

inViews('a solve and a comparison are cancelled while they run, by the button that started them', async ({ page, at }) => {
  let asked = 0;
  await page.route(/\/(solve|validate)$/, () => (asked += 1));
  await page.locator('[data-example=easy]').click();
  for (const id of ['#solve', '#compare']) {
    const button = page.locator(id);
    const before = await button.innerText();
    await button.click();
    assert.equal(await button.innerText(), { en: 'Cancel', ko: '취소' }[at.language]);
    const sent = page.waitForEvent('requestfailed');
    await button.click();
    await sent;
    await verdict(page, { en: 'Cancelled', ko: '취소했습니다' }[at.language]);
    assert.equal(await button.innerText(), before);
    assert.equal(await shown(page), EASY);
  }
  assert.ok(asked >= 2);
});

inViews('typing ends what runs', async ({ page, at }) => {
  await page.route('**/solve', () => {});
  await page.locator('[data-example=easy]').click();
  await page.locator('#solve').click();
  await cell(page, 1, 3).click();
  await page.keyboard.press('4');
  await verdict(page, { en: 'One solution', ko: '해답이 하나입니다' }[at.language]);
  assert.equal(await page.locator('#solve').innerText(), { en: 'Solve', ko: '풀기' }[at.language]);
});

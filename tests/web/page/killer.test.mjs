// Cages: made by mouse and by keyboard, drawn as the field draws them, edited, deleted.

import assert from 'node:assert/strict';
import { cell, inViews, open, shown, verdict, withBrowser } from '../browser.mjs';

withBrowser();

const drag = async (page, ...cells) => {
  await page.locator('#board').scrollIntoViewIfNeeded();
  for (const [index, [row, column]] of cells.entries()) {
    const { x, y, width, height } = await cell(page, row, column).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 3 });
    if (index === 0) await page.mouse.down();
  }
  await page.mouse.up();
};
const cages = (page) => page.locator('.lines .cage').count();
const sums = (page) => page.locator('.sums .sum').allInnerTexts();

inViews('cells are selected by drag, the sum is typed, and the cage appears', async ({ page }) => {
  await drag(page, [1, 1], [1, 2], [2, 2]);
  assert.equal(await page.locator('.cell[aria-selected=true]').count(), 3);
  await page.keyboard.press('1');
  await page.keyboard.press('5');
  await page.keyboard.press('Enter');
  assert.equal(await cages(page), 1);
  assert.deepEqual(await sums(page), ['15']);
  assert.equal(await shown(page), '.'.repeat(81), 'the digits were the sum, not givens');
  await page.waitForFunction(() => location.hash.endsWith('&c=15-111222'));
});

inViews('the cage is a dashed line inside of its cells, with its sum in the top-left one', async ({ page }) => {
  await drag(page, [4, 5], [4, 4], [5, 4]);
  await page.keyboard.type('9');
  await page.keyboard.press('Enter');
  const style = await page.$eval('.lines .cage', (line) => getComputedStyle(line).strokeDasharray);
  assert.notEqual(style, 'none');
  const box = (selector) => page.locator(selector).boundingBox();
  const [line, sum, first, last] = [await box('.lines .cage'), await box('.sum'), await box('[data-cell="30"]'), await box('[data-cell="40"]')];
  assert.ok(line.x > first.x && line.y > first.y, 'the line is inset');
  assert.ok(line.x + line.width < last.x + last.width && line.y + line.height < last.y + last.height);
  assert.ok(sum.x >= first.x - 1 && sum.x < first.x + first.width / 2 && sum.y >= first.y - 3 && sum.y < first.y + first.height / 2);
});

inViews('Shift and the arrows select too, and labels tell the cage', async ({ page, at }) => {
  await cell(page, 1, 1).click();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  assert.equal(await cages(page), 1);
  const label = { en: 'row 2, column 2, empty, cage of 6', ko: '2행 2열, 빈칸, 합이 6인 케이지' }[at.language];
  assert.equal(await cell(page, 2, 2).getAttribute('aria-label'), label);
});

inViews('a cage is edited and deleted, and undo brings it back', async ({ page }) => {
  await drag(page, [1, 1], [1, 2]);
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  const list = page.locator('#cage-list li');
  await list.locator('button').first().click();
  await page.locator('#sum').fill('17');
  await page.locator('#cage-save').click();
  assert.deepEqual(await sums(page), ['17']);
  assert.equal(await cages(page), 1);
  await list.locator('button').last().click();
  assert.equal(await cages(page), 0);
  await page.locator('#undo').click();
  assert.deepEqual(await sums(page), ['17']);
  await page.locator('#undo').click();
  assert.deepEqual(await sums(page), ['3']);
});

inViews('a cage that cannot be is refused in words, ten cells and impossible sums', async ({ page, at }) => {
  const message = page.locator('#cage-message');
  await cell(page, 1, 1).click();
  for (let step = 0; step < 8; step += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.type('45');
  await page.keyboard.press('Enter');
  assert.match(await message.innerText(), { en: /at most 9 cells/, ko: /9칸까지/ }[at.language]);
  assert.equal(await cages(page), 0);
  await drag(page, [1, 1], [1, 2]);
  await page.locator('#sum').fill('18');
  await page.keyboard.press('Enter');
  assert.match(await message.innerText(), { en: /cannot make 18: they make 3 to 17/, ko: /3부터 17까지/ }[at.language]);
  await page.locator('#sum').fill('x');
  await page.keyboard.press('Enter');
  assert.match(await message.innerText(), { en: /from 1 to 45/, ko: /1부터 45까지/ }[at.language]);
  assert.equal(await cages(page), 0);
});

inViews(
  'a cage of ten cells from an address is shown, and what the service says of it is told in words',
  async ({ at }) => {
    const path = `#b=${'0'.repeat(81)}&c=45-11121314151617181921`;
    const { page, context, faults } = await open(at, { path, expected: [/422/] });
    await verdict(page, { en: 'Cage 1 has more than 9 cells.', ko: '1번 케이지: 9칸을 넘습니다.' }[at.language]);
    assert.equal(await cages(page), 1);
    assert.equal(await page.locator('.cell.clash').count(), 10);
    assert.deepEqual(faults, []);
    await context.close();
  },
);

inViews('on touch screens a finger draws cages while they are open, and scrolls otherwise', async ({ page, at }) => {
  const touch = () => page.$eval('#board', (board) => getComputedStyle(board).touchAction);
  assert.equal(await touch(), 'manipulation');
  await page.locator('#cages summary').click();
  assert.equal(await touch(), 'none');
  if (at.width > 600) return;
  await page.locator('#board').scrollIntoViewIfNeeded();
  const points = [];
  for (const [row, column] of [[1, 1], [1, 2], [1, 3]]) {
    const { x, y, width } = await cell(page, row, column).boundingBox();
    points.push({ x: x + width / 2, y: y + width / 2 });
  }
  const client = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
  await send('touchStart', [points[0]]);
  for (const point of points.slice(1)) await send('touchMove', [point]);
  await send('touchEnd', []);
  assert.equal(await page.locator('.cell[aria-selected=true]').count(), 3);
});

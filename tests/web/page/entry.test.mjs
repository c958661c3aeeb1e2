// Entering a board: keys, mouse, touch, paste, copy, the address, undo, examples.

import assert from 'node:assert/strict';
import { EASY, cell, inViews, notice, open, paste, shared, shown, verdict, withBrowser } from '../browser.mjs';

withBrowser();

const words = {
  one: { en: 'One solution', ko: '해답이 하나입니다' },
  start: { en: 'Start with a puzzle', ko: '퍼즐을 입력하세요' },
};
const ONE_CELL = (index, digit) => '.'.repeat(index) + digit + '.'.repeat(80 - index);

inViews('arrows move, digits fill, and each of 0, space, Backspace, Delete empties', async ({ page }) => {
  await cell(page, 5, 5).click();
  await page.keyboard.press('7');
  assert.equal(await shown(page), ONE_CELL(40, 7));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('1');
  assert.equal((await shown(page))[30], '1');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  for (const key of ['0', ' ', 'Backspace', 'Delete']) {
    await page.keyboard.press('4');
    assert.equal((await shown(page))[40], '4');
    await page.keyboard.press(key);
    assert.equal((await shown(page))[40], '.', key);
  }
  // The edge of the board is its edge.
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('2');
  assert.equal((await shown(page))[0], '2');
});

inViews('Tab goes through the page in the order of what is seen, with one stop for the board', async ({ page }) => {
  const stops = [];
  for (let stop = 0; stop < 40; stop += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const { activeElement: element } = document;
      const { top, left, height } = element.getBoundingClientRect();
      return { id: element.id || element.dataset.cell || element.dataset.digit || element.textContent, left, top: top + scrollY + height / 2 };
    });
    if (stops.length > 0 && at.id === stops[0].id) break;
    stops.push(at);
  }
  const names = stops.map(({ id }) => id);
  assert.equal(names.filter((name) => name === '0').length >= 1, true, 'the board is a stop');
  for (const id of ['solve', 'compare', 'undo', 'copy-line']) assert.ok(names.includes(id), `${id} in ${names}`);
  assert.ok(names.indexOf('0') < names.indexOf('solve') && names.indexOf('solve') < names.indexOf('undo'), names.join());
});

inViews('the mouse selects a cell, and the digit pad fills it where there is one', async ({ page, at }) => {
  await cell(page, 2, 3).click();
  assert.equal(await cell(page, 2, 3).getAttribute('aria-selected'), 'true');
  const pad = page.locator('#pad');
  assert.equal(await pad.isVisible(), at.width < 600);
  if (at.width > 600) return;
  await cell(page, 2, 3).tap();
  await pad.getByText('6', { exact: true }).tap();
  assert.equal(await shown(page), ONE_CELL(11, 6));
  const box = await pad.locator('button').first().boundingBox();
  assert.ok(box.width >= 44 && box.height >= 44, 'a finger hits it');
  await pad.locator('[data-digit="0"]').tap();
  assert.equal(await shown(page), '.'.repeat(81));
});

inViews('paste anywhere reads a board, and undo brings back what was there', async ({ page, at }) => {
  await cell(page, 1, 1).click();
  await page.keyboard.press('9');
  const rows = EASY.match(/.{9}/g);
  const forms = [EASY, rows.join('\n'), JSON.stringify(rows), `+---+\n${rows.map((row) => `| ${row} |`).join('\n')}`];
  for (const text of forms) {
    await paste(page, text);
    assert.equal(await shown(page), EASY);
    await page.keyboard.press('Control+z');
    assert.equal(await shown(page), ONE_CELL(0, 9));
  }
  await paste(page, EASY);
  await verdict(page, words.one[at.language]);
});

inViews('what cannot be read is told exactly, and changes nothing', async ({ page, at }) => {
  await page.locator('[data-example=easy]').click();
  const cases = [
    [EASY.slice(1), { en: '80 cells instead of 81', ko: '81칸이 아니라 80칸' }],
    [`53🙂${EASY.slice(3)}`, { en: 'Line 1, character 3: “🙂”', ko: '1번째 줄 3번째 글자 “🙂”' }],
    ['🧩'.repeat(81), { en: 'Line 1, character 1', ko: '1번째 줄 1번째 글자' }],
    ['5', { en: '10,485,760 characters', ko: '10,485,760자' }, 10 << 20],
    ['[[1,2,3]]', { en: '1 row instead of 9', ko: '9행이 아니라 1행' }],
  ];
  for (const [text, told, times] of cases) {
    const took = await paste(page, text, times);
    await notice(page, told[at.language]);
    assert.ok(took < 1000, `nothing hangs: ${took} ms`);
    assert.equal(await shown(page), EASY);
  }
  await page.locator('#notice button').click();
  assert.equal(await page.locator('#notice').innerText(), '');
});

inViews('the paste dialog reads what is typed, and says in itself what is wrong', async ({ page, at }) => {
  await page.locator('#paste').click();
  await page.locator('#paste-text').fill('12');
  await page.locator('#paste-read').click();
  const told = { en: '2 cells instead of 81', ko: '81칸이 아니라 2칸' }[at.language];
  assert.match(await page.locator('#paste-message').innerText(), new RegExp(told));
  await page.locator('#paste-text').fill(EASY);
  await page.locator('#paste-read').click();
  assert.equal(await shown(page), EASY);
  assert.equal(await page.locator('#paste-dialog').isVisible(), false);
});

inViews('copies 81 characters, the JSON request and the link, and Control+C copies too', async ({ page, at }) => {
  await page.locator('[data-example=easy]').click();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.locator('#copy-line').click();
  await notice(page, { en: 'Copied.', ko: '복사했습니다.' }[at.language]);
  assert.equal(await clipboard(), EASY);
  await page.locator('#copy-json').click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('{'));
  const response = await fetch(`${shared.server.base}solve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await clipboard(),
  });
  assert.equal((await response.json()).unique, true, 'the API takes it');
  await page.locator('#copy-link').click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('http'));
  const link = await clipboard();
  assert.ok(link.startsWith(shared.server.base) && link.includes(EASY.replaceAll('.', '0')));
  const copied = await page.evaluate(() => {
    document.querySelector('.cell').focus();
    const clipboardData = new DataTransfer();
    document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData('text/plain');
  });
  assert.equal(copied, EASY);
});

inViews('the board is in the address: a link shares it, a reload keeps it, two tabs stay apart', async ({ page, context }) => {
  await cell(page, 1, 1).click();
  await page.keyboard.press('8');
  await page.waitForFunction(() => location.hash.startsWith('#b=8000'));
  await page.reload();
  assert.equal(await shown(page), ONE_CELL(0, 8));
  const other = await context.newPage();
  await other.goto(page.url());
  assert.equal(await shown(other), ONE_CELL(0, 8));
  await cell(other, 1, 2).click();
  await other.keyboard.press('1');
  await page.bringToFront();
  await cell(page, 1, 3).click();
  await page.keyboard.press('2');
  assert.equal((await shown(other)).slice(0, 3), '81.');
  assert.equal((await shown(page)).slice(0, 3), '8.2');
});

inViews('back and forward go from board to board, and nothing is lost', async ({ page }) => {
  await page.locator('[data-example=easy]').click();
  const easy = await shown(page);
  await page.locator('[data-example=escargot]').click();
  const escargot = await shown(page);
  assert.notEqual(easy, escargot);
  await page.goBack();
  await page.waitForFunction((want) => [...document.querySelectorAll('.cell')].map((c) => c.textContent || '.').join('') === want, easy);
  await page.goForward();
  await page.waitForFunction((want) => [...document.querySelectorAll('.cell')].map((c) => c.textContent || '.').join('') === want, escargot);
  await page.locator('#undo').click();
  assert.equal(await shown(page), easy);
});

inViews('a fragment edited by hand is read, or its fault told, and the board stays', async ({ page, at }) => {
  await page.locator('[data-example=easy]').click();
  await page.evaluate(() => (location.hash = '#b=123'));
  await notice(page, { en: '3 cells instead of 81', ko: '81칸이 아니라 3칸' }[at.language]);
  assert.equal(await shown(page), EASY);
  await page.evaluate((digits) => (location.hash = `#b=${digits}`), ONE_CELL(3, 4));
  await page.waitForFunction(() => document.querySelector('[data-cell="3"]').textContent === '4');
  assert.equal(await shown(page), ONE_CELL(3, 4));
  await page.locator('#undo').click();
  assert.equal(await shown(page), EASY);
});

inViews('an address that cannot be read at first is told, too', async ({ at }) => {
  const { page, context, faults } = await open(at, { path: '#b=%E0%A4%A' });
  await notice(page, { en: 'cannot be read', ko: '읽을 수 없습니다' }[at.language]);
  assert.equal(await shown(page), '.'.repeat(81));
  assert.deepEqual(faults, []);
  await context.close();
});

inViews('undo and redo, by button and by key', async ({ page }) => {
  assert.equal(await page.locator('#undo').getAttribute('aria-disabled'), 'true');
  await cell(page, 1, 1).click();
  for (const digit of '123') await page.keyboard.press(digit);
  const first = async () => (await shown(page))[0];
  await page.keyboard.press('Control+z');
  assert.equal(await first(), '2');
  await page.locator('#undo').click();
  assert.equal(await first(), '1');
  await page.locator('#redo').click();
  assert.equal(await first(), '2');
  await page.keyboard.press('Control+Shift+z');
  assert.equal(await first(), '3');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+y');
  assert.equal(await first(), '3');
  await page.locator('#clear').click();
  assert.equal(await first(), '.');
  await page.locator('#undo').click();
  assert.equal(await first(), '3');
});

inViews('every example is what its name says', async ({ page, at }) => {
  const expected = {
    easy: words.one,
    seventeen: words.one,
    escargot: words.one,
    ambiguous: { en: 'Several solutions', ko: '해답이 여럿입니다' },
    unsolvable: { en: 'No solution', ko: '해답이 없습니다' },
    killer: words.one,
  };
  for (const [name, told] of Object.entries(expected)) {
    await page.locator(`[data-example=${name}]`).click();
    await verdict(page, told[at.language]);
    if (name === 'seventeen') assert.equal((await shown(page)).replaceAll('.', '').length, 17);
  }
  assert.equal(await page.locator('.lines .cage').count(), 29);
});

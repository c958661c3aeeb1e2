// How the page looks and reads: axe, contrast, focus, language, print, no shift, no overflow, no script.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { ALL_VIEWS, EASY, EXTREMES, VIEWS, cell, inViews, open, paste, shared, verdict, withBrowser } from '../browser.mjs';

withBrowser();

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Screenshots are looked at, not kept: they are build output. */
const shots = new URL('../../../target/web-shots/', import.meta.url).pathname;
mkdirSync(shots, { recursive: true });

/** States of the page, each by what leads to it. */
const STATES = {
  start: async () => {},
  unique: (page) => page.locator('[data-example=easy]').click(),
  multiple: async (page) => {
    await page.locator('[data-example=ambiguous]').click();
    await page.locator('#shown button').last().click();
  },
  unsolvable: (page) => page.locator('[data-example=unsolvable]').click(),
  clash: (page) => paste(page, '9'.repeat(81)),
  killer: async (page) => {
    await page.locator('[data-example=killer]').click();
    await page.locator('#cages summary').click();
    await cell(page, 5, 5).click();
    await page.keyboard.press('Shift+ArrowDown');
  },
  solved: async (page) => {
    await page.locator('[data-example=easy]').click();
    await page.locator('#solve').click();
    await page.locator('.solution').first().waitFor();
  },
  compared: async (page) => {
    await page.locator('[data-example=escargot]').click();
    await page.locator('#compare').click();
    await page.locator('#card[data-tone=compared]').waitFor();
  },
  dialog: async (page) => {
    await page.locator('#paste').click();
    await page.locator('#paste-text').fill('12');
    await page.locator('#paste-read').click();
  },
  notice: (page) => paste(page, 'nonsense'),
};

const settled = (page) => page.locator('#card:not(.stale)').waitFor().then(() => page.waitForTimeout(500));

for (const [name, lead] of Object.entries(STATES)) {
  inViews(`axe finds nothing and nothing overflows: ${name}`, async ({ page, at }) => {
    await lead(page);
    await settled(page);
    await page.screenshot({ path: `${shots}${name}-${at.name.replaceAll(' ', '-')}.png`, fullPage: true });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(over <= 0, `${over} px too wide`);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 150)}`);
    });
    assert.deepEqual(found, []);
  }, { views: ['killer', 'compared', 'dialog'].includes(name) ? [...ALL_VIEWS, ...EXTREMES] : ALL_VIEWS });
}

inViews('axe finds nothing on the pages of problems, and nothing overflows', async ({ page }) => {
  for (const path of ['problems', 'problems/invalid-board']) {
    await page.goto(shared.server.base + path);
    assert.doesNotMatch(await page.locator('body').innerText(), /=>|undefined/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`));
    assert.deepEqual(found, []);
  }
}, { views: ALL_VIEWS });

inViews('nothing moves by itself, from the first paint to the last verdict', async ({ page, at }) => {
  await page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (!entry.hadRecentInput) globalThis.shifts.push([entry.value, ...entry.sources.map(({ node }) => node?.id || node?.className)]);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.reload();
  await verdict(page, { en: 'Start', ko: '입력하세요' }[at.language]);
  for (const text of [EASY, '9'.repeat(81), `${'.'.repeat(80)}1`, EASY.replace('7', '8')]) {
    await paste(page, text);
    await settled(page);
  }
  for (const example of ['ambiguous', 'unsolvable', 'killer', 'escargot']) {
    await page.locator(`[data-example=${example}]`).click();
    await page.waitForTimeout(900);
  }
  await page.locator('#compare').click();
  await page.locator('#card[data-tone=compared]').waitFor();
  await page.waitForTimeout(300);
  assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
});

inViews('the card holds the longest verdict without growing', async ({ page }) => {
  const height = () => page.$eval('#card', (card) => card.getBoundingClientRect().height);
  const before = await height();
  const ends = [
    { kind: 'house_sum', house: { kind: 'column', number: 9 }, placed: 12 },
    { kind: 'digit', house: { kind: 'column', number: 9 }, digit: 9, placed: 12 },
  ];
  for (const [index, end] of ends.entries()) {
    await page.route('**/validate', (route) =>
      route.fulfill({ json: { verdict: 'unsolvable', conflicts: [], dead_end: end, solutions: [], differing_cells: [], nodes: 123456, elapsed_us: 1234567 } }),
    );
    await paste(page, `${index + 1}${'.'.repeat(80)}`);
    await settled(page);
    assert.equal(await height(), before);
    await page.unroute('**/validate');
  }
  await paste(page, '9'.repeat(81));
  await settled(page);
  assert.equal(await height(), before);
}, { views: ALL_VIEWS });

inViews('the focus is always seen', async ({ page }) => {
  for (let stop = 0; stop < 30; stop += 1) {
    await page.keyboard.press('Tab');
    const seen = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      return document.activeElement === document.body || (parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== 'none');
    });
    assert.ok(seen, await page.evaluate(() => document.activeElement.outerHTML.slice(0, 200)));
  }
  // By mouse, too: a cell that has the focus takes the keys.
  await cell(page, 3, 3).click();
  assert.equal(await cell(page, 3, 3).evaluate((element) => getComputedStyle(element).outlineStyle), 'solid');
});

inViews('cells have real labels, and the board is one grid', async ({ page, at }) => {
  await paste(page, EASY);
  const label = { en: 'row 3, column 2, given 9', ko: '3행 2열, 주어진 숫자 9' }[at.language];
  await page.getByRole('gridcell', { name: label }).waitFor();
  assert.equal(await page.getByRole('grid').getByRole('row').count(), 9);
});

inViews('the language is the reader’s, is switched at once, and is remembered, in every tab', async ({ page, context, at }) => {
  const says = {
    en: { title: /^Sudoku: /, solve: 'Solve', brand: 'Sudoku' },
    ko: { title: /^스도쿠: /, solve: '풀기', brand: '스도쿠' },
  };
  const check = async (where, language) => {
    await where.waitForFunction((wanted) => document.documentElement.lang === wanted, language);
    assert.match(await where.title(), says[language].title);
    assert.equal(await where.locator('#solve').innerText(), says[language].solve);
    assert.equal(await where.locator('.brand').innerText(), says[language].brand);
    const other = await where.locator('#verdict, .tools, #examples, .pad').allInnerTexts();
    assert.equal(/[가-힣]/.test(other.join()), language === 'ko');
  };
  await check(page, at.language);
  const second = await context.newPage();
  await second.goto(shared.server.base);
  const next = at.language === 'en' ? 'ko' : 'en';
  await page.bringToFront();
  await page.locator(`[data-language=${next}]`).click();
  await check(page, next);
  await check(second, next);
  await page.reload();
  await check(page, next);
});

inViews('every text is translated: none of the other language is left', async ({ page, at }) => {
  await page.locator('[data-example=ambiguous]').click();
  await page.locator('#cages summary').click();
  const texts = await page.evaluate(() => document.body.innerText.replace(document.querySelector('.languages').innerText, ''));
  const labels = await page.$$eval('[aria-label]', (all) => all.map((element) => element.ariaLabel).join('\n'));
  if (at.language === 'en') assert.doesNotMatch(texts + labels, /[가-힣]/);
  else assert.doesNotMatch(`${texts}\n${labels}`.replace(/curl[^]*?\}'/, ''), /\b(?!AI|API|JSON|Shift|Enter|openapi|yaml|r\dc\d)[A-Za-z]{3,}\b/);
});

inViews('on paper there is the board alone, in black on white', async ({ page }) => {
  await page.locator('[data-example=killer]').click();
  await page.emulateMedia({ media: 'print' });
  const visible = await page.$$eval('body *', (all) =>
    all.filter((e) => e.checkVisibility() && e.getBoundingClientRect().height > 0 && !e.closest('.frame') && !e.querySelector('.frame')).map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(visible, []);
  const colours = await page.evaluate(() => [getComputedStyle(document.querySelector('.frame')).backgroundColor, getComputedStyle(document.querySelector('.cell')).color]);
  assert.deepEqual(colours, ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  const pdf = (await page.pdf()).toString('latin1');
  assert.equal(pdf.match(/\/Type\s*\/Page\b/g).length, 1, 'one page');
});

inViews('light and dark follow the system', async ({ page, at }) => {
  const paper = () => page.evaluate(() => Number(getComputedStyle(document.documentElement).backgroundColor.match(/\d+/)[0]));
  assert.equal((await paper()) < 128, at.colours === 'dark');
  await page.emulateMedia({ colorScheme: at.colours === 'dark' ? 'light' : 'dark' });
  assert.equal((await paper()) < 128, at.colours !== 'dark');
});

inViews('who wants no motion gets none', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const moving = await page.$$eval('*', (all) => all.filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0 || getComputedStyle(e).animationName !== 'none').length);
  assert.equal(moving, 0);
});

for (const at of VIEWS) {
  test(`without script the page says what the service is and shows the curl line [${at.name}]`, async () => {
    const { page, context } = await open(at, { javaScriptEnabled: false });
    const text = await page.locator('body').innerText();
    assert.match(text, /solves and validates Sudoku/);
    assert.match(text, /curl http:\/\/\S+\/solve -H 'Content-Type: application\/json'/);
    assert.equal(await page.locator('#solve').isVisible(), false);
    await page.screenshot({ path: `${shots}no-script-${at.name.replaceAll(' ', '-')}.png`, fullPage: true });
    await context.close();
  });
}

// A browser, and tests that run in every view: language, width, colours.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { start } from './server.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const view = (language, width, colours) => ({ language, width, colours, name: `${language} ${width}px ${colours}` });

/** Every pair of language, width and colours meets in one of these. */
export const VIEWS = [view('en', 360, 'light'), view('en', 1280, 'dark'), view('ko', 360, 'dark'), view('ko', 1280, 'light')];
/** The narrowest and the widest screen. */
export const EXTREMES = [view('en', 320, 'light'), view('ko', 1920, 'dark')];
/** The same four; with EVERY_VIEW=1 each combination, which takes three times as long. */
export const ALL_VIEWS = [...VIEWS];
if (process.env.EVERY_VIEW) {
  ALL_VIEWS.push(
    view('en', 360, 'dark'),
    view('en', 1280, 'light'),
    view('ko', 360, 'light'),
    view('ko', 1280, 'dark'),
    view('ko', 320, 'dark'),
    view('en', 768, 'light'),
  );
}

export const shared = {};

/** Starts the server and the browser for the tests of a file. */
export function withBrowser(...flags) {
  before(async () => {
    shared.server = await start(...flags);
    shared.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: FLAGS,
    });
  });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.stop();
  });
}

/** A page that fails its test on any console error, and on any request that leaves the service's origin. */
export async function open(at, { base = shared.server.base, path = '', expected = [], ...options } = {}) {
  const context = await shared.browser.newContext({
    viewport: { width: at.width, height: at.width < 600 ? 740 : 900 },
    locale: at.language === 'ko' ? 'ko-KR' : 'en-GB',
    colorScheme: at.colours,
    hasTouch: at.width < 600,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const faults = [];
  context.on('weberror', (error) => faults.push(error.error().stack));
  context.on('console', (message) => {
    const isFault = ['error', 'warning'].includes(message.type());
    if (isFault && !expected.some((pattern) => pattern.test(message.text()))) faults.push(message.text());
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) faults.push(`left: ${request.url()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(base + path);
  return { page, context, faults };
}

/** What the browser says by itself where an answer is an error or does not come. */
export const NETWORK = [/Failed to load resource/];

/** One test in each of these views; `body({ page, at, context })`. */
export function inViews(name, body, { views = VIEWS, ...options } = {}) {
  for (const at of views) {
    test(`${name} [${at.name}]`, { timeout: 60_000 }, async () => {
      const { page, context, faults } = await open(at, options);
      try {
        await body({ page, at, context });
        assert.deepEqual(faults, []);
      } finally {
        await context.close();
      }
    });
  }
}

// What people do

export const cell = (page, row, column) => page.locator(`[data-cell="${9 * (row - 1) + column - 1}"]`);

/** The 81 digits on the board, `.` for empty cells; of givens alone unless the solution is asked for. */
export const shown = (page, kind = '.given') =>
  page.$$eval('.cell', (cells, kind) => cells.map((c) => (c.matches(kind) && c.textContent) || '.').join(''), kind);

/** Pastes a text, repeated where it is long, and gives the milliseconds that the page took for it. */
export function paste(page, text, times = 1) {
  return page.evaluate(
    ([text, times]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text.repeat(times));
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      const began = performance.now();
      document.body.dispatchEvent(event);
      return performance.now() - began;
    },
    [text, times],
  );
}

/** Waits until the verdict has this text. */
export async function verdict(page, text) {
  const found = page.locator('#card:not(.stale) #verdict').filter({ hasText: text });
  await found.waitFor().catch(async () => {
    assert.fail(`expected ${text}, found ${await page.locator('#verdict').innerText()}`);
  });
}

export async function notice(page, text) {
  await page.locator('#notice').filter({ hasText: text }).waitFor();
}

export const EASY = '53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79';
export const SOLVED = '534678912672195348198342567859761423426853791713924856961537284287419635345286179';

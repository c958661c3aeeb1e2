// What goes wrong: every problem document in words, a busy service, a service that is gone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EASY, NETWORK, VIEWS, cell, inViews, open, paste, shown, verdict, withBrowser } from '../browser.mjs';
import { start } from '../server.mjs';

withBrowser();

const problem = (name, status, more = {}) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: `/problems/${name}`, title: 'T-RAW', status, detail: 'D-RAW', request_id: 'id-7', ...more }),
});
const errors = (...list) => ({ errors: list.map((error) => ({ detail: 'D-RAW', ...error })) });

const PROBLEMS = [
  [problem('malformed-json', 400), { en: 'could not read the request as JSON', ko: 'JSON으로 읽을 수 없습니다' }],
  [problem('not-found', 404), { en: 'knows nothing at this address', ko: '아무것도 없습니다' }],
  [problem('method-not-allowed', 405), { en: 'Method not allowed', ko: '허용되지 않는 메서드' }],
  [problem('request-timeout', 408), { en: 'took too long', ko: '제때 도착하지 않았습니다' }],
  [problem('payload-too-large', 413), { en: 'larger than the service reads', ko: '크기를 넘습니다' }],
  [problem('unsupported-media-type', 415), { en: 'application/json only', ko: 'application/json이어야' }],
  [problem('invalid-request', 422, errors({ pointer: '/a~1b', code: 'unknown_member' })), { en: '“a/b” is unknown.', ko: '“a/b”: 알 수 없는 항목입니다.' }],
  [problem('invalid-board', 422, errors({ pointer: '/board/4', code: 'bad_character', cell: 'r5c2' })), { en: 'Row 5, column 2 is neither a digit nor a blank.', ko: '5행 2열: 숫자도 빈칸도 아닙니다.' }],
  [problem('invalid-board', 422, errors({ pointer: '/board/4', code: 'row_length' })), { en: 'Row 5 does not have the right length.', ko: '5행: 길이가 맞지 않습니다.' }],
  [problem('invalid-cages', 422, errors({ pointer: '/cages/1/cells', code: 'impossible_sum' })), { en: 'Cage 2 has a sum that its cells cannot make.', ko: '2번 케이지: 이 칸들로는 만들 수 없는 합입니다.' }],
  [problem('unsupported-algorithm', 422, errors({ pointer: '/algorithm', code: 'no_cages' })), { en: 'does not know cages', ko: '케이지를 다루지 않습니다' }],
  [problem('conflicting-board', 422, { conflicts: [{ kind: 'repeated_digit', house: { kind: 'box', number: 2 }, digit: 5, cells: ['r1c4', 'r2c5', 'r3c6'] }] }), { en: 'Box 2 has 5 three times.', ko: '2번 박스에 5가 세 번 있습니다.' }],
  [problem('unsolvable-board', 422, { nodes: 4, dead_end: { kind: 'cell', cell: 'r1c9', placed: 0 } }), { en: 'No digit is left for row 1, column 9.', ko: '1행 9열에 넣을 수 있는 숫자가 없습니다.' }],
  [problem('budget-exhausted', 422, { nodes: 5000, max_nodes: 5000, limit: 'nodes' }), { en: 'budget of 5,000 nodes', ko: '노드 한도 5,000개' }],
  [problem('internal', 500), { en: 'under id-7', ko: '요청 ID id-7' }],
  [problem('of-the-future', 422), { en: 'answered with status 422', ko: '상태 코드 422로 응답했지만' }],
];

inViews('every problem document is told in words, from its codes', async ({ page, at }) => {
  await page.locator('[data-example=easy]').click();
  for (const [answer, told] of PROBLEMS) {
    await page.route('**/solve', (route) => route.fulfill(answer));
    await page.locator('#solve').click();
    await verdict(page, told[at.language]);
    assert.doesNotMatch(await page.locator('#verdict').innerText(), /RAW/, 'no raw text of the service');
    await page.unroute('**/solve');
  }
}, { expected: NETWORK });

inViews('more errors than fit are counted', async ({ page, at }) => {
  const list = Array.from({ length: 5 }, (_, row) => ({ pointer: `/board/${row}`, code: 'row_length' }));
  await page.route('**/solve', (route) => route.fulfill(problem('invalid-board', 422, { ...errors(...list), errors_omitted: 10 })));
  await page.locator('#solve').click();
  await verdict(page, { en: 'And 12 more.', ko: '12건이 더' }[at.language]);
}, { expected: NETWORK });

for (const name of ['overloaded', 'shutting-down']) {
  inViews(`a 503 (${name}) is asked again after its Retry-After`, async ({ page, at }) => {
    const times = [];
    await page.route('**/validate', (route) => {
      times.push(Date.now());
      const busy = { ...problem(name, 503), headers: { 'retry-after': '2' } };
      return times.length === 1 ? route.fulfill(busy) : route.continue();
    });
    await paste(page, EASY);
    await verdict(page, { en: 'The service is busy', ko: '서버가 바쁩니다' }[at.language]);
    assert.match(await page.locator('#figures').innerText(), { en: /Next try in [12] s/, ko: /[12]초 뒤/ }[at.language]);
    await verdict(page, { en: 'One solution', ko: '해답이 하나입니다' }[at.language]);
    assert.equal(times.length, 2);
    assert.ok(times[1] - times[0] >= 1900, `${times[1] - times[0]} ms`);
  }, { expected: NETWORK, views: VIEWS.slice(0, 3) });
}

inViews('who does not want to wait tries at once', async ({ page, at }) => {
  let asked = 0;
  await page.route('**/solve', (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ ...problem('overloaded', 503), headers: { 'retry-after': '20' } }) : route.continue();
  });
  await page.locator('[data-example=easy]').click();
  await page.locator('#solve').click();
  await page.locator('#retry').click();
  await verdict(page, { en: 'Solved', ko: '풀었습니다' }[at.language]);
}, { expected: NETWORK });

for (const at of VIEWS.slice(0, 3)) {
  test(`the service goes away in the middle of a request, and comes back [${at.name}]`, { timeout: 60_000 }, async () => {
    let server = await start('--default-nodes', '10000000');
    const { page, context, faults } = await open(at, { base: server.base, expected: NETWORK });
    try {
      await page.route('**/validate', async (route) => {
        await server.stop();
        await route.continue();
      });
      await page.locator('[data-example=easy]').click();
      await verdict(page, { en: 'cannot be reached', ko: '연결할 수 없습니다' }[at.language]);
      await cell(page, 1, 3).click();
      await page.keyboard.press('4');
      await verdict(page, { en: 'cannot be reached', ko: '연결할 수 없습니다' }[at.language]);
      assert.equal((await shown(page))[2], '4', 'the board can still be edited');
      await page.unroute('**/validate');
      server = await start('--port', String(server.port));
      await verdict(page, { en: 'One solution', ko: '해답이 하나입니다' }[at.language]);
      assert.deepEqual(faults, []);
    } finally {
      await context.close();
      await server.stop();
    }
  });
}

inViews('an answer that never comes ends, and is asked for again', async ({ page, at }) => {
  await page.clock.install();
  let asked = 0;
  await page.route('**/solve', (route) => {
    asked += 1;
    return asked === 1 ? undefined : route.continue();
  });
  await page.locator('[data-example=easy]').click();
  await page.locator('#solve').click();
  await page.waitForTimeout(200);
  await page.clock.runFor(31_000);
  await page.clock.resume();
  await verdict(page, { en: 'Solved', ko: '풀었습니다' }[at.language]);
  assert.equal(asked, 2);
}, { expected: NETWORK, views: VIEWS.slice(0, 1) });

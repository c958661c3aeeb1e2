// How the page is served: headers, sizes, a path prefix, another origin, the reference, problems, --no-web.

import assert from 'node:assert/strict';
import { createServer, request as ask } from 'node:http';
import { test } from 'node:test';
import { EASY, NETWORK, VIEWS, inViews, open, paste, shared, shown, verdict, withBrowser } from '../browser.mjs';
import { start } from '../server.mjs';

withBrowser();

/** The answer as it goes over the wire: fetch() would hide its coding. */
const get = (path, headers = {}, method = 'GET', base = shared.server.base) =>
  new Promise((resolve, reject) => {
    const sent = ask(new URL(path, base), { method, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject);
    sent.end();
  });
const GZIP = { 'accept-encoding': 'gzip' };
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

for (const path of ['', 'docs', 'problems', 'problems/overloaded']) {
  test(`/${path} has strict headers and an ETag`, async () => {
    const { status, headers } = await get(path, BROWSER);
    assert.equal(status, 200);
    assert.match(headers['content-type'], /^text\/html; charset=utf-8$/);
    const policy = headers['content-security-policy'];
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.equal(policy.includes("style-src 'self' 'unsafe-inline'"), path === 'docs');
    assert.equal((policy.match(/unsafe-inline/g) ?? []).length, path === 'docs' ? 1 : 0);
    assert.doesNotMatch(policy, /unsafe-eval|https?:/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-cache');
    const again = await get(path, { ...BROWSER, 'if-none-match': headers.etag });
    assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, headers.etag]);
    const head = await get(path, BROWSER, 'HEAD');
    assert.deepEqual([head.status, head.body.length, head.headers.etag], [200, 0, headers.etag]);
  });
}

test('assets have names with a hash, are kept for good, and come compressed to who takes that', async () => {
  const page = (await get('')).body.toString();
  const paths = [...page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(paths.length >= 3);
  for (const path of paths) {
    assert.match(path, /^assets\/page-[0-9a-f]{16}\//);
    const plain = await get(path);
    const gzip = await get(path, GZIP);
    for (const { status, headers } of [plain, gzip]) {
      assert.equal(status, 200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers.vary, 'accept-encoding');
    }
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.notEqual(plain.headers.etag, gzip.headers.etag);
    assert.equal((await get(path, { 'if-none-match': plain.headers.etag })).status, 304);
  }
  for (const path of ['assets/page-0000000000000000/main.js', 'assets/page/main.js', 'assets/../main.js', 'assets/a']) {
    assert.equal((await get(path)).status, 404, path);
  }
});

/** The bytes of all that a page loads, as they come over the wire. */
async function weight(path) {
  const { page, context } = await open(VIEWS[1]);
  const loaded = new Set();
  page.on('response', (response) => loaded.add(response.url()));
  await page.goto(shared.server.base + path, { waitUntil: 'networkidle' });
  await context.close();
  const sizes = await Promise.all([...loaded].filter((url) => url.startsWith('http')).map(async (url) => (await get(url, { ...GZIP, ...BROWSER })).body.length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('the page weighs less than 60 KB, compressed', async () => {
  const bytes = await weight('');
  console.log(`page: ${bytes} bytes`);
  assert.ok(bytes > 5_000 && bytes < 60_000, `${bytes} bytes`);
});

test('the reference weighs less than 1 MB, compressed', async () => {
  const bytes = await weight('docs');
  console.log(`docs: ${bytes} bytes`);
  assert.ok(bytes > 5_000 && bytes < 1_000_000, `${bytes} bytes`);
});

test('lang, title, description and icon are there', async () => {
  const page = (await get('')).body.toString();
  for (const pattern of [/<html lang="en">/, /<title [^>]+>Sudoku/, /<meta name="description" content="[^"]{50,160}"/, /<link rel="icon"/]) {
    assert.match(page, pattern);
  }
  assert.doesNotMatch(page, /<script>|<style|\sstyle=|\son\w+=|(?:src|href)="(?:\/|https?:)/, 'nothing inline, nothing absolute');
});

test('it works under a path prefix, as behind a proxy', async () => {
  const prefix = '/games/sudoku/';
  const proxy = createServer((request, response) => {
    if (!request.url.startsWith(prefix)) {
      response.writeHead(404).end();
      return;
    }
    const { method, headers } = request;
    const inner = ask(new URL(request.url.slice(prefix.length), shared.server.base), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(inner);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  const base = `http://127.0.0.1:${proxy.address().port}${prefix}`;
  const { page, context, faults } = await open(VIEWS[1], { base });
  try {
    await paste(page, EASY);
    await verdict(page, 'One solution');
    await page.locator('#solve').click();
    await verdict(page, 'Solved');
    await page.getByRole('link', { name: 'Problems' }).click();
    await page.getByRole('link', { name: 'Overloaded' }).click();
    assert.equal(page.url(), `${base}problems/overloaded`);
    await page.getByRole('link', { name: 'Sudoku' }).click();
    assert.equal(page.url(), base);
    await page.getByRole('link', { name: 'API reference' }).first().click();
    assert.equal(page.url(), `${base}docs`);
    await page.locator('rapi-doc').getByText('Solve a puzzle').first().waitFor();
    await page.locator('rapi-doc').locator('[part~="btn-try"]').first().click();
    await page.locator('rapi-doc').getByText(/Response Status: OK:200/).waitFor();
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    proxy.close();
  }
});

inViews('the reference is the contract, readable, with a try-it that works', async ({ page, at }) => {
  await page.goto(`${shared.server.base}docs`);
  const reference = page.locator('rapi-doc');
  await reference.locator('h2', { hasText: 'Solve a puzzle' }).waitFor();
  const dark = await reference.evaluate((element) => element.getAttribute('theme'));
  assert.equal(dark, at.colours);
  await reference.locator('[part~="btn-try"]').first().click();
  await reference.getByText(/Response Status: OK:200/).waitFor();
});

inViews('problems are pages for browsers, in their language, and JSON for programs', async ({ page, at }) => {
  await page.goto(`${shared.server.base}problems`);
  const { problems } = JSON.parse((await get('problems')).body);
  assert.equal(await page.locator('article').count(), problems.length);
  await page.goto(`${shared.server.base}problems/overloaded`);
  const title = { en: 'Overloaded', ko: '서버 과부하' }[at.language];
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  const text = { en: /Nothing was started/, ko: /시작하지 못했습니다/ }[at.language];
  assert.match(await page.locator('article').innerText(), text);
  for (const accept of ['*/*', 'application/json', undefined]) {
    const { headers, body } = await get('problems/overloaded', accept && { accept });
    assert.equal(headers['content-type'], 'application/json');
    assert.match(headers.vary, /accept/);
    assert.equal(JSON.parse(body).type, '/problems/overloaded');
  }
  assert.equal((await get('problems/nonsense', BROWSER)).status, 404);
});

test('a front end on another origin calls the API, and reads answers and errors', async () => {
  const front = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Front end</title>'));
  front.listen(0, '127.0.0.1');
  await new Promise((resolve) => front.once('listening', resolve));
  const { page, context } = await open(VIEWS[0]);
  await page.goto(`http://127.0.0.1:${front.address().port}/`);
  const call = (path, body) =>
    page.evaluate(
      async ([url, body]) => {
        const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', 'x-request-id': 'front-1' }, body });
        return { status: response.status, id: response.headers.get('x-request-id'), ...(await response.json()) };
      },
      [shared.server.base + path, body],
    );
  const solved = await call('solve', JSON.stringify({ board: EASY }));
  assert.deepEqual([solved.status, solved.unique, solved.id], [200, true, 'front-1']);
  const clash = await call('solve', JSON.stringify({ board: `11${'.'.repeat(79)}` }));
  assert.deepEqual([clash.status, clash.type, clash.conflicts.length], [422, '/problems/conflicting-board', 2]);
  const broken = await call('validate', '{');
  assert.deepEqual([broken.status, broken.type], [400, '/problems/malformed-json']);
  await context.close();
  front.close();
});

test('--no-web leaves the pages out, and nothing else', async () => {
  const server = await start('--no-web');
  try {
    for (const path of ['', 'docs', 'assets/page/main.js']) {
      const { status, headers } = await get(path, BROWSER, 'GET', server.base);
      assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json'], path);
    }
    const problems = await get('problems', BROWSER, 'GET', server.base);
    assert.equal(problems.headers['content-type'], 'application/json');
    const metrics = (await get('metrics', {}, 'GET', server.base)).body.toString();
    assert.match(metrics, /route="unmatched"/);
    assert.doesNotMatch(metrics, /route="\/docs"/);
  } finally {
    await server.stop();
  }
});

test('pages are counted by their routes, all assets together', async () => {
  await open(VIEWS[0]).then(({ context }) => context.close());
  const metrics = (await get('metrics')).body.toString();
  const routes = new Set([...metrics.matchAll(/http_requests_total\{[^}]*route="([^"]+)"/g)].map(([, route]) => route));
  assert.ok(routes.has('/') && routes.has('/assets/{folder}/{file}'));
  assert.ok([...routes].every((route) => !route.includes('main.js')));
});

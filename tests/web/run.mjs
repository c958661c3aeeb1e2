// Runs every test file, one after the other, and closes with one plain line. `ONLY` is a pattern of names of tests.

import { readdirSync } from 'node:fs';
import { run } from 'node:test';

const here = new URL('.', import.meta.url).pathname;
const wanted = process.argv.slice(2);
const files = ['unit', 'page']
  .flatMap((folder) => readdirSync(here + folder).map((file) => `${here}${folder}/${file}`))
  .filter((file) => file.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((name) => file.includes(name))));

let [passed, failed] = [0, 0];
const isFile = ({ name }) => files.some((file) => file === name || file.endsWith(name));
const testNamePatterns = process.env.ONLY ? [new RegExp(process.env.ONLY)] : undefined;
for await (const { type, data } of run({ files, concurrency: 1, testNamePatterns })) {
  if (type === 'test:stderr' || type === 'test:stdout') process.stderr.write(data.message);
  if (!['test:pass', 'test:fail'].includes(type) || data.details?.type === 'suite' || data.skip !== undefined) continue;
  if (type === 'test:pass') {
    if (!isFile(data)) passed += 1;
    continue;
  }
  // A file whose tests failed fails too; it is one more failure only where it has none, as it did not even start.
  if (isFile(data) && data.details.error?.failureType === 'subtestsFailed') continue;
  failed += 1;
  const { cause } = data.details.error;
  console.log(`not ok: ${data.name}\n  ${String(cause?.stack ?? cause ?? data.details.error).replaceAll('\n', '\n  ')}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

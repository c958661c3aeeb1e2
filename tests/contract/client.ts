// A client whose types come from openapi.yaml alone: that it compiles is half of the test.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/api.d.ts';

const client = createClient<paths>({ baseUrl: process.env.BASE_URL ?? 'http://localhost:8080' });
const board = ['9.7.....6', '824.3....', '..1..9..2', '.9...2.18', '...4....5', '1325.8...', '...687...', '......8.9', '.4.9...5.'];

const solved = await client.POST('/solve', { body: { board } });
if (!solved.data) throw new Error(JSON.stringify(solved.error));
const solution: string | string[] | number[][] = solved.data.solution;
if (solved.data.unique !== true || solution[0] !== '957214386') throw new Error(JSON.stringify(solved.data));

const wrong = await client.POST('/solve', { body: { board: '5'.repeat(81) } });
if (wrong.error?.type !== '/problems/conflicting-board') throw new Error(JSON.stringify(wrong));
const clash: string | undefined = wrong.error.conflicts[0]?.cells[0];
if (clash !== 'r1c1') throw new Error(`the first clash is at ${clash}`);

const batch = await client.POST('/solve/batch', {
  body: `# one board\n${board.join('')}\n`,
  bodySerializer: (lines) => lines,
  headers: { 'Content-Type': 'text/plain' },
  parseAs: 'text',
});
if (!batch.data) throw new Error(JSON.stringify(batch.error));
const lines = batch.data.trimEnd().split('\n').map((line): components['schemas']['SolveBatchLine'] => JSON.parse(line));
for (const line of lines) {
  if ('end' in line) {
    if (!line.end) throw new Error(`cut short: ${line.problem.title}`);
  } else if (!('solution' in line) || line.line !== 2 || line.solution !== [solution].flat().join('')) {
    throw new Error(JSON.stringify(line));
  }
}
if (lines.length !== 2) throw new Error(batch.data);

console.log('the generated client solved the example, read the clash and the lines of a batch');

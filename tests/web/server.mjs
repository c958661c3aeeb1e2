// The real binary, on a free port.

import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

const root = new URL('../../', import.meta.url).pathname;

/** `SUDOKU_SERVER`, else the newest build. */
function binary() {
  if (process.env.SUDOKU_SERVER) return process.env.SUDOKU_SERVER;
  const built = ['release', 'debug'].map((profile) => `${root}target/${profile}/sudoku-server`).filter(existsSync);
  if (built.length === 0) throw new Error('there is no binary: cargo build');
  return built.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
}

/** Starts it; `stop()` ends it at once, as if its machine were gone. */
export async function start(...flags) {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SUDOKU_|PORT$)/.test(name)));
  const child = spawn(binary(), ['--port', '0', '--log-format', 'json', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const port = await new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stderr });
    lines.on('line', (line) => {
      const { message, addr } = JSON.parse(line);
      if (message === 'listening') resolve(Number(addr.split(':').at(-1)));
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}`)));
  });
  const stop = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { port, base: `http://127.0.0.1:${port}/`, stop };
}

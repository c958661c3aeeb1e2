// Checking as you type: waits until typing pauses, and drops the answers that came too late.

import { ProblemError, post } from './api.js';
import { request } from './puzzle.js';

const PAUSE = 250;
/** Answers come in a moment; only where one does not, that is worth a word. */
const SLOW = 600;

export class Checker {
  #on;
  #timer;
  #running = new AbortController();

  /** `on` has what is called: `answer(answer)`, `problem(problem)`, `wait(wait)` and `slow()`. */
  constructor(on) {
    this.#on = on;
  }

  /** Asks about this puzzle soon; what was asked before counts no more. */
  schedule(puzzle, pause = PAUSE) {
    this.stop();
    this.#timer = setTimeout(() => this.#check(puzzle), pause);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#running.abort();
  }

  async #check(puzzle) {
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    const slow = setTimeout(() => signal.aborted || this.#on.slow(), SLOW);
    const onWait = (wait) => {
      clearTimeout(slow);
      this.#on.wait(wait);
    };
    try {
      const answer = await post('validate', request(puzzle), { signal, onWait });
      if (!signal.aborted) this.#on.answer(answer);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProblemError)) throw error;
      this.#on.problem(error.problem);
    } finally {
      clearTimeout(slow);
    }
  }
}

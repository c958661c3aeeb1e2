// The board in the address. Typing replaces the address of the current entry; what brings another board makes a new
// entry, so that the back button brings back the one before.

import { decode, encode } from './fragment.js';
import { isSame } from './puzzle.js';

/** Browsers refuse more than about a hundred changes in half a minute. */
const PAUSE = 300;

export class Address {
  #timer;
  #pending = null;

  /** `arrive(puzzle)` and `fault(fault)` are told what someone brought into the address, by hand or by the back button. */
  constructor({ now, arrive, fault }) {
    addEventListener('hashchange', () => {
      // What was typed last belongs to the entry that was left.
      clearTimeout(this.#timer);
      this.#pending = null;
      const found = decode(location.hash);
      if (found.fault) fault(found.fault);
      else if (!isSame(found.puzzle, now())) arrive(found.puzzle);
    });
    addEventListener('pagehide', () => this.#write());
  }

  /** What the address holds at first. */
  static read() {
    return decode(location.hash);
  }

  replace(puzzle) {
    clearTimeout(this.#timer);
    this.#pending = puzzle;
    this.#timer = setTimeout(() => this.#write(), PAUSE);
  }

  push(puzzle) {
    this.#write();
    history.pushState(null, '', encode(puzzle) || location.pathname + location.search);
  }

  #write() {
    clearTimeout(this.#timer);
    if (this.#pending) history.replaceState(null, '', encode(this.#pending) || location.pathname + location.search);
    this.#pending = null;
  }
}

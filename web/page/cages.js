// The form and the list of the killer cages.

import { $, make, setText } from './dom.js';
import { say } from './language.js';
import { MOST_CAGES, cageFault, cellName, withCage, withCageAt, withoutCage } from './puzzle.js';

export class CageForm {
  #board;
  #now;
  #change;
  /** The place of the cage that is being edited, or null. */
  #editing = null;
  #message = null;

  /** `now()` gives the puzzle, `change(puzzle)` replaces it. */
  constructor({ board, now, change }) {
    this.#board = board;
    this.#now = now;
    this.#change = change;
    $('cage-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#save();
    });
    $('cage-cancel').addEventListener('click', () => this.#leave());
    $('cage-form').addEventListener('keydown', ({ key }) => key === 'Escape' && this.#leave());
    // With a mouse, drags select cells anyway; on touch screens they scroll the page unless cages are being drawn.
    $('cages').addEventListener('toggle', () => $('board').classList.toggle('drawing', $('cages').open));
  }

  /** Begins the sum of the selected cells with this digit. */
  type(digit) {
    $('cages').open = true;
    $('sum').value = digit;
    $('sum').focus();
  }

  /** The puzzle is another one: what was being edited may be gone. */
  forget() {
    this.#editing = null;
    this.#message = null;
    this.draw();
  }

  draw() {
    const { cages } = this.#now();
    setText($('sum-label'), this.#board.selected.size > 1 ? say('cage.selected', { count: this.#board.selected.size }) : say('cage.sum'));
    setText($('cage-save'), say(this.#editing === null ? 'cage.add' : 'cage.save'));
    $('cage-cancel').hidden = this.#editing === null;
    setText($('cage-message'), this.#message ? say(this.#message.key, this.#message) : '');
    const items = cages.map((cage, index) => [cage, index]).filter(([{ cells }, index]) => this.#concerns(cells, index));
    $('cage-list').replaceChildren(...items.map(([cage, index]) => this.#item(cage, index)));
  }

  /** Only the cages of the cells that are selected are listed: a killer has about thirty. */
  #concerns(cells, index) {
    return index === this.#editing || cells.some((cell) => this.#board.selected.has(cell));
  }

  #item({ cells, sum }, index) {
    const text = say('cage.item', { sum, count: cells.length, first: cellName(Math.min(...cells)) });
    const button = (what, act) => {
      const element = make('button', { type: 'button', textContent: say(`cage.${what}`) });
      element.ariaLabel = say(`cage.${what}.label`, { number: index + 1 });
      element.addEventListener('click', act);
      return element;
    };
    const item = make('li', {}, make('span', { textContent: text }));
    item.append(button('edit', () => this.#edit(index)), button('delete', () => this.#delete(index)));
    if (index === this.#editing) item.className = 'editing';
    return item;
  }

  #edit(index) {
    const { cells, sum } = this.#now().cages[index];
    this.#editing = index;
    this.#message = null;
    this.#board.select(cells, { focus: false });
    $('sum').value = sum ?? '';
    $('sum').focus();
    $('sum').select();
  }

  #delete(index) {
    this.#change(withoutCage(this.#now(), index));
    this.#message = { key: 'cage.deleted' };
    this.draw();
    // The button that had the focus is gone.
    this.#board.focus();
  }

  #save() {
    const text = $('sum').value.trim();
    const sum = text === '' ? null : Number(text);
    const cells = [...this.#board.selected];
    const isSum = sum === null || (Number.isInteger(sum) && sum >= 1 && sum <= 45);
    const full = this.#editing === null && this.#now().cages.length >= MOST_CAGES;
    const fault = full ? { key: 'cage.full' } : isSum ? cageFault({ cells, sum }) : { key: 'cage.notSum' };
    this.#message = fault;
    if (fault) {
      this.draw();
      return;
    }
    const cage = { cells, sum };
    const editing = this.#editing;
    this.#change(editing === null ? withCage(this.#now(), cage) : withCageAt(this.#now(), editing, cage));
    this.#message = { key: 'cage.added', count: cells.length };
    this.#leave();
  }

  #leave() {
    this.#editing = null;
    $('sum').value = '';
    this.#board.select([this.#board.cursor]);
    this.draw();
  }
}

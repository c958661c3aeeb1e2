// The board on the page: 81 cells as an ARIA grid with one tab stop, its lines, its cages, and the selection.

import { $, make, makeSvg, setText } from './dom.js';
import { say } from './language.js';
import { depths, outline } from './outline.js';
import { columnOf, rowOf } from './puzzle.js';

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const MARKS = ['clash', 'differ', 'dead', 'area'];

export class Board {
  /** The cell with the focus. */
  cursor = 0;
  /** Selected cells, in the order in which they were selected; the cursor is one of them. */
  selected = new Set([0]);

  #grid = $('board');
  #cells = [];
  #cages = null;
  #dragging = null;
  #on;

  /** `on` has what the board calls: `digit(digit)`, `erase()` and `select()`. */
  constructor(on) {
    this.#on = on;
    for (let row = 0; row < 9; row += 1) {
      const line = make('div', { role: 'row' });
      for (let column = 0; column < 9; column += 1) {
        const cell = make('div', { role: 'gridcell', className: 'cell', tabIndex: -1, data: { cell: 9 * row + column } });
        cell.setAttribute('aria-colindex', column + 1);
        this.#cells.push(cell);
        line.append(cell);
      }
      line.setAttribute('aria-rowindex', row + 1);
      this.#grid.append(line);
    }
    this.#cells[0].tabIndex = 0;
    this.#grid.addEventListener('keydown', (event) => this.#key(event));
    this.#grid.addEventListener('pointerdown', (event) => this.#press(event));
    this.#grid.addEventListener('pointermove', (event) => this.#drag(event));
    for (const end of ['pointerup', 'pointercancel']) this.#grid.addEventListener(end, () => (this.#dragging = null));
    this.#grid.addEventListener('focusin', ({ target }) => {
      const cell = Number(target.dataset.cell);
      if (cell !== this.cursor) this.select([cell]);
    });
    this.#grid.addEventListener('focusout', () => (this.#dragging = null));
  }

  /** Draws a puzzle, the solution shown in it or null, and marks: lists of cells by name. */
  draw(puzzle, solution, marks) {
    const marked = Object.fromEntries(MARKS.map((name) => [name, new Set(marks[name])]));
    for (const [cell, element] of this.#cells.entries()) {
      const given = puzzle.board[cell];
      const shown = given || (solution?.[cell] ?? 0);
      setText(element, shown ? String(shown) : '');
      element.classList.toggle('given', given !== 0);
      element.classList.toggle('solution', given === 0 && shown !== 0);
      for (const name of MARKS) element.classList.toggle(name, marked[name].has(cell));
      element.ariaLabel = this.#label(cell, puzzle, given, shown, marked);
    }
    // They are many, and stay as they are while digits come and go.
    if (puzzle.cages !== this.#cages) this.#drawLines(puzzle.cages);
    this.#cages = puzzle.cages;
  }

  #label(cell, puzzle, given, shown, marked) {
    const what = given ? 'given' : shown ? 'solution' : 'empty';
    const cages = puzzle.cages.filter(({ cells }) => cells.includes(cell));
    return [
      say(`cell.${what}`, { row: rowOf(cell) + 1, column: columnOf(cell) + 1, digit: shown }),
      ...cages.map(({ sum }) => say('cell.cage', { sum })),
      ...MARKS.filter((name) => marked[name].has(cell)).map((name) => say(`cell.${name}`)),
    ].join(', ');
  }

  #drawLines(cages) {
    const level = depths(cages);
    const inset = (index) => 0.07 + 0.05 * (level[index] % 4);
    const rules = (at) => at.map((n) => `M${n} 0V9M0 ${n}H9`).join('');
    $('lines').replaceChildren(
      makeSvg('path', { class: 'thin', d: rules([1, 2, 4, 5, 7, 8]) }),
      makeSvg('path', { class: 'thick', d: rules([3, 6]) }),
      ...cages.map(({ cells }, index) => makeSvg('path', { class: 'cage', d: outline(cells, inset(index)) })),
    );
    const sums = cages.map(({ cells, sum }, index) => {
      const first = Math.min(...cells);
      const element = make('span', { className: 'sum', textContent: sum ?? '' });
      element.style.setProperty('--x', columnOf(first) + inset(index));
      element.style.setProperty('--y', rowOf(first) + inset(index));
      // Sums of cages that begin in the same cell stand beside each other.
      element.style.setProperty('--beside', level[index]);
      return element;
    });
    $('sums').replaceChildren(...sums.filter((element) => element.textContent !== ''));
  }

  /** Selects these cells, the last of them with the cursor. */
  select(cells, { focus = true } = {}) {
    this.selected = new Set(cells);
    this.#cells[this.cursor].tabIndex = -1;
    this.cursor = cells.at(-1) ?? this.cursor;
    this.selected.add(this.cursor);
    this.#cells[this.cursor].tabIndex = 0;
    for (const [cell, element] of this.#cells.entries()) {
      const selected = this.selected.has(cell);
      element.ariaSelected = String(selected);
      // A single cell has the focus ring already.
      element.classList.toggle('selected', selected && this.selected.size > 1);
      element.classList.toggle('cursor', cell === this.cursor);
    }
    if (focus) this.focus();
    this.#on.select();
  }

  focus() {
    this.#cells[this.cursor].focus({ preventScroll: this.#dragging !== null });
  }

  #key(event) {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (metaKey || altKey) return;
    const arrow = ARROWS[key];
    if (arrow && !ctrlKey) this.#move(arrow, shiftKey);
    else if (key === 'Home' || key === 'End') this.#jump(key, ctrlKey);
    else if (ctrlKey) return;
    else if (/^[1-9]$/.test(key)) this.#on.digit(Number(key));
    else if (['0', ' ', 'Backspace', 'Delete', '.'].includes(key)) this.#on.erase();
    else if (key === 'Escape') this.select([this.cursor]);
    else return;
    event.preventDefault();
  }

  #move([down, right], extend) {
    const row = rowOf(this.cursor) + down;
    const column = columnOf(this.cursor) + right;
    if (row < 0 || row > 8 || column < 0 || column > 8) return;
    const next = 9 * row + column;
    this.select(extend ? reordered(this.selected, next) : [next]);
  }

  #jump(key, board) {
    const row = board ? (key === 'Home' ? 0 : 8) : rowOf(this.cursor);
    this.select([9 * row + (key === 'Home' ? 0 : 8)]);
  }

  #press(event) {
    const cell = this.#cellAt(event);
    if (cell === null || event.button !== 0) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      const others = [...this.selected].filter((other) => other !== cell);
      const wasSelected = this.selected.has(cell) && others.length > 0;
      this.select(wasSelected ? others : [...others, cell]);
    } else {
      this.select(event.shiftKey ? reordered(this.selected, cell) : [cell]);
    }
    this.#dragging = cell;
    // So that a drag that leaves the board goes on when it comes back.
    if (event.pointerType === 'mouse') this.#grid.setPointerCapture(event.pointerId);
  }

  #drag(event) {
    if (this.#dragging === null) return;
    // A fast pointer skips cells between two events; the browser knows where it was.
    const events = event.getCoalescedEvents?.() ?? [];
    for (const moment of [...events, event]) {
      const cell = this.#cellAt(moment);
      if (cell === null || cell === this.#dragging) continue;
      this.#dragging = cell;
      this.select(reordered(this.selected, cell));
    }
  }

  #cellAt({ clientX, clientY }) {
    const { left, top, width, height } = this.#grid.getBoundingClientRect();
    const column = Math.floor((9 * (clientX - left)) / width);
    const row = Math.floor((9 * (clientY - top)) / height);
    return row < 0 || row > 8 || column < 0 || column > 8 ? null : 9 * row + column;
  }
}

/** The cells with this one as the last. */
const reordered = (cells, last) => [...[...cells].filter((cell) => cell !== last), last];

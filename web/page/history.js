// Undo and redo, over whole puzzles: they are small, and nothing can be forgotten.

const MOST = 1000;

export class History {
  #past = [];
  #future = [];

  constructor(present) {
    this.present = present;
  }

  push(next) {
    this.#past.push(this.present);
    if (this.#past.length > MOST) this.#past.shift();
    this.#future = [];
    this.present = next;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo() {
    if (!this.canUndo) return false;
    this.#future.push(this.present);
    this.present = this.#past.pop();
    return true;
  }

  redo() {
    if (!this.canRedo) return false;
    this.#past.push(this.present);
    this.present = this.#future.pop();
    return true;
  }
}

// The card with the verdict: what is known of the board, or why nothing is known yet.

import { $, make, setText } from './dom.js';
import { onLanguage, say } from './language.js';

const BLANK = { tone: 'start', title: '', lines: [], figures: '', marks: {}, solutions: [] };

export class VerdictCard {
  /** What is shown; made anew where the language changes. */
  view = BLANK;

  #make = () => BLANK;
  #onSolution;
  #countdown;

  /** `onSolution(digits or null)` is called when a solution is asked for, or no more. */
  constructor({ onSolution }) {
    this.#onSolution = onSolution;
    for (const button of $('shown').children) {
      button.addEventListener('click', () => this.#toggle(button));
    }
    onLanguage(() => this.#draw());
  }

  /** Shows what `makeView()` gives. */
  show(makeView) {
    this.#make = makeView;
    this.#release();
    this.#draw();
  }

  /** The board has changed, and nothing is known of it yet: what is shown fades until it is replaced. */
  fade() {
    this.#release();
    $('card').classList.add('stale');
  }

  /** Shows that a question is asked again in some seconds, or when `now()` is called. */
  wait({ busy, seconds, now }) {
    const kind = busy ? 'busy' : 'down';
    const left = { seconds };
    this.show(() => ({
      ...BLANK,
      tone: 'problem',
      title: say(`retry.${kind}`),
      lines: [say(`retry.${kind}.text`)],
      figures: say('retry.in', left),
    }));
    const retry = $('retry');
    retry.hidden = false;
    retry.onclick = () => {
      this.#release();
      now();
    };
    this.#countdown = setInterval(() => {
      left.seconds = Math.max(0, left.seconds - 1);
      setText($('figures'), say('retry.in', left));
    }, 1000);
  }

  #release() {
    clearInterval(this.#countdown);
    $('shown').hidden = true;
    // Its focus would be lost with it.
    if (document.activeElement === $('retry')) $('solve').focus();
    $('retry').hidden = true;
    for (const button of $('shown').children) button.ariaPressed = 'false';
  }

  #draw() {
    this.view = this.#make();
    const { tone, title, lines, figures, solutions } = this.view;
    $('card').classList.remove('stale');
    $('card').dataset.tone = tone;
    const texts = [title, ...lines];
    // The same words are not said twice.
    if (texts.join('\n') !== [...$('verdict').children].map((child) => child.textContent).join('\n')) {
      $('verdict').replaceChildren(make('h2', {}, title), ...lines.map((text) => make('p', {}, text)));
    }
    setText($('figures'), figures);
    $('shown').hidden = solutions.length < 2;
  }

  #toggle(button) {
    const show = button.ariaPressed !== 'true';
    for (const other of $('shown').children) other.ariaPressed = String(other === button && show);
    this.#onSolution(show ? this.view.solutions[button.dataset.solution] : null);
  }
}

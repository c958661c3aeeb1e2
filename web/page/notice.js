// Short notes at the edge of the page, over it, so that nothing moves.

import { $, make } from './dom.js';
import { onLanguage, say } from './language.js';

/** How long a note stays that only confirms what was asked for. */
const BRIEF = 4000;

let current = null;
let timer;

/** Shows a message: a key with its parameters. What went wrong stays until it is closed or done with. */
export function notify(message, { brief = false } = {}) {
  current = message;
  clearTimeout(timer);
  if (brief) timer = setTimeout(dismiss, BRIEF);
  draw();
}

export function dismiss() {
  current = null;
  draw();
}

function draw() {
  $('notice').replaceChildren();
  if (!current) return;
  const close = make('button', { type: 'button', textContent: say('notice.close') });
  close.addEventListener('click', dismiss);
  $('notice').append(make('p', {}, say(current.key, current)), close);
}

onLanguage(draw);

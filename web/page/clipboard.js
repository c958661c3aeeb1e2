// Copying and pasting.

import { $ } from './dom.js';
import { say } from './language.js';
import { notify } from './notice.js';
import { read } from './paste.js';

export async function copy(text) {
  const done = (await write(text)) || writeOldWay(text);
  notify({ key: done ? 'copied' : 'copy.failed' }, { brief: done });
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Where the page came over plain HTTP from another machine, browsers know no other way. */
function writeOldWay(text) {
  const before = document.activeElement;
  const field = Object.assign(document.createElement('textarea'), { value: text, className: 'offscreen' });
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  before?.focus();
  return done;
}

/** Pasting anywhere and by the dialog; `use(puzzle)` gets what was read, `text()` gives what is copied. */
export function bindClipboard({ use, text }) {
  const dialog = $('paste-dialog');
  const field = $('paste-text');
  const tell = (fault) => ($('paste-message').textContent = fault ? say(fault.key, fault) : '');

  document.addEventListener('paste', (event) => {
    const pasted = event.clipboardData.getData('text/plain');
    // A number is for the field; a board is for the board, wherever it is pasted.
    if (event.target === $('sum') && pasted.trim().length <= 2) return;
    const { puzzle, fault } = read(pasted);
    if (event.target === field) {
      // Megabytes of text would only make the field slow; anything shorter may be mended in it.
      if (fault?.key !== 'read.tooLong') return;
      tell(fault);
    } else if (fault) {
      notify(fault);
    } else {
      use(puzzle);
    }
    event.preventDefault();
  });

  document.addEventListener('copy', (event) => {
    if (!$('board').contains(document.activeElement) || String(getSelection()) !== '') return;
    event.clipboardData.setData('text/plain', text());
    event.preventDefault();
  });

  $('paste').addEventListener('click', () => {
    field.value = '';
    tell(null);
    dialog.showModal();
    field.focus();
  });
  $('paste-cancel').addEventListener('click', () => dialog.close());
  dialog.querySelector('form').addEventListener('submit', (event) => {
    const { puzzle, fault } = read(field.value);
    tell(fault);
    if (fault) event.preventDefault();
    else use(puzzle);
  });
}

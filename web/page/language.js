// The language of the page: the reader's, or the one chosen before. The HTML is English; other languages replace the
// texts of elements that have a key (`data-t`), and English puts back what was there.

import en from './en.js';
import ko from './ko.js';

const DICTIONARIES = { en, ko };
const STORED = 'sudoku-language';
const TARGETS = { t: 'textContent', tLabel: 'ariaLabel', tContent: 'content' };

const original = new WeakMap();
const listeners = [];
let language = 'en';

/** A text by its key, in the current language. */
export function say(key, parameters = {}) {
  const text = DICTIONARIES[language][key] ?? DICTIONARIES.en[key] ?? key;
  return typeof text === 'function' ? text(parameters, number) : text;
}

export const has = (key) => key in DICTIONARIES.en;

export const number = (value) => value.toLocaleString(language);

/** A time in microseconds, in the unit that reads best. */
export function time(microseconds) {
  if (microseconds < 1000) return `${number(microseconds)}\u00a0µs`;
  const [value, unit] = microseconds < 1_000_000 ? [microseconds / 1000, 'ms'] : [microseconds / 1_000_000, 's'];
  return `${value.toLocaleString(language, { maximumSignificantDigits: 3 })}\u00a0${unit}`;
}

/** Calls back whenever the language changes. */
export const onLanguage = (listener) => listeners.push(listener);

function use(next) {
  language = next;
  document.documentElement.lang = next;
  for (const [name, property] of Object.entries(TARGETS)) {
    const attribute = `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      const texts = original.get(element) ?? original.set(element, {}).get(element);
      texts[property] ??= element[property];
      element[property] = next === 'en' ? texts[property] : say(element.dataset[name]);
    }
  }
  for (const button of document.querySelectorAll('[data-language]')) {
    button.ariaPressed = String(button.dataset.language === next);
  }
  listeners.forEach((listener) => listener());
}

// Storage may be forbidden; then the choice holds for this visit.
function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function choose(next) {
  use(next);
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // As above.
  }
}

const preferred = () => (navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en');
const known = (name) => (name in DICTIONARIES ? name : null);

for (const button of document.querySelectorAll('[data-language]')) {
  button.addEventListener('click', () => choose(button.dataset.language));
}
addEventListener('storage', ({ key, newValue }) => {
  if (key === STORED && known(newValue)) use(newValue);
});
use(known(stored()) ?? preferred());

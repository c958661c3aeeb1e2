// Elements, without markup in strings: the content security policy forbids that, and nothing pasted can become markup.

export const $ = (id) => document.getElementById(id);

/** A new element with properties (`data` for its data attributes) and children. */
export function make(tag, { data = {}, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

export function makeSvg(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Sets a text only where it differs, so that live regions speak once. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

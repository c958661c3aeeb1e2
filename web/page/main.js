// The page: one puzzle with its history, and everything that shows it or changes it.

import { Address } from './address.js';
import { ProblemError, post } from './api.js';
import { Board } from './board.js';
import { CageForm } from './cages.js';
import { compare, drawChart, hideChart, winners } from './chart.js';
import { Checker } from './checker.js';
import { bindClipboard, copy } from './clipboard.js';
import { $, make, setText } from './dom.js';
import { EXAMPLES } from './examples.js';
import { encode } from './fragment.js';
import { History } from './history.js';
import { onLanguage, say } from './language.js';
import { dismiss, notify } from './notice.js';
import { EMPTY, digits, isEmpty, isSame, line, request, withDigit } from './puzzle.js';
import { VerdictCard } from './verdict-card.js';
import { ofProblem, ofSolution, ofValidation } from './verdict.js';

const found = Address.read();
const history = new History(found.puzzle ?? EMPTY);
const now = () => history.present;

/** The solution shown in the empty cells, or null. */
let solution = null;
/** What runs at the moment: the button that started it, and what stops it. */
let running = null;

const card = new VerdictCard({
  onSolution: (shown) => {
    solution = shown;
    draw();
  },
});
const board = new Board({
  digit: type,
  erase: () => change(withDigit(now(), board.selected, 0)),
  select: () => cageForm?.draw(),
});
const cageForm = new CageForm({ board, now, change });
const checker = new Checker({
  answer: (answer) => tell(() => ofValidation(answer, now())),
  problem: (problem) => tell(() => ofProblem(problem, now())),
  wait: (wait) => card.wait(wait),
  slow: () => tell(() => words('start', 'verdict.checking')),
});
const address = new Address({ now, arrive: (puzzle) => arrive(puzzle), fault: notify });

// Changes

/** Replaces the puzzle. A `whole` other board is a new entry for the back button. */
function change(puzzle, { whole = false } = {}) {
  if (isSame(puzzle, now())) return;
  if (whole) address.push(puzzle);
  else address.replace(puzzle);
  arrive(puzzle);
}

function arrive(puzzle) {
  history.push(puzzle);
  settle();
}

function travel(moved) {
  if (!moved) return;
  address.replace(now());
  settle();
}

/** The puzzle is another one: nothing that was known of it holds. */
function settle() {
  running?.abort.abort();
  solution = null;
  hideChart();
  dismiss();
  cageForm.forget();
  check();
  draw();
}

function type(digit) {
  if (board.selected.size > 1) cageForm.type(digit);
  else change(withDigit(now(), [board.cursor], digit));
}

// Verdicts

function check() {
  if (isEmpty(now())) {
    checker.stop();
    tell(() => words('start', 'verdict.start', 'verdict.start.text'));
  } else {
    card.fade();
    checker.schedule(now());
  }
}

function tell(makeView) {
  card.show(makeView);
  draw();
}

function words(tone, title, text, parameters) {
  return { tone, title: say(title), lines: text ? [say(text, parameters)] : [], figures: '', marks: {}, solutions: [] };
}

/** Runs something long under a button, which stops it while it runs. */
async function run(button, task) {
  if (running) {
    const { button: other, abort } = running;
    abort.abort();
    if (other === button) tell(() => words('start', 'verdict.cancelled', 'verdict.cancelled.text'));
    if (other === button) return;
  }
  checker.stop();
  const abort = new AbortController();
  const { signal } = abort;
  running = { button, abort };
  draw();
  try {
    await task({ signal, onWait: (wait) => card.wait(wait) });
  } catch (error) {
    if (!signal.aborted && !(error instanceof ProblemError)) throw error;
    if (!signal.aborted) tell(() => ofProblem(error.problem, now()));
  } finally {
    if (running?.abort === abort) running = null;
    draw();
  }
}

const solve = async (how) => {
  solution = null;
  hideChart();
  tell(() => words('start', 'verdict.solving'));
  const answer = await post('solve', request(now()), how);
  solution = digits(answer.solution);
  tell(() => ofSolution(answer));
};

const compareAll = async (how) => {
  solution = null;
  $('chart').hidden = false;
  const onRun = (name) => tell(() => words('start', 'verdict.comparing', 'verdict.comparing.text', { name }));
  await compare(now(), { ...how, onRun });
  tell(() => {
    const best = winners();
    const lines = best ? [say('verdict.compared.nodes', best), say('verdict.compared.time', best)] : [];
    return { ...words('compared', 'verdict.compared'), lines };
  });
};

// What is shown

function draw() {
  const puzzle = now();
  board.draw(puzzle, solution, card.view.marks);
  $('undo').ariaDisabled = String(!history.canUndo);
  $('redo').ariaDisabled = String(!history.canRedo);
  setText($('solve'), say(running?.button === $('solve') ? 'solve.cancel' : 'solve.start'));
  setText($('compare'), say(running?.button === $('compare') ? 'compare.cancel' : 'compare.start'));
  const shown = isEmpty(puzzle) ? EXAMPLES[0].puzzle : puzzle;
  const body = { ...request(shown), board: line(shown.board) };
  const url = new URL('solve', document.baseURI).href;
  setText($('curl'), `curl ${url} -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`);
}

function build() {
  for (const digit of [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]) {
    const key = make('button', { type: 'button', textContent: digit || '⌫', data: { digit } });
    // The board keeps the focus, so that pad and keyboard go together.
    key.addEventListener('pointerdown', (event) => event.preventDefault());
    key.addEventListener('click', () => (digit ? type(digit) : change(withDigit(now(), board.selected, 0))));
    $('pad').append(key);
  }
  for (const { name, puzzle } of EXAMPLES) {
    $('examples').querySelector(`[data-example=${name}]`).addEventListener('click', () => change(puzzle, { whole: true }));
  }
  const actions = {
    undo: () => travel(history.undo()),
    redo: () => travel(history.redo()),
    clear: () => change(EMPTY, { whole: true }),
    solve: () => run($('solve'), solve),
    compare: () => run($('compare'), compareAll),
    'copy-line': () => copy(line(now().board)),
    'copy-json': () => copy(JSON.stringify(request(now()), null, 2)),
    'copy-link': () => copy(new URL(encode(now()) || './', location.href).href),
  };
  for (const [id, act] of Object.entries(actions)) $(id).addEventListener('click', act);
  bindClipboard({ use: (puzzle) => change(puzzle, { whole: true }), text: () => line(now().board) });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    board.focus();
  });
}

document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches('input, textarea')) return;
  const key = event.key.toLowerCase();
  if (key === 'z') travel(event.shiftKey ? history.redo() : history.undo());
  else if (key === 'y') travel(history.redo());
  else return;
  event.preventDefault();
});

function translate() {
  for (const key of $('pad').children) {
    const digit = Number(key.dataset.digit);
    key.ariaLabel = digit ? say('pad.digit', { digit }) : say('pad.erase');
  }
  cageForm.draw();
  drawChart();
  draw();
}

build();
board.select([0], { focus: false });
check();
onLanguage(translate);
translate();
if (found.fault) notify(found.fault);

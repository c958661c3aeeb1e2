// Asking the service. What can be answered later is asked again: the service keeps no state, so that is always safe.

/** An answer that is a problem document (RFC 9457). */
export class ProblemError extends Error {
  constructor(problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** How long an answer may take; the service's own limits are far below. */
const PATIENCE = 30_000;
const LONGEST_WAIT = 30;

/**
 * Posts a request and gives its answer. While the service is busy (503) or out of reach, `onWait({ busy, seconds, now })`
 * is told about each wait, where `now` ends it, and the request is sent again.
 */
export async function post(path, body, { signal, onWait }) {
  for (let attempt = 0; ; attempt += 1) {
    const { answer, retryAfter } = await send(path, body, signal);
    if (answer) return answer;
    const seconds = Math.min(LONGEST_WAIT, Math.max(retryAfter ?? 0, 2 ** attempt));
    await pause(seconds, signal, (now) => onWait({ busy: retryAfter !== null, seconds, now }));
  }
}

async function send(path, body, signal) {
  let response;
  let text;
  try {
    response = await fetch(new URL(path, document.baseURI), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    text = await response.text();
  } catch {
    signal.throwIfAborted();
    return { retryAfter: null };
  }
  if (response.status === 503) return { retryAfter: Number(response.headers.get('retry-after')) || 1 };
  // A proxy in between may answer with something else; that is no word of the service.
  const answer = parse(text);
  if (response.ok && answer) return { answer };
  if (typeof answer?.type === 'string') throw new ProblemError(answer);
  if (response.status >= 500) return { retryAfter: null };
  throw new ProblemError({ type: 'unknown', status: response.status });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pause(seconds, signal, announce) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(end, 1000 * seconds);
    signal.addEventListener('abort', abort, { once: true });
    announce(end);
  });
}

// The contract, made readable by RapiDoc, in the colours of the page. Requests go to where this page came from,
// whatever path prefix a proxy puts before it, and nothing is loaded from anywhere else.

const base = new URL('.', document.baseURI).href.replace(/\/$/, '');
const dark = matchMedia('(prefers-color-scheme: dark)');

function colours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme: dark.matches ? 'dark' : 'light',
    'bg-color': colour('paper'),
    'text-color': colour('ink'),
    'primary-color': colour('accent'),
    'header-color': colour('paper'),
    'nav-bg-color': colour('paper'),
    'nav-text-color': colour('soft'),
    'nav-hover-bg-color': colour('wash'),
    'nav-hover-text-color': colour('ink'),
    'nav-accent-color': colour('accent'),
  };
}

const attributes = {
  'spec-url': `${base}/openapi.yaml`,
  'server-url': base,
  'default-api-server': base,
  'render-style': 'read',
  'show-header': 'false',
  'show-info': 'true',
  'allow-authentication': 'false',
  'allow-server-selection': 'false',
  'allow-spec-file-load': 'false',
  'allow-spec-url-load': 'false',
  'load-fonts': 'false',
  'regular-font': 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  'mono-font': 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  'font-size': 'large',
  'nav-item-spacing': 'relaxed',
  'schema-style': 'table',
  'schema-description-expanded': 'true',
};

const reference = document.createElement('rapi-doc');
const set = (all) => Object.entries(all).forEach(([name, value]) => reference.setAttribute(name, value));
set({ ...attributes, ...colours() });
dark.addEventListener('change', () => set(colours()));
document.getElementById('reference').append(reference);

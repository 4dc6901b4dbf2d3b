import { type ComponentChildren, h as make, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Page, RefusedRequest } from './api.ts';
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
  return { value: state.value, error: state.error, reload: () => setRound(round + 1) };
};

/** The pages of a list that were loaded so far. */
export interface Pages<T> {
  readonly items: readonly T[] | undefined;
  readonly error: unknown;
  /** Loads the next page; undefined if there is none. */
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
}

/** Loads the first page of a list when it is shown or when what it depends on changes, after a wait; the others when somebody asks for them. */
export const usePages = <T>(
  load: (next: string | undefined) => Promise<Page<T>>,
  dependencies: readonly unknown[],
  waitMilliseconds = 0,
): Pages<T> => {
  const [loaded, setLoaded] = useState<Partial<Page<T>>>({});
  const [error, setError] = useState<unknown>(undefined);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    const show = async () => {
      try {
        const page = await load(undefined);
        if (!isShown) return;
        setLoaded(page);
        setError(undefined);
      } catch (refusal) {
        if (isShown) setError(refusal);
      }
    };
    const timer = setTimeout(() => void show(), waitMilliseconds);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [...dependencies, round]);
  const { items, next } = loaded;
  const more = () =>
    void load(next).then((page) => setLoaded({ items: [...(items ?? []), ...page.items], next: page.next }), setError);
  return { items, error, more: next === undefined ? undefined : more, reload: () => setRound(round + 1) };
};

/** The rows of a list as far as they are loaded, with a button for more; what is said where there are none. */
export const pagesView = <T>(
  { items, error, more }: Pages<T>,
  view: { readonly label: string; readonly heads: readonly string[]; readonly row: (item: T) => ComponentChildren[] },
  empty: ComponentChildren,
): ComponentChildren => {
  if (items === undefined && error === undefined) return el('p', { class: 'hint', role: 'status' }, words.loading);
  return [
    h(Refused, { error }),
    items?.length === 0 && !more && empty,
    items && items.length > 0 && table(view.label, view.heads, items.map(view.row)),
    more && el('p', null, el('button', { type: 'button', onClick: more }, words.more)),
  ];
};

/** The sentence of a refusal, as the service says it. */
export const Refused = ({
  error,
  failed = words.failed,
}: {
  readonly error: unknown;
  /** What is said where the service could not say anything. */
  readonly failed?: string;
}): VNode | null => {
  if (error === undefined) return null;
  const text = error instanceof RefusedRequest ? error.message : failed;
  return el('p', { class: 'refusal', role: 'alert' }, text);
};

/** Shows what was loaded, or why not. */
export const loadedView = <T>(
  { value, error }: Loaded<T>,
  view: (value: T) => ComponentChildren,
): ComponentChildren => {
  if (error !== undefined) return h(Refused, { error });
  return value === undefined ? el('p', { class: 'hint', role: 'status' }, words.loading) : view(value);
};

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

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from './api.ts';
import { el, h, Refused, table } from './elements.ts';
import { words } from './words.ts';

/** The pages of a list that were loaded so far. */
export interface Pages<T> {
  readonly items: readonly T[] | undefined;
  readonly error: unknown;
  /** Loads the next page; undefined if there is none. */
  readonly more: (() => void) | undefined;
  /** The same without being asked; undefined also after a failure and after many pages that brought nothing. */
  readonly flow: (() => void) | undefined;
  readonly reload: () => void;
}

interface State<T> {
  readonly items?: readonly T[];
  readonly next?: string | undefined;
  /** How many pages have brought nothing since somebody asked for more or one brought something. */
  readonly emptyPages?: number;
  readonly error?: unknown;
}

/** How many pages that bring nothing are loaded unasked, one after the other. */
const emptyPagesMax = 10;

/** Loads the first page of a list when it is shown or when what it depends on changes, after a wait; the others when somebody asks for them. */
export const usePages = <T>(
  load: (next: string | undefined) => Promise<Page<T>>,
  dependencies: readonly unknown[],
  waitMilliseconds = 0,
): Pages<T> => {
  const [state, setState] = useState<State<T>>({});
  const [round, setRound] = useState(0);
  // What is being waited for: an answer for something else is dropped, and nothing is asked twice.
  const waiting = useRef<object | undefined>(undefined);
  const ask = async (before: State<T>) => {
    const mine = {};
    waiting.current = mine;
    const answer = await load(before.next).then(
      ({ items, next }): State<T> => ({
        items: [...(before.items ?? []), ...items],
        next,
        emptyPages: items.length > 0 ? 0 : (before.emptyPages ?? 0) + 1,
      }),
      (error: unknown) => ({ ...before, error }),
    );
    if (waiting.current !== mine) return;
    waiting.current = undefined;
    setState(answer);
  };
  useEffect(() => {
    waiting.current = {};
    const timer = setTimeout(() => void ask({}), waitMilliseconds);
    return () => {
      waiting.current = undefined;
      clearTimeout(timer);
    };
  }, [...dependencies, round]);
  const { items, next, error, emptyPages = 0 } = state;
  const goOn = (from: State<T>) => () => {
    if (!waiting.current) void ask(from);
  };
  const hasMore = next !== undefined;
  const isFlowing = hasMore && error === undefined && emptyPages < emptyPagesMax;
  const reload = () => {
    if (error !== undefined) setState({});
    setRound(round + 1);
  };
  return {
    items,
    error,
    more: hasMore ? goOn({ ...state, emptyPages: 0 }) : undefined,
    flow: isFlowing ? goOn(state) : undefined,
    reload,
  };
};

/** Whether somebody goes through an element by keyboard. */
const isWalkedBy = (element: Element): boolean => {
  const at = document.activeElement;
  return at !== null && element.contains(at) && at.matches(':focus-visible');
};

/** A list as far as it is loaded. Where it comes into view, the button at its end is as good as pressed, but not by keyboard: rows that grow would keep it from going on. */
const Growing = ({
  pages: { items, more, flow },
  isEndless,
  children,
}: {
  readonly pages: Pages<unknown>;
  readonly isEndless: boolean;
  readonly children?: ComponentChildren;
}): VNode => {
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isEndless || !flow || !button.current) return undefined;
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting) && list.current && !isWalkedBy(list.current)) flow();
    });
    watch.observe(button.current);
    return () => watch.disconnect();
  }, [items]);
  return el(
    'div',
    { ref: list },
    children,
    more && el('p', null, el('button', { ref: button, type: 'button', onClick: more }, words.more)),
  );
};

/** The rows of a list as far as they are loaded, with a button for more; what is said where there are none. */
export const pagesView = <T>(
  pages: Pages<T>,
  view: {
    readonly label: string;
    readonly heads: readonly string[];
    readonly row: (item: T) => ComponentChildren[];
    /** Whether it grows when somebody scrolls to its end: nothing may stand below it then. */
    readonly isEndless?: boolean;
  },
  empty: ComponentChildren,
): ComponentChildren => {
  const { items, error, more, reload } = pages;
  if (items === undefined && error === undefined) return el('p', { class: 'hint', role: 'status' }, words.loading);
  return [
    h(Refused, { error, again: items ? undefined : reload }),
    items?.length === 0 && (more ? el('p', { role: 'status' }, words.noneSoFar) : empty),
    h(
      Growing,
      { pages, isEndless: view.isEndless === true },
      items && items.length > 0 && table(view.label, view.heads, items.map(view.row)),
    ),
  ];
};

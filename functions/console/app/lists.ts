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
  /** Whether the page before brought something: only then is the next one loaded unasked. */
  readonly isFlowing: boolean;
  readonly reload: () => void;
}

interface State<T> {
  readonly items?: readonly T[];
  readonly next?: string | undefined;
  readonly isFlowing?: boolean;
  readonly error?: unknown;
}

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
        isFlowing: items.length > 0,
      }),
      (error: unknown) => ({ ...before, isFlowing: false, error }),
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
  const { items, next, error, isFlowing = false } = state;
  const more = () => {
    if (!waiting.current) void ask(state);
  };
  const reload = () => {
    if (error !== undefined) setState({});
    setRound(round + 1);
  };
  return {
    items,
    error,
    isFlowing,
    more: next === undefined ? undefined : more,
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
  pages: { items, more, isFlowing },
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
    if (!isEndless || !isFlowing || !button.current) return undefined;
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting) && list.current && !isWalkedBy(list.current)) more?.();
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
    items?.length === 0 && !more && empty,
    h(
      Growing,
      { pages, isEndless: view.isEndless === true },
      items && items.length > 0 && table(view.label, view.heads, items.map(view.row)),
    ),
  ];
};

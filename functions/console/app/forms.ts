import { type ComponentChildren, Fragment, h as make, type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { el, h, Refused } from './elements.ts';
import { words } from './words.ts';

type Props = Readonly<Record<string, unknown>>;

/** A field of a form, with its label. */
export const field = (label: string, props: Props): VNode =>
  el('label', null, label, el('input', { autocomplete: 'off', ...props }));

/** A field of a form that takes one of several texts. An empty text is shown as another one. */
export const choice = (label: string, { defaultValue, ...props }: Props, texts: readonly string[], empty = ''): VNode =>
  el(
    'label',
    null,
    label,
    el(
      'select',
      props,
      texts.map((text) => el('option', { value: text, key: text, selected: text === defaultValue }, text || empty)),
    ),
  );

/** A field of a form that takes several lines. */
export const area = (label: string, props: Props): VNode =>
  el('label', null, label, el('textarea', { rows: 3, ...props }));

/** Fields that begin with what is stored, and begin anew when something else is. What the form around them says stays. */
export const storedFields = (stored: unknown, ...fields: readonly ComponentChildren[]): VNode =>
  make(Fragment, { key: JSON.stringify(stored ?? null) }, ...fields);

/** A form whose fields are texts, by their names. It shows the refusal of what it does. */
export const Form = ({
  label,
  run,
  done,
  failed = words.failed,
  children,
}: {
  readonly label: string;
  /** What is said if the service could not be reached. */
  readonly failed?: string;
  /** What is said after a success. */
  readonly done?: string;
  readonly run: (fields: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly children?: ComponentChildren;
}): VNode => {
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
    );
    setBusy(true);
    setError(undefined);
    setDone(false);
    run(fields)
      .then(() => setDone(true), setError)
      .finally(() => setBusy(false));
  };
  return el(
    'form',
    { onSubmit },
    children,
    el('button', { type: 'submit', disabled: isBusy }, label),
    h(Refused, { error, failed }),
    done !== undefined && isDone && el('p', { role: 'status' }, done),
  );
};

import type { VNode } from 'preact';
import type { getRepository, updateRepository } from '../../../repositories/contracts.ts';
import { change, part, type Result } from '../api.ts';
import { Action, el, facts, h } from '../elements.ts';
import { area, choice, Form, field, storedFields } from '../forms.ts';
import type { Place } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';

type Gate = NonNullable<Extract<Result<typeof getRepository>, { repositoryType: 'remote' }>['releaseGate']>;

/** What stands in the form of a repository without a gate. */
const proposed: Gate = {
  mode: 'observe',
  minimumAgeHours: 72,
  frozenAt: null,
  untimed: 'firstSeen',
  exempt: [],
  blockSeverity: null,
  withdrawnUpstream: 'hold',
};

const modes: readonly Gate['mode'][] = ['enforce', 'observe'];
const untimed: readonly Gate['untimed'][] = ['firstSeen', 'hold', 'pass'];
const advised = ['', 'critical', 'high'];
const withdrawn: readonly Gate['withdrawnUpstream'][] = ['hold', 'serve'];

/** A gate in a few words. */
const summaryOf = (gate: Gate | undefined): string => {
  if (!gate) return words.gateOff;
  const parts = [
    words.gateAge(gate.minimumAgeHours),
    ...(gate.frozenAt ? [words.gateFrozen(timeText(gate.frozenAt))] : []),
    ...(gate.mode === 'observe' ? [`(${words.gateObserves})`] : []),
  ];
  return parts.join(' ');
};

/** What a freeze does beside holding back what is published later. */
const freezeText = (gate: Gate | undefined): string => {
  if (!gate) return `${words.freezeWhy} ${words.freezeTurnsOn(proposed.minimumAgeHours)}`;
  return gate.mode === 'observe' ? `${words.freezeWhy} ${words.freezeObserves}` : words.freezeWhy;
};

const factsOf = (gate: Gate): VNode =>
  facts(words.gate, [
    [words.gateMode, gate.mode],
    [words.minimumAge, gate.minimumAgeHours],
    [words.frozenAt, gate.frozenAt ? timeText(gate.frozenAt) : '–'],
    [words.untimed, gate.untimed],
    [words.exempt, gate.exempt.join(', ') || '–'],
    [words.advised, gate.blockSeverity ?? words.malwareAlone],
    [words.withdrawn, gate.withdrawnUpstream],
  ]);

/** The gate that the fields of the form say; null turns it off. */
const gateIn = (fields: Readonly<Record<string, string>>): Gate | null => {
  const { mode = '', minimumAgeHours, frozenAt = '', exempt = '' } = fields;
  if (mode === '') return null;
  return {
    mode: mode as Gate['mode'],
    minimumAgeHours: Number(minimumAgeHours),
    frozenAt: frozenAt.trim() || null,
    untimed: fields.untimed as Gate['untimed'],
    exempt: exempt.split('\n').flatMap((line) => line.trim() || []),
    blockSeverity: (fields.blockSeverity || null) as Gate['blockSeverity'],
    withdrawnUpstream: fields.withdrawnUpstream as Gate['withdrawnUpstream'],
  };
};

interface Props {
  readonly place: Place;
  /** Undefined if it is off. */
  readonly gate: Gate | undefined;
  readonly mayChange: boolean;
  readonly reload: () => void;
}

const Settings = ({ place, gate, reload }: Props): VNode => {
  const path = `/1/workspaces/${part(place.workspace)}/repositories/${part(place.repository)}` as const;
  const save = (releaseGate: Partial<Gate> | null) =>
    change<typeof updateRepository>('PATCH', path, { releaseGate }).then(reload);
  const shown = gate ?? proposed;
  const set = (name: keyof Gate) => ({ name, defaultValue: shown[name] });
  return el(
    'div',
    null,
    el(
      'p',
      null,
      h(Action, { label: words.freezeNow, run: () => save({ frozenAt: new Date().toISOString() }) }),
      ' ',
      el('span', { class: 'hint' }, freezeText(gate)),
    ),
    h(
      Form,
      { label: words.save, run: (fields) => save(gateIn(fields)), done: words.saved },
      storedFields(
        gate,
        choice(words.gateMode, { name: 'mode', defaultValue: gate?.mode ?? '' }, ['', ...modes], words.off),
        field(words.minimumAge, { ...set('minimumAgeHours'), type: 'number', min: 0, max: 8760, required: true }),
        field(words.frozenAt, { ...set('frozenAt'), placeholder: '2026-01-31T09:30:00.000Z' }),
        choice(words.untimed, set('untimed'), untimed),
        area(words.exempt, { name: 'exempt', defaultValue: shown.exempt.join('\n'), placeholder: '@acme/*' }),
        choice(
          words.advised,
          { name: 'blockSeverity', defaultValue: shown.blockSeverity ?? '' },
          advised,
          words.malwareAlone,
        ),
        choice(words.withdrawn, set('withdrawnUpstream'), withdrawn),
      ),
    ),
  );
};

/** What of an upstream may not leave yet; Workspace Admins change it. */
export const ReleaseGate = (props: Props): VNode => {
  const { gate, mayChange } = props;
  return el(
    'details',
    null,
    el('summary', null, el('span', null, words.gate), ' ', el('small', null, summaryOf(gate))),
    el('p', { class: 'hint' }, words.gateWhy),
    mayChange && h(Settings, props),
    !mayChange && gate && factsOf(gate),
  );
};

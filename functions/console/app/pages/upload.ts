import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { RefusedRequest } from '../api.ts';
import { el, h } from '../elements.ts';
import { Form, field, storedFields } from '../forms.ts';
import type { Place } from '../routes.ts';
import { sizeText } from '../texts.ts';
import { publishFiles, type UploadProgress } from '../uploads.ts';
import { words } from '../words.ts';

/** Takes files that are dropped anywhere on the page: beside a small target, a browser would leave the page for the file. */
const useDrop = (take: (files: readonly File[]) => void): void => {
  useEffect(() => {
    const stay = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', stay);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', stay);
      removeEventListener('drop', drop);
    };
  }, []);
};

/** While something is on its way, asks before a link or the browser leaves the page. */
const useQuestion = (isOnItsWay: boolean): void => {
  useEffect(() => {
    if (!isOnItsWay) return undefined;
    const stay = (event: Event) => event.preventDefault();
    const ask = (event: Event) => {
      if ((event.target as Element).closest('a[href^="#"]') && !confirm(words.leaveUpload)) stay(event);
    };
    addEventListener('beforeunload', stay);
    addEventListener('click', ask, true);
    return () => {
      removeEventListener('beforeunload', stay);
      removeEventListener('click', ask, true);
    };
  }, [isOnItsWay]);
};

const progressView = ({ step, done, total }: UploadProgress): VNode =>
  el(
    'div',
    { class: 'progress' },
    el('progress', { value: done, max: Math.max(1, total), 'aria-label': words.progress }),
    el('span', { role: 'status' }, words.steps[step]),
    ` ${sizeText(done)} / ${sizeText(total)}`,
  );

/** Publishes files that are dropped or chosen. After a cut, the same button goes on where it was. */
export const Upload = ({ place, done }: { readonly place: Place; readonly done: () => void }): VNode => {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [progress, setProgress] = useState<UploadProgress | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const [published, setPublished] = useState(0);
  const [isOnItsWay, setOnItsWay] = useState(false);
  const take = (next: readonly File[]) => {
    setFiles(next);
    setOpen(true);
  };
  useDrop(take);
  useQuestion(isOnItsWay);
  const run = async ({ packageName = '', packageVersion = '' }: Readonly<Record<string, string>>) => {
    setOnItsWay(true);
    await publishFiles(place, { files, packageName, packageVersion }, setProgress)
      .catch((error: unknown) => {
        // Where the service has refused, nothing is on its way any more.
        if (error instanceof RefusedRequest) setProgress(undefined);
        throw error;
      })
      .finally(() => setOnItsWay(false));
    setProgress(undefined);
    setFiles([]);
    setPublished(published + 1);
    done();
  };
  const choose = (event: Event) => take([...((event.target as HTMLInputElement).files ?? [])]);
  return el(
    'details',
    { open: isOpen, onToggle: (event: Event) => setOpen((event.target as HTMLDetailsElement).open) },
    el('summary', null, el('span', null, words.upload), ' ', el('small', null, words.orDrop)),
    h(
      Form,
      { label: words.publishFiles, run, done: words.uploaded, failed: words.uploadCut },
      storedFields(
        published,
        field(words.chooseFiles, { type: 'file', multiple: true, required: files.length === 0, onChange: choose }),
        files.length > 0 &&
          el(
            'ul',
            null,
            files.map(({ name, size }) => el('li', null, `${name} · ${sizeText(size)}`)),
          ),
        field(words.packageName, { name: 'packageName', maxLength: 900 }),
        field(words.packageVersion, { name: 'packageVersion', maxLength: 255 }),
      ),
      el('p', { class: 'hint' }, words.namesOfFiles),
      progress && progressView(progress),
    ),
  );
};

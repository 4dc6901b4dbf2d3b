import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the pages of the console. Most need a browser to be seen: these suites are those of `npm run test:console`. */
export const consolePageMutants: readonly Mutant[] = [
  ...bugsIn('functions/console/app/markdown-tree.ts', 'console/attacks.ts#takes minutes', {
    'a README is parsed as long as it takes': ['      setTimeout(resolve, millisecondsMax);\n', ''],
    'a README of any length is parsed': ['text.length > textLengthMax', 'text.length < 0'],
  }),
  ...bugsIn('functions/console/app/main.ts', 'console/refusals.ts#every object has', {
    'what every object has is a page': ['pagesOfWorkspace.get(repository)', 'Object(pagesOfWorkspace)[repository]'],
  }),
  ...bugsIn('functions/console/app/main.ts', 'console/refusals.ts#without HTTPS', {
    'a page without HTTPS is shown and does not work': [
      'isSecureContext ? h(Console, {}) : insecure()',
      'h(Console, {})',
    ],
  }),
  ...bugsIn('functions/console/app/elements.ts', 'console/management.ts#would refuse a pipeline', {
    'a page that reaches nobody says nothing of it': [
      'error instanceof ShownRefusal ? error.message : failed',
      'String(error)',
    ],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/attacks.ts#keeps its token', {
    'the storage of a browser keeps the token': [
      '  return signedIn;\n};',
      "  localStorage.setItem('token', signedIn.token);\n  return signedIn;\n};",
    ],
    'a sign-out leaves the session to its token': ["await withCookie('DELETE', '1/sessions')", 'new Response()'],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/other-sites.ts#cookie', {
    'every request has the cookie': ["credentials: 'omit'", "credentials: 'same-origin'"],
    'the page of a session that has ended stays': ["  showSession('ended');\n", ''],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/sessions.ts#begins anew as that person', {
    'a tab goes on as who has signed in in another one': ['signedIn && signedIn.userId !== next.userId', 'false'],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/sessions.ts#or in itself', {
    'a request of who has signed out is repeated for the next one': [
      'signedIn?.userId !== asker',
      'asker === undefined',
    ],
  }),
  ...bugsIn('functions/console/app/main.ts', 'console/sessions.ts#by now', {
    'rights that change are seen when the page is loaded anew': ["'/1/users/me'), [parts])", "'/1/users/me'), [])"],
    'a page is gone when nobody says who is signed in': ['loaded.value ?? known.current', 'loaded.value'],
  }),
  ...bugsIn('functions/console/app/main.ts', 'console/sessions.ts#the same person has signed in again', {
    'what was typed is lost when a session ends': ["session !== 'none' && el(", "session === 'open' && el("],
    'a form asks for the password without a word': ['hasEnded && el(', 'false && el('],
  }),
  ...bugsIn('functions/console/app/api.ts#resume', 'console/sessions.ts#when it starts', {
    'a service that cannot be reached looks like a session that has ended': [
      "codeOf(error) !== 'SESSION_ENDED'",
      'false',
    ],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/sessions.ts#when it starts', {
    'what was refused is offered to be asked again': [
      '!(error instanceof RefusedRequest) ||',
      'error !== undefined ||',
    ],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/management.ts#asks for the password again', {
    'nobody is asked for the password again': ['await passwordAgain();', 'await Promise.resolve<string | null>(null);'],
  }),
  ...bugsIn('functions/console/app/api.ts', 'console/refusals.ts', {
    'a refusal is told in words of the page': ["super(errors.join(' '));", "super('This was refused.');"],
    'a sign-out that failed looks like one': ['!answer.ok && answer.status !== 401', 'false'],
    'nobody can leave a session that has ended': ['!answer.ok && answer.status !== 401', '!answer.ok'],
  }),
  ...bugsIn('functions/console/app/levels.ts', 'console/offers.ts', {
    'who may view is offered what managers may': ['levels.indexOf(own) >= levels.indexOf(level)', 'true'],
  }),
  ...bugsIn('functions/console/app/pages/home.ts', 'console/offers.ts#offers a viewer', {
    'members are offered what admins may': [
      "[workspaceId, name].includes(workspace) && role === 'admin'",
      'name === workspace',
    ],
  }),
  ...bugsIn('functions/console/app/pages/home.ts', 'console/offers.ts#IDs in place of names', {
    'admins are offered nothing at an address with an ID': ['[workspaceId, name].includes', '[name].includes'],
  }),
  ...bugsIn('functions/console/app/levels.ts', 'console/offers.ts#IDs in place of names', {
    'managers are offered nothing at an address with an ID': ['.set(repositoryId, level)', ''],
  }),
  ...bugsIn('functions/console/app/pages/trusts.ts', 'console/offers.ts#offers a viewer', {
    'members are offered a trust': ['mayChange && h(NewTrust', 'h(NewTrust'],
    'members are offered the check of a trust': ['mayChange && shown !== undefined', 'shown !== undefined'],
  }),
  ...bugsIn('functions/console/app/pages/trusts.ts', 'console/management.ts#about any repository', {
    'a trust proposes no repository': ["list: 'repositories'", "list: 'none'"],
  }),
  ...bugsIn('functions/console/app/pages/users.ts', 'console/offers.ts#offers a viewer', {
    'everybody is offered a user': ["me.userRole === 'system-admin' && h(NewUser", 'h(NewUser'],
  }),
  ...bugsIn('functions/console/app/pages/workspace.ts', 'console/offers.ts', {
    'members are led to records': ['!ofAdmins.has(part) || administers(me, workspace)', 'true'],
  }),
  ...bugsIn('functions/console/app/lists.ts', 'console/crowd.ts', {
    'a list loads all of its pages': ['seen.some(({ isIntersecting }) => isIntersecting) && ', ''],
    'rows that grow keep the keyboard from going on': [' && !isWalkedBy(list.current)', ''],
  }),
  ...bugsIn('functions/console/app/lists.ts', 'console/records.ts', {
    'a list stops at a page that brings nothing': ['const emptyPagesMax = 10;', 'const emptyPagesMax = 1;'],
    'a list that brings nothing asks for ever': ['emptyPages < emptyPagesMax', 'emptyPages >= 0'],
    'a list without rows yet says nothing': ["el('p', { role: 'status' }, words.noneSoFar)", 'false'],
  }),
  ...bugsIn('functions/console/app/pages/packages.ts', 'console/crowd.ts', {
    'a search asks at every letter': ['const typingMilliseconds = 250;', 'const typingMilliseconds = 1;'],
    'a page of packages is a thousand of them': ['const pageSize = 50;', 'const pageSize = 1000;'],
  }),
  ...bugsIn('functions/console/app/uploads.ts', 'console/uploads.ts#large file', {
    'an upload begins anew after a cut': ['localStorage.getItem(note)', 'null'],
    'a part has the bytes of another one': ['file.slice(at, at + sizeInBytes)', 'file.slice(0, sizeInBytes)'],
    'the note of an upload outlives it': [
      '    throw error;\n  }\n  localStorage.removeItem(note);',
      '    throw error;\n  }',
    ],
    'parts that are on their way at a cut are sent twice': [
      'await Promise.allSettled(Array.from({ length: sentAtOnce }, lane))',
      'await Promise.all(Array.from({ length: sentAtOnce }, lane)).then(() => [] as PromiseSettledResult<void>[])',
    ],
  }),
  ...bugsIn('functions/console/app/pages/upload.ts', 'console/uploads.ts#large file', {
    'a file that is dropped is opened in place of the page': ["    addEventListener('drop', drop);\n", ''],
  }),
  ...bugsIn('functions/console/app/pages/upload.ts', 'console/uploads.ts#says why files', {
    'the form of an upload still names what it has published': ['setPublished(published + 1);', ''],
    'nothing is seen of a publication that has worked': ['setPublished(published + 1);', 'setOpen(false);'],
    'a refused upload seems to go on': ['if (error instanceof RefusedRequest) setProgress(undefined);', ''],
  }),
  ...bugsIn('functions/console/app/pages/wizard.ts', 'console/newcomer.ts#repository at once', {
    'the wizard leaves the upstream out of what clients use': ['...(remote ? [remote] : [])', ''],
    'nobody can publish to what the wizard makes': ['uploadLocalRepositoryId: local,', ''],
  }),
  ...bugsIn('functions/console/app/pages/wizard.ts', 'console/newcomer.ts#was lost', {
    'what was made without an answer is in the way of the next try': ['tried.current.plan !== text', 'text'],
    'what was made without an answer is removed in part': ['if (isPassing(error)) throw error;', ''],
  }),
  ...bugsIn('functions/console/app/pages/wizard.ts', 'console/newcomer.ts#removes what it made', {
    'what the wizard made before a refusal stays': ['for (const id of made)', 'for (const id of made.slice(1))'],
    'a repository that the wizard could not finish is no refusal': [
      '.catch(() => undefined); throw error;',
      '.catch(() => undefined);',
    ],
    'a plan that was refused is tried with spent keys': [
      'if (!isPassing(error)) tried.current =',
      'if (!error) tried.current =',
    ],
  }),
  ...bugsIn(
    'functions/console/app/pages/package.ts',
    ['console/newcomer.ts#pasted lines', 'console/pages.ts#README of the version'],
    {
      'a version is deleted without a question': ['      question: words.sure(`${name} ${version}`),\n', ''],
      'every version has the README of the latest': ['shown.version ?? latestVersion', 'latestVersion'],
    },
  ),
  ...bugsIn('functions/console/app/pages/package.ts', 'console/attacks.ts#whatever the address says', {
    'lines install what an address says': ['linesFor(loaded.value.version, place)', 'linesFor(version, place)'],
  }),
  ...bugsIn('functions/console/app/pages/package.ts', 'console/pages.ts#what is left after a deletion', {
    'a package stays as it was when a version is deleted': ['pages.reload(); reload();', 'pages.reload();'],
    'a page stays at a version that was deleted': ['shown.version === deleted', 'false'],
    'a page stays at a package without versions': ["codeOf(error) === 'PACKAGE_NOT_FOUND'", 'false'],
  }),
  ...bugsIn('functions/console/app/pages/matrix.ts', 'console/management.ts#gives a colleague', {
    'a level that is taken away stays': ["    if (level === '')\n", "    if (level === 'canView')\n"],
  }),
  ...bugsIn('functions/console/app/routes.ts', 'console/pages.ts#address for every row', {
    'a name with a slash leads elsewhere': ['parts.map(encodeURIComponent)', 'parts.map(String)'],
  }),
  ...bugsIn('functions/console/app/routes.ts', 'console/pages.ts#where Back finds it', {
    'a search is lost on the way back': ['useOfAddress(queryNow)', 'useOfAddress(() => ({}) as Query)'],
    'each letter of a search is a page on the way back': [
      "history.replaceState(null, '', location",
      "history.pushState(null, '', location",
    ],
  }),
  ...bugsIn('functions/console/app/main.ts', 'console/keyboard.ts#moves the focus to the heading', {
    'the focus is lost with the page that a link has left': ['element?.focus();', ''],
  }),
  ...bugsIn('functions/console/app/pages/package.ts', 'console/pages.ts#no such file', {
    'a file that is not there is a table without rows': ['rows.length > 0', 'rows.length >= 0'],
  }),
  ...bugsIn('functions/console/app/main.ts', 'console/keyboard.ts#gives the focus back', {
    'what stands behind the question for the password can be reached': ['showModal()', 'show()'],
  }),
  ...bugsIn('functions/console/app/forms.ts#field', 'console/pages.ts#the console, light', {
    'the fields of forms have no labels': ["el('label', null, label,", "el('div', null, label,"],
  }),
  ...bugsIn('functions/console/app/pages/gate.ts', 'console/gate.ts', {
    'viewers are offered to change a gate': ['mayChange && h(Settings', 'h(Settings'],
    'a gate that is turned off stays': ["if (mode === '') return null;", ''],
    'an empty line of a gate exempts': ['line.trim() || []', 'line.trim()'],
  }),
  ...bugsIn('functions/console/app/pages/gate.ts', 'console/gate.ts#beside the freeze', {
    'a freeze turns a gate on without a word': [' ${words.freezeTurnsOn(proposed.minimumAgeHours)}', ''],
  }),
  ...bugsIn('functions/console/app/pages/gate.ts', 'console/gate.ts#lets an admin set', {
    'the form of a gate undoes a freeze': ['storedFields(\n gate,', "storedFields(\n '',"],
  }),
  ...bugsIn('functions/console/app/forms.ts#choice', 'console/gate.ts#lets an admin set', {
    'a choice begins with the first of its texts': ['selected: text === defaultValue', 'selected: false'],
  }),
  ...bugsIn('functions/console/app/lines.ts', 'console/offers.ts#that nothing can be published to', {
    'lines that publish are shown where nothing can be published': [
      'takesVersions || !title.endsWith(words.publish)',
      'true',
    ],
    'versions of others are offered for deletion': [
      "repository.repositoryType === 'remote' || isPublishable(repository);",
      'repository.name.length > 0;',
    ],
  }),
  ...bugsIn('functions/console/app/pages/verdicts.ts', 'console/verdicts.ts', {
    'a decision on a version drops those before it': ['before?.versions ?? []', '[] as string[]'],
    'a version is decided about beside all of them': [
      "version === undefined || decided.includes('*')",
      'version === undefined',
    ],
    'a verdict that saving replaces is not shown': ['before && factsOf(before),', ''],
    'a first decision does not say that it is saved': [
      'key: `${type} ${name} ${version}`',
      'key: `${type} ${name} ${version} ${round}`',
    ],
    'a name without a verdict has no form': ["if (codeOf(error) === 'VERDICT_NOT_FOUND') return null;", ''],
  }),
  ...bugsIn('functions/console/app/page.css', 'console/pages.ts#the console, light', {
    'hints are too faint to read': ['--faint: light-dark(#4f5a65', '--faint: light-dark(#a0a8b0'],
  }),
  ...bugsIn('functions/console/app/days.ts', '~functions/console/days', {
    'the course forgets versions that went together': [' + bytesIn(versions)', ''],
    'the course ends yesterday': ['(days - 1 - index)', '(days - index)'],
    'what came and what went are one': ['sum + bytesIn(before)', 'sum + bytesIn(after)'],
  }),
  ...bugsIn('functions/console/app/texts.ts', '~functions/console/texts', {
    'a size breaks from its unit': ['\\u00a0', ' '],
    'every browser is Safari': [
      "['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari']",
      "['Safari', 'Edg', 'OPR', 'Firefox', 'Chrome']",
    ],
  }),
];

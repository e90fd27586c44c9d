import { field, make, parsed } from './text.js';

/** The last one that was taken, in the memory of this page alone. */
let token;
/** The form in which something was typed that is not saved. */
let unsaved;
/** The form whose answer is not there yet. */
let sending;

addEventListener('beforeunload', (event) => {
  if (isOpen(unsaved)) event.preventDefault();
});

/** It is shown, and nobody has left it. */
function isOpen(form) {
  return form?.isConnected === true && !form.inert;
}

/** What was typed and not saved goes only where its writer agrees. */
export function mayLeave() {
  if (isOpen(sending)) return confirm('It is being sent. Leave without its answer?');
  return !isOpen(unsaved) || confirm('Leave what you typed here unsaved?');
}

/**
 * A form for a new article of the collection at `href`. `open(href)` shows what was made. It makes one
 * article, whatever becomes of an answer: where an earlier try did arrive, that one is changed.
 */
export function creating({ href, open, cancel }) {
  let key = newKey();
  const form = articleForm({ heading: 'New article', save: 'Create', cancel });
  const create = async (draft, secret) => {
    const fields = { ...secret, 'Idempotency-Key': `"${key}"` };
    const answer = await send('POST', href, fields, draft);
    const { code, _links: links } = answer.resource ?? {};
    if (code === 'idempotency-key-reused') {
      save = replacing({ form, href: links.related.href, open });
      return save(undefined, secret);
    }
    // It was made and is deleted by now.
    if (answer.status === 410) key = newKey();
    if (answer.status >= 400) return refused(form, answer);
    return done(form, () => open(answer.resource._links.self.href));
  };
  let save = create;
  onSubmit(form, (draft, secret) => save(draft, secret));
  return form;
}

/** `crypto.randomUUID` is missing where the page comes over plain http from another machine. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '-',
  );
}

/** A form for another text of an article. */
export function editing({ article, etag, open, cancel }) {
  const { href } = article._links.self;
  const form = articleForm({ heading: 'Edit', save: 'Save', cancel, article });
  onSubmit(form, replacing({ form, href, etag, open }));
  return form;
}

/**
 * Saves a draft where the text that was read last is still there (If-Match). Where it is not, and
 * without a draft, what is there is shown, and the next draft takes its place.
 */
function replacing({ form, href, etag, open }) {
  let read = etag;
  return async (draft, secret) => {
    const answer = draft && (await send('PUT', href, { ...secret, 'If-Match': read }, draft));
    if (answer === undefined || answer.status === 412) {
      const theirs = await fetch(href, { headers: { Accept: 'application/hal+json' } });
      const resource = await theirs.json();
      if (!theirs.ok) return refused(form, { status: theirs.status, resource });
      read = theirs.headers.get('etag');
      return conflict(form, resource, answer);
    }
    if (answer.status >= 400) return refused(form, answer);
    return done(form, () => open(href));
  };
}

/** Asks once more before the article that was read is deleted. */
export function deleting({ article, etag, open, cancel }) {
  const form = make(
    'form',
    { className: 'change' },
    make('h1', {}, `Delete “${article.title}”?`),
    make('p', {}, 'It cannot be brought back, and its number is not given again.'),
    ...tokenField(),
    message(),
    buttons('Delete for good', cancel),
  );
  onSubmit(form, async (_draft, secret) => {
    const { href } = article._links.self;
    const answer = await send('DELETE', href, { ...secret, 'If-Match': etag });
    if (answer.status === 412) {
      return say(
        form,
        'Somebody changed it meanwhile, and nothing was deleted. Cancel, and read it again.',
      );
    }
    if (answer.status >= 400) return refused(form, answer);
    return done(form, () => open(article._links['doc:blog'].href));
  });
  return form;
}

function articleForm({ heading, save, cancel, article = { title: '', content: '' } }) {
  const title = field('input', { name: 'title', required: true }, article.title);
  const content = field('textarea', { name: 'content', rows: 16 }, article.content);
  const form = make(
    'form',
    { className: 'change' },
    make('h1', {}, heading),
    make('label', {}, 'Title', title),
    make('label', {}, 'Content (Markdown)', content),
    ...tokenField(),
    message(),
    buttons(save, cancel),
  );
  form.addEventListener('input', () => {
    unsaved = form;
  });
  return form;
}

function tokenField() {
  if (token !== undefined) return [];
  const secret = { name: 'token', type: 'password', required: true, autocomplete: 'off' };
  const hint = make(
    'span',
    { className: 'quiet' },
    'It is forgotten when this page is left or loaded again.',
  );
  return [make('label', {}, 'Token', make('input', secret), hint)];
}

function askForToken(form) {
  form.querySelector('.said').before(...tokenField());
}

function buttons(save, cancel) {
  const back = make('button', { type: 'button', onclick: () => mayLeave() && cancel() }, 'Cancel');
  return make('p', { className: 'pages' }, make('button', { className: 'first' }, save), back);
}

function message() {
  return make('div', { className: 'said', role: 'alert', tabIndex: -1 });
}

/**
 * One request at a time, and nothing typed is lost by any answer: nothing is typed before it is there.
 * What is disabled would lose the focus.
 */
function onSubmit(form, change) {
  onceForEachPress(form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { title, content, token: typed } = form.elements;
    const secret = typed === undefined ? token : typed.value.trim();
    if (sending === form) return;
    if (secret === undefined) {
      askForToken(form);
      return say(form, 'The token was refused for another change meanwhile: give one.');
    }
    if (!/^[!-~]+$/.test(secret))
      return say(form, 'No token has such a character: copy all of it.');
    sending = form;
    hold(form, true);
    try {
      const draft = title && { title: title.written(), content: content.written() };
      await change(draft, { 'X-Access-Token': secret });
    } catch {
      say(form, 'The service does not answer. Nothing of what you typed is lost: try again.');
    } finally {
      if (sending === form) sending = undefined;
      hold(form, false);
    }
  });
}

/**
 * A key that is held down and the second half of a double click answer what nobody has read yet: a
 * form that has just opened, or that somebody else was faster.
 */
function onceForEachPress(form) {
  form.addEventListener('keydown', (event) => {
    const isTyped = event.key !== 'Enter' || event.target.localName === 'textarea';
    if (event.repeat && !isTyped) event.preventDefault();
  });
  form.addEventListener('click', (event) => {
    if (event.detail > 1) event.preventDefault();
  });
}

function hold(form, isHeld) {
  form.setAttribute('aria-busy', String(isHeld));
  for (const each of form.querySelectorAll('input, textarea')) each.readOnly = isHeld;
}

/** Who went on to something else stays there. */
function done(form, go) {
  if (isOpen(form)) go();
}

async function send(method, href, fields, draft) {
  const headers = { Accept: 'application/hal+json', ...fields };
  if (draft !== undefined) headers['Content-Type'] = 'application/json';
  const body = draft === undefined ? {} : { body: JSON.stringify(draft) };
  const answer = await fetch(href, { method, headers, ...body });
  const { status } = answer;
  token = status === 401 || status === 403 ? undefined : fields['X-Access-Token'];
  return { status, resource: parsed(await answer.text()) };
}

function refused(form, { status, resource }) {
  if (token === undefined && form.elements.token === undefined) askForToken(form);
  say(form, `${resource?.title ?? status}: ${resource?.detail ?? 'the service says no more'}`);
}

function conflict(form, { title, content = '' }, answer) {
  form.querySelector('button.first').textContent = 'Save mine in its place';
  say(
    form,
    answer === undefined
      ? 'An earlier try did arrive and made this article:'
      : 'Somebody changed this article meanwhile. Nothing was saved. This is what is there now:',
    make('h2', { dir: 'auto' }, title),
    make('pre', { dir: 'auto', tabIndex: 0 }, content),
    make('p', {}, 'Take over above what you want to keep of it, then save.'),
  );
  // The next Enter is not for a field any more: it would save over what nobody has read yet.
  form.querySelector('.said').focus();
}

function say(form, text, ...more) {
  const said = form.querySelector('.said');
  said.replaceChildren(make('p', { className: 'warn' }, text), ...more);
  said.scrollIntoView({ block: 'nearest' });
}

import { make } from './text.js';

/** In the memory of this tab alone: gone with it. */
let token;
let isUnsaved = false;

addEventListener('beforeunload', (event) => {
  if (isUnsaved) event.preventDefault();
});

/** What was typed and not saved goes only where its writer agrees. */
export function mayLeave() {
  if (isUnsaved && !confirm('Leave what you typed here unsaved?')) return false;
  isUnsaved = false;
  return true;
}

/** A form for a new article of the collection at `href`. `open(href)` shows what was made. */
export function creating({ href, open, cancel }) {
  let key = crypto.randomUUID();
  const form = articleForm({ heading: 'New article', save: 'Create', cancel });
  onSubmit(form, async (draft) => {
    const answer = await send('POST', href, { 'Idempotency-Key': `"${key}"` }, draft);
    // Where nobody knows what became of it the same key makes no second article.
    if (answer.status < 500 && answer.status !== 409) key = crypto.randomUUID();
    if (answer.status >= 400) return refused(form, answer);
    isUnsaved = false;
    return open(answer.resource._links.self.href);
  });
  return form;
}

/** A form for another text of an article; the one that was read must still be there (If-Match). */
export function editing({ article, etag, open, cancel }) {
  const { href } = article._links.self;
  const form = articleForm({ heading: 'Edit', save: 'Save', cancel, article });
  let read = etag;
  onSubmit(form, async (draft) => {
    const answer = await send('PUT', href, { 'If-Match': read }, draft);
    if (answer.status === 412) {
      const theirs = await fetch(href, { headers: { Accept: 'application/hal+json' } });
      const resource = await theirs.json();
      if (!theirs.ok) return refused(form, { status: theirs.status, resource });
      read = theirs.headers.get('etag');
      return conflict(form, resource);
    }
    if (answer.status >= 400) return refused(form, answer);
    isUnsaved = false;
    return open(href);
  });
  return form;
}

/** Asks once more before the article that was read is deleted. */
export function deleting({ article, etag, open, cancel }) {
  const form = make(
    'form',
    { className: 'change' },
    make('h2', {}, 'Delete this article?'),
    make('p', {}, 'It cannot be brought back, and its number is not given again.'),
    ...tokenField(),
    buttons('Delete for good', cancel),
    message(),
  );
  onSubmit(form, async () => {
    const { href } = article._links.self;
    const answer = await send('DELETE', href, { 'If-Match': etag });
    if (answer.status === 412) {
      return say(
        form,
        'Somebody changed it meanwhile, and nothing was deleted. Cancel, and read it again.',
      );
    }
    return answer.status >= 400 ? refused(form, answer) : open(article._links['doc:blog'].href);
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
    buttons(save, cancel),
    message(),
  );
  form.addEventListener('input', () => {
    isUnsaved = true;
  });
  return form;
}

/** `written()` is what the article had where nothing was typed: fields have one kind of line end. */
function field(name, properties, original) {
  const made = make(name, { ...properties, dir: 'auto' });
  made.value = original ?? '';
  const before = made.value;
  const hasCrlf = /\r\n/.test(original ?? '') && !/(?<!\r)\n/.test(original ?? '');
  made.written = () => {
    if (made.value === before) return original;
    return hasCrlf ? made.value.replaceAll('\n', '\r\n') : made.value;
  };
  return made;
}

function tokenField() {
  if (token !== undefined) return [];
  const secret = { name: 'token', type: 'password', required: true, autocomplete: 'off' };
  const hint = make(
    'span',
    { className: 'quiet' },
    'It stays in this tab and is forgotten with it.',
  );
  return [make('label', {}, 'Token', make('input', secret), hint)];
}

function buttons(save, cancel) {
  const back = make('button', { type: 'button', onclick: () => mayLeave() && cancel() }, 'Cancel');
  return make('p', { className: 'pages' }, make('button', { className: 'first' }, save), back);
}

function message() {
  return make('div', { className: 'said', role: 'alert' });
}

/** One request at a time, and nothing typed is lost by any answer. */
function onSubmit(form, change) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { title, content, token: typed } = form.elements;
    if (typed !== undefined) token = typed.value;
    const save = form.querySelector('button.first');
    save.disabled = true;
    try {
      await change(title && { title: title.written(), content: content.written() });
    } catch {
      say(form, 'The service does not answer. Nothing of what you typed is lost: try again.');
    } finally {
      save.disabled = false;
    }
  });
}

async function send(method, href, fields, draft) {
  const headers = { Accept: 'application/hal+json', 'X-Access-Token': token, ...fields };
  if (draft !== undefined) headers['Content-Type'] = 'application/json';
  const body = draft === undefined ? {} : { body: JSON.stringify(draft) };
  const answer = await fetch(href, { method, headers, ...body });
  const text = await answer.text();
  const resource = text === '' ? undefined : JSON.parse(text);
  return { status: answer.status, resource };
}

function refused(form, { status, resource }) {
  if (status === 401 || status === 403) {
    token = undefined;
    if (form.elements.token === undefined) form.querySelector('p.pages').before(...tokenField());
  }
  say(form, `${resource?.title ?? status}: ${resource?.detail ?? 'the service says no more'}`);
}

function conflict(form, { title, content = '' }) {
  form.querySelector('button.first').textContent = 'Save mine in its place';
  say(
    form,
    'Somebody changed this article meanwhile. Nothing was saved. This is what is there now:',
    make('h2', { dir: 'auto' }, title),
    make('pre', { dir: 'auto', tabIndex: 0 }, content),
    make('p', {}, 'Take over above what you want to keep of it, then save.'),
  );
}

function say(form, text, ...more) {
  form.querySelector('.said').replaceChildren(make('p', { className: 'warn' }, text), ...more);
}

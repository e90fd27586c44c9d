import { hold, message, onceForEachPress, say } from './forms.js';
import { plain } from './links.js';
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

/** A browser may keep the page whole, for the way back to it. */
addEventListener('pagehide', () => {
  token = undefined;
  for (const each of document.querySelectorAll('[name=token]')) each.value = '';
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
  const form = articleForm({ heading: 'New article', save: 'Create', cancel });
  onSubmit(form, making({ form, href, open }));
  return form;
}

function making({ form, href, open }) {
  let key = newKey();
  const create = async (draft, secret) => {
    const fields = { ...secret, 'Idempotency-Key': `"${key}"` };
    const answer = await send('POST', href, fields, draft);
    const { code, _links: links } = answer.resource ?? {};
    if (code === 'idempotency-key-reused') {
      save = replacing({ form, href: links.related.href, open });
      return save(undefined, secret, draft);
    }
    // It was made and is deleted by now.
    if (answer.status === 410) key = newKey();
    if (answer.status >= 400) return refused(form, answer);
    return done(form, () => open(answer.resource._links.self.href));
  };
  let save = create;
  return (...asked) => save(...asked);
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
 * without a draft, what is there is shown, and the next draft takes its place; where that is what was
 * sent, an answer was lost and it is saved. What is deleted by now can be made anew.
 */
function replacing({ form, href, etag, open }) {
  let read = etag;
  const replace = async (draft, secret, sent = draft) => {
    const answer = draft && (await send('PUT', href, { ...secret, 'If-Match': read }, draft));
    if (answer === undefined || answer.status === 412) {
      const theirs = await fetch(href, { headers: { Accept: 'application/hal+json' } });
      const resource = await theirs.json();
      if (!theirs.ok) return lost({ status: theirs.status, resource });
      read = theirs.headers.get('etag');
      const { title, content } = resource;
      const isSaved = title === sent.title && content === sent.content;
      return isSaved ? done(form, () => open(href)) : conflict(form, resource, answer);
    }
    return answer.status >= 400 ? lost(answer) : done(form, () => open(href));
  };
  const lost = async (answer) => {
    const blog = answer.resource?._links?.['doc:blog'];
    if (answer.status !== 410 || blog === undefined) return refused(form, answer);
    const { resource } = await send('GET', plain(blog), {});
    save = making({ form, href: plain(resource._links['doc:articles']), open });
    form.querySelector('button.first').textContent = 'Save as a new article';
    say(form, 'Somebody deleted this article meanwhile. Nothing was saved.');
    // The next Enter would make an article that nobody has asked for yet.
    return form.querySelector('.said').focus();
  };
  let save = replace;
  return (...asked) => save(...asked);
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
    // Also where the answer to an earlier try was lost.
    if (answer.status >= 400 && answer.status !== 410) return refused(form, answer);
    return done(form, () => open(article._links['doc:blog'].href));
  });
  return form;
}

const brokenTitle =
  'This title has a line break, which is a space here. It stays as long as the title is not changed.';

function articleForm({ heading, save, cancel, article = { title: '', content: '' } }) {
  const title = field('input', { name: 'title', required: true }, article.title);
  const content = field('textarea', { name: 'content', rows: 16 }, article.content);
  const form = make(
    'form',
    { className: 'change' },
    make('h1', {}, heading),
    make('label', {}, 'Title', title),
    ...(title.isOther ? [make('p', { className: 'quiet' }, brokenTitle)] : []),
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

/** One request at a time, and nothing typed is lost by any answer: nothing is typed before it is there. */
function onSubmit(form, change) {
  onceForEachPress(form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { title, content, token: typed } = form.elements;
    const secret = typed === undefined ? token : typed.value.trim();
    if (sending === form) return;
    if (secret === undefined) {
      askForToken(form);
      return say(
        form,
        'The token was refused for another change, or this page was left: give one.',
      );
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
  if (status === 401 || status === 403) token = undefined;
  else token = fields['X-Access-Token'] ?? token;
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

import { make } from './text.js';

export function message() {
  return make('div', { className: 'said', role: 'alert', tabIndex: -1 });
}

/**
 * A key that is held down and the second half of a double click answer what nobody has read yet: a
 * form that has just opened, or that somebody else was faster.
 */
export function onceForEachPress(form) {
  form.addEventListener('keydown', (event) => {
    const isTyped = event.key !== 'Enter' || event.target.localName === 'textarea';
    if (event.repeat && !isTyped) event.preventDefault();
  });
  form.addEventListener('click', (event) => {
    if (event.detail > 1) event.preventDefault();
  });
}

/** While its answer is not there. What is disabled would lose the focus. */
export function hold(form, isHeld) {
  form.setAttribute('aria-busy', String(isHeld));
  form.querySelector('button.first').setAttribute('aria-disabled', String(isHeld));
  for (const each of form.querySelectorAll('input, textarea')) each.readOnly = isHeld;
  const sent = make('p', { className: 'quiet sent' }, 'It is being sent…');
  if (isHeld) form.querySelector('.said').replaceChildren(sent);
  else form.querySelector('.said .sent')?.remove();
}

export function say(form, text, ...more) {
  const said = form.querySelector('.said');
  said.replaceChildren(make('p', { className: 'warn' }, text), ...more);
  said.scrollIntoView({ block: 'nearest' });
}

import type { Topic } from './topic.ts';

/** A topic as a page for people; every text is escaped. */
export function topicPage(topic: Topic, baseUrl: string): Uint8Array {
  const { title, summary, paragraphs, example } = topic;
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p><strong>${escapeHtml(summary)}</strong></p>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(example === undefined ? [] : [`<pre>${escapeHtml(withBase(example, baseUrl))}</pre>`]),
  ];
  return htmlPage(title, body.join('\n'));
}

function withBase(text: string, baseUrl: string): string {
  return text.replaceAll('{base}', baseUrl);
}

export function htmlPage(title: string, body: string): Uint8Array {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">`;
  return Buffer.from(
    `<!doctype html>\n<html lang="en">\n<head>${head}<title>${escapeHtml(title)}</title></head>\n` +
      `<body>\n${body}\n</body>\n</html>\n`,
  );
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

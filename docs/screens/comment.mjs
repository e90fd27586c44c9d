// Draws a plan as the comment that a pull request gets: node docs/screens/comment.mjs (after npm run build)
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { makeHome } from './terminal.mjs';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Of the picture, with room for another font: its frame goes by this, not by the text. */
const height = 568;

const style = `
div { font: 14px/1.5 -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; color: #1f2328; }
.comment { box-sizing: border-box; height: ${height - 2}px; border: 1px solid #d1d9e0; border-radius: 6px; background: #fff; margin: 1px; overflow: hidden; }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; color: #59636e; }
.body { padding: 2px 16px; }
table { border-collapse: collapse; } th, td { border: 1px solid #d1d9e0; padding: 4px 12px; text-align: left; }
code { font: 12px/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; background: #f0f1f3; padding: 2px 4px; border-radius: 4px; }
details { margin: 10px 0; }
pre { background: #f6f8fa; padding: 8px 0; border-radius: 6px; } pre code { background: none; padding: 0; }
pre span { display: block; padding: 0 12px; } .less { background: #ffebe9; } .more { background: #dafbe1; }`;

/** The picture as text: the plan of an edited, a new and a removed post. */
export function draw() {
  const { folder, env } = makeHome();
  const run = (line) => execFileSync('sh', ['-c', line], { cwd: folder, env, stdio: 'pipe' });
  try {
    cpSync(local('../../examples/posts'), join(folder, 'posts'), { recursive: true });
    env.BLOGCTL_BLOG = `file:${folder}/blog.json`;
    run('git init -q && git add . && git -c user.name=me -c user.email=me@blog.example commit -qm posts');
    run('blogctl sync apply posts -y -q');
    run("sed -i 's/four sentences/five sentences/' posts/2024-01-07-*.md && rm posts/garden/sharpening.md");
    run("printf -- '---\\ntitle: A bench\\n---\\nBy the pond.\\n' > posts/garden/bench.md");
    const plan = run('blogctl sync plan posts --prune -q --format md').toString();
    return svgOf(marked.parse(plan));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function svgOf(html) {
  const body = html
    .replaceAll('<details>', '<details open="">')
    .replaceAll('<br>', '<br/>')
    .replaceAll(/<pre><code class="language-diff">([^]*?)<\/code>/g, (_all, lines) => {
      const shown = lines.trimEnd().split('\n').map(lineOf);
      return `<pre><code>${shown.join('')}</code>`;
    });
  const head = '<div class="head">plan-posts.yml, in a pull request</div>';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="${height}"><style>${style}</style>
<foreignObject width="760" height="${height}"><div xmlns="http://www.w3.org/1999/xhtml"><div class="comment">${head}
<div class="body">${body}</div></div></div></foreignObject></svg>
`;
}

function lineOf(line) {
  const kind = { '-': ' class="less"', '+': ' class="more"' }[line[0]] ?? '';
  return `<span${kind}>${line === '' ? ' ' : line}</span>`;
}

if (process.argv[1] === local('comment.mjs')) writeFileSync(local('comment.svg'), draw());

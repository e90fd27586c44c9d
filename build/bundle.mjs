// Bundles the command and every runtime library into dist/ (docs/decisions.md, "Build").
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { thirdPartyNotices } from './notices.mjs';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Libraries the command needs only a part of. */
const standIns = {
  undici: local('undici.cjs'),
  // conf validates with ajv only where a schema is given; zod checks what we read instead.
  'ajv/dist/2020.js': local('no-validator.cjs'),
  'ajv-formats': local('no-validator.cjs'),
  'when-exit': local('no-exit-hook.cjs'),
};

await rm('dist', { recursive: true, force: true });
const { output } = await build({
  input: { main: 'src/main.ts' },
  platform: 'node',
  logLevel: 'warn',
  onLog(level, log, handle) {
    if (level === 'warn') throw new Error(log.message);
    handle(level, log);
  },
  plugins: [
    {
      name: 'stand-ins',
      resolveId(source, importer = '') {
        if (source === 'node:child_process' && importer.includes('commander'))
          return local('lazy-child-process.cjs');
        return source.endsWith('/client-h2.js') ? local('no-http2.cjs') : standIns[source];
      },
    },
  ],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    keepNames: true,
  },
});
const bundled = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile('dist/THIRD_PARTY_NOTICES', await thirdPartyNotices(bundled));

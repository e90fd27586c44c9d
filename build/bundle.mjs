// Bundles the command and every runtime library into dist/ (docs/decisions.md, "Build").
import { rm } from 'node:fs/promises';
import { build } from 'rolldown';

await rm('dist', { recursive: true, force: true });
await build({
  input: { main: 'src/main.ts' },
  platform: 'node',
  logLevel: 'warn',
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    keepNames: true,
  },
});

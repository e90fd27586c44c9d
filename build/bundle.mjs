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

/** Modules of Node that a library needs only a part of, or only later. */
const nodeStandIns = [
  { library: 'commander', source: 'node:child_process', standIn: 'lazy-child-process.cjs' },
  { library: 'undici', source: 'node:http', standIn: 'undici-header-size.cjs' },
];

/**
 * What is always needed together comes in one file, because a file costs more than what it holds;
 * not what main.ts loads at once, nor the sockets, which a local blog does without.
 */
const groups = [
  { name: 'zod', test: /[\\/]zod[\\/]v4[\\/]/ },
  { name: 'settings', test: /[\\/]src[\\/]settings[\\/](?!values)/ },
  {
    name: 'request',
    test: /[\\/](?:src[\\/](?:(?:client|hal|http)[\\/](?!undici)|context[\\/](?:connect|look-up))|url-template[\\/])/,
  },
];

/**
 * The modules of CommonJS libraries are functions that are called once the file is loaded. In
 * parentheses and no arrows, the engines of Node 20 and 22 compile them with the file, and its
 * compile cache keeps them, instead of parsing them twice.
 */
const compiledAtOnce = {
  name: 'compiled-at-once',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /(var \w+=\w+\.\w+\(\()(?:\((\w+,\w+)\)|(\w+))=>\{/g,
        (_match, call, both, one) => `${call}function(${both ?? one}){`,
      );
    }
    if (!bundle['main.cjs'].code.includes('((function(')) throw new Error('no module was found');
  },
};

await rm('dist', { recursive: true, force: true });
const { output } = await build({
  input: { main: 'src/main.ts' },
  platform: 'node',
  // What main.ts loads at once stays in its file, even where others need it too.
  preserveEntrySignatures: 'allow-extension',
  logLevel: 'warn',
  onLog(level, log, handle) {
    if (level === 'warn') throw new Error(log.message);
    handle(level, log);
  },
  plugins: [
    compiledAtOnce,
    {
      name: 'stand-ins',
      resolveId(source, importer = '') {
        const found = nodeStandIns.find(
          (each) => each.source === source && importer.includes(`/${each.library}/`),
        );
        if (found !== undefined) return local(found.standIn);
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
    // What is long is read at every start. Names of functions and classes stay, for stack traces.
    comments: false,
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    codeSplitting: { groups, includeDependenciesRecursively: false },
  },
});
const bundled = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile('dist/THIRD_PARTY_NOTICES', await thirdPartyNotices(bundled));

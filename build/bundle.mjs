// Bundles the command, the library and what both use into dist/ (docs/decisions.md, "Build").
import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { writeEsmDoors } from './esm-doors.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { writeTypes } from './types.mjs';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Libraries the command needs only a part of. */
const shims = {
  undici: local('undici.cjs'),
  // conf validates with ajv only where a schema is given; zod checks what we read instead.
  'ajv/dist/2020.js': local('no-validator.cjs'),
  'ajv-formats': local('no-validator.cjs'),
  'when-exit': local('no-exit-hook.cjs'),
};

/** Of undici: HTTP/2, what makes a body of FormData (all of fetch), and SOCKS. */
const neverCalled = /[\\/](?:client-h2|fetch[\\/]body|socks5-proxy-agent)(?:\.js)?$/;

/** commander needs it only later. */
const childProcess = local('lazy-child-process.cjs');

/**
 * What is always needed together comes in one file, because a file costs more than what it holds;
 * not what main.ts loads at once, nor the sockets, which a local blog does without.
 */
const groups = [
  { name: 'zod', test: /[\\/]zod[\\/]v4[\\/]/ },
  { name: 'settings', test: /[\\/]src[\\/]settings[\\/](?!values)/ },
  {
    name: 'request',
    test: /[\\/](?:src[\\/](?:(?:client|hal|http)[\\/](?!undici)|commands[\\/]connect)|url-template[\\/])/,
  },
];

/**
 * The modules of CommonJS libraries are functions that are called once the file is loaded. In
 * parentheses and no arrows, the engine of Node 22 compiles them with the file, and its compile
 * cache keeps them, instead of parsing them twice.
 */
const compiledAtOnce = {
  name: 'compiled-at-once',
  generateBundle(_, files) {
    for (const chunk of Object.values(files)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /(var \w+ ?= ?\w+\.\w+\(\()(?:\((\w+, ?\w+)\)|(\w+)) ?=> ?\{/g,
        (_match, call, both, one) => `${call}function(${both ?? one}){`,
      );
    }
    const all = Object.values(files).map(({ code }) => code);
    if (!all.join('').includes('((function(')) throw new Error('no module was found');
  },
};

const withShims = {
  name: 'shims',
  resolveId(source, importer = '') {
    if (source === 'node:child_process' && importer.includes('/commander/')) return childProcess;
    return neverCalled.test(source) ? local('never-called.cjs') : shims[source];
  },
};

/**
 * What the library takes from Node's modules: tests put others in the place of the globals (fake
 * timers, the DOM of jsdom and happy-dom), and a service that runs among them is no part of the page.
 */
const nodesOwn = {
  ...Object.fromEntries(
    ['Timeout', 'Interval', 'Immediate'].flatMap((kind) =>
      [`set${kind}`, `clear${kind}`].map((name) => [name, [local('nodes-timers.mjs'), name]]),
    ),
  ),
  performance: ['node:perf_hooks', 'performance'],
  TextDecoder: ['node:util', 'TextDecoder'],
  TextEncoder: ['node:util', 'TextEncoder'],
  URL: ['node:url', 'URL'],
  URLSearchParams: ['node:url', 'URLSearchParams'],
};

/** The same of the timers that are promises, which are imported by their name. */
const nodesOwnPromises = {
  name: 'nodes-own-promises',
  resolveId(source, importer) {
    const own = local('nodes-timer-promises.mjs');
    return source === 'node:timers/promises' && importer !== own ? own : undefined;
  },
};

/** `import('…?raw')` is the text of a file. */
const asText = {
  name: 'as-text',
  resolveId: (source, importer) =>
    source.endsWith('?raw') ? resolve(dirname(importer), source) : undefined,
  async load(id) {
    if (!id.endsWith('?raw')) return undefined;
    const text = await readFile(id.slice(0, -'?raw'.length), 'utf8');
    return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
  },
};

/** What Node is asked to load must not depend on what others need: each program is built alone. */
async function bundle(input, dir, { inject = {}, plugins = [], removeWhitespace = true } = {}) {
  const { output } = await build({
    input,
    platform: 'node',
    transform: { inject },
    // What an entry loads at once stays in its file, even where others need it too.
    preserveEntrySignatures: 'allow-extension',
    logLevel: 'warn',
    // A busy machine is no reason not to build.
    checks: { bundlerTimings: false },
    onLog(level, log, handle) {
      if (level === 'warn') throw new Error(log.message);
      handle(level, log);
    },
    plugins: [compiledAtOnce, withShims, asText, ...plugins],
    output: {
      dir,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      keepNames: true,
      // What was compiled ahead could not import.
      dynamicImportInCjs: false,
      // What is long is read at every start. Names of functions and classes stay, for stack traces.
      comments: false,
      minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace } },
      codeSplitting: { groups, includeDependenciesRecursively: false },
    },
  });
  return output.filter((chunk) => chunk.type === 'chunk');
}

await rm('dist', { recursive: true, force: true });
const command = await bundle({ main: 'src/main.ts' }, 'dist');
const doors = { index: 'src/index.ts', testing: 'src/testing/index.ts' };
const library = await bundle(doors, 'dist/lib', {
  inject: nodesOwn,
  plugins: [nodesOwnPromises],
  // Of an error that nobody caught Node prints the line that threw it first.
  removeWhitespace: false,
});
await writeEsmDoors(library, 'dist/lib');
await writeTypes('dist/lib');
const bundled = [...command, ...library].flatMap((chunk) => chunk.moduleIds);
await writeFile('dist/THIRD_PARTY_NOTICES', await thirdPartyNotices(bundled));
if (process.version.startsWith('v20.'))
  execFileSync(process.execPath, [local('code-cache.mjs')], { stdio: 'inherit' });

// As jest and the pages of jsdom run a test: in a realm of its own, with globals that are not Node's.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const vm = require('node:vm');
const { use } = require('./use.cjs');

const { AbortController, AbortSignal, Blob, Buffer, Request, Response } = globalThis;
const setTimeout = () => 1;
const page = { AbortController, AbortSignal, Blob, Buffer, Request, Response, process };
const realm = vm.createContext({ ...page, queueMicrotask, setTimeout, setInterval: setTimeout });
const loaded = new Map();

function load(file) {
  if (loaded.has(file)) return loaded.get(file);
  const exports = {};
  loaded.set(file, exports);
  const { resolve } = createRequire(file);
  const requireThere = (name) => (name.startsWith('.') ? load(resolve(name)) : require(name));
  const code = `(function (exports, require) {${readFileSync(file, 'utf8')}\n})`;
  vm.runInContext(code, realm, { filename: file })(exports, requireThere);
  return exports;
}

void use({ ...load(require.resolve('blogctl')), ...load(require.resolve('blogctl/testing')) });

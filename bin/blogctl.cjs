#!/usr/bin/env node
'use strict';

const [first, ...others] = process.argv.slice(2);
// Alone, -v has no request to show: json-server and npm mean the version by it.
if (others.length === 0 && ['--version', '-V', '-v'].includes(first)) {
  require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
} else {
  if (process.version.startsWith('v20.')) useCodeCache();
  else require('node:module').enableCompileCache?.();
  run(built());
}

function run(main) {
  let isHungUp = false;
  process.once('SIGHUP', () => {
    isHungUp = true;
  });
  void main(process).then((status) => {
    process.exitCode = status;
    // At its end Node puts the terminal back, and aborts where that is gone; ended by the signal it does not try.
    if (isHungUp && hadTerminal()) {
      process.removeAllListeners('SIGHUP');
      process.kill(process.pid, 'SIGHUP');
    }
  });
}

/** What the build made; it is missing where a package manager ran no scripts of a git address. */
function built() {
  try {
    return require('../dist/main.cjs').main;
  } catch (error) {
    const file = require('node:path').join(__dirname, '../dist/main.cjs');
    if (require('node:fs').existsSync(file)) throw error;
    process.stderr.write(
      `error: This copy of blogctl was not built: ${file} is missing.
hint: Install it again without --ignore-scripts; in a checkout run npm ci and npm run build.\n`,
    );
    return async () => 1;
  }
}

/** What is gone cannot be asked; every start would pay for asking before (node:tty loads the sockets). */
function hadTerminal() {
  const { fstatSync, statSync } = require('node:fs');
  const nothing = statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
  return [0, 1, 2].some((fd) => {
    const { rdev } = fstatSync(fd);
    return rdev !== 0 && rdev !== nothing;
  });
}

/**
 * Node 20 has no compile cache: it takes what the build has compiled (build/code-cache.mjs). V8 would
 * take what another Node 20 compiled, too, and fail in the middle of it, so the name says which it was.
 */
function useCodeCache() {
  const { existsSync, readFileSync, statSync } = require('node:fs');
  const vm = require('node:vm');
  const node = `${process.version}-${statSync(process.execPath).size}`;
  require.extensions['.cjs'] = (loaded, filename) => {
    const cache = `${filename}.${node}`;
    const script = new vm.Script(
      `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'utf8')}\n})`,
      {
        filename,
        cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
      },
    );
    const call = script.runInThisContext();
    call(loaded.exports, (id) => loaded.require(id), loaded, filename, __dirname);
  };
}

#!/usr/bin/env node
'use strict';

const [first, ...others] = process.argv.slice(2);
// Alone, -v has no request to show: json-server and npm mean the version by it.
if (others.length === 0 && ['--version', '-V', '-v'].includes(first)) {
  require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
} else {
  // Node 20 has no compile cache, and loading the module that would have it costs a millisecond.
  if (!process.version.startsWith('v20.')) require('node:module').enableCompileCache?.();
  const { main } = require('../dist/main.cjs');
  void main(process).then((status) => {
    process.exitCode = status;
  });
}

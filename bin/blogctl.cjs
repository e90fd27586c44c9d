#!/usr/bin/env node
'use strict';

const [first, ...others] = process.argv.slice(2);
if (others.length === 0 && (first === '--version' || first === '-V')) {
  require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
} else {
  require('node:module').enableCompileCache?.();
  const { main } = require('../dist/main.cjs');
  void main(process).then((status) => {
    process.exitCode = status;
  });
}

'use strict';

// What the command uses of undici, by its parts: the index also loads fetch, WebSocket and mocks,
// three times the start-up of one GET. The bundle resolves `undici` to this file and fails when
// one of these paths moves.
const { setFlagsFromString } = require('node:v8');
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
const Agent = require('undici/lib/dispatcher/agent.js');

// The parser of answers is WebAssembly, and V8 compiles it a second time, better, in the middle of
// the first answers: work for two starts, which a command earns back by some thousand requests. With
// as many bytes as the flag holds it comes after a hundred of them.
setFlagsFromString('--wasm-tiering-budget=2000000000');

module.exports = {
  Agent,
  Pool: require('undici/lib/dispatcher/pool.js'),
  buildConnector: require('undici/lib/core/connect.js'),
  // Few have a proxy. One is asked for a tunnel by a method that undici's index would add.
  get EnvHttpProxyAgent() {
    Dispatcher.prototype.connect = require('undici/lib/api/api-connect.js');
    return require('undici/lib/dispatcher/env-http-proxy-agent.js');
  },
};

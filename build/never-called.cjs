'use strict';

// A part of undici that nothing of ours reaches, though what is reached names it.
module.exports = function neverCalled() {
  throw new Error('This build of undici is without HTTP/2, FormData and SOCKS.');
};

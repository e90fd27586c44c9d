'use strict';

// We never ask for HTTP/2, and loading it costs a sixth of a start.
module.exports = function connectH2() {
  throw new Error('This build of undici speaks HTTP/1.1 only.');
};

'use strict';

// undici asks node:http how long the head of an answer may be, and whether a body is a message of
// that module, which none of ours is. Loading it costs a twentieth of a start. This is Node's limit.
module.exports = { maxHeaderSize: 16_384 };

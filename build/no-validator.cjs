'use strict';

function NoValidator() {
  throw new Error('This build of conf takes no schema.');
}

module.exports = { Ajv2020: NoValidator, default: NoValidator };

const assert = require('node:assert/strict');
const { use } = require('./use.cjs');

assert.equal(require('blogctl/testing').BlogctlError, require('blogctl').BlogctlError);
void use({ ...require('blogctl'), ...require('blogctl/testing') });

const { use } = require('./use.cjs');

void use({ ...require('blogctl'), ...require('blogctl/testing') });

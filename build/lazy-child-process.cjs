'use strict';

// commander loads this for commands that are programs of their own; we have none.
module.exports = {
  get spawn() {
    return require('node:child_process').spawn;
  },
};

// The first blog of a process, as each worker of a test runner has one; beside it, what json-server
// does to read its file and to write it again (lowdb). Milliseconds of the processor, as JSON.
import { setTimeout as pause } from 'node:timers/promises';

const [what, file, count] = process.argv.slice(2);

const works = {
  async startBlog() {
    const { startBlog } = await import('blogctl/testing');
    // What the door loads is there before the first test is.
    await pause(100);
    const seed = Array.from({ length: Number(count) }, (_, at) => ({
      title: `Title ${at + 1}`,
      content: `Content of article ${at + 1}. `.repeat(8),
    }));
    return () => startBlog({ seed });
  },
  async lowdb() {
    const { JSONFilePreset } = await import('lowdb/node');
    return async () => (await JSONFilePreset(file, [])).write();
  },
};

function spentMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const node = spentMs();
const call = await works[what]();
const ready = spentMs();
await call();
console.log(JSON.stringify({ node, load: ready - node, call: spentMs() - ready }));

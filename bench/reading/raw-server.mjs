// The peer of the service: a raw node:http server that sends the same bytes, ready made.
import { once } from 'node:events';
import { createServer } from 'node:http';

const { headers, body } = JSON.parse(process.argv[2]);
const bytes = Buffer.from(body);
const server = createServer((_, response) => {
  response.writeHead(200, headers);
  response.end(bytes);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send(`http://127.0.0.1:${server.address().port}`);

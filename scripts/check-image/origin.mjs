// Source and store for a pod, on every address of this machine: GET answers the file, PUT is stored beside it. Prints
// its port.
//   node scripts/check-image/origin.mjs <file> <where PUT goes>
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';

const [source, stored] = process.argv.slice(2);
const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    request.pipe(createWriteStream(stored)).on('finish', () => response.writeHead(200).end());
  } else {
    response.setHeader('content-length', statSync(source).size);
    createReadStream(source).pipe(response);
  }
});
server.listen(0, () => console.log(server.address().port));

// Serves a folder with the npm package tftp, for comparison: node serve-npm-tftp.ts FOLDER PORT ADDRESS
import process from 'node:process';
import { createServer } from 'tftp';

const [root = '', port, host = ''] = process.argv.slice(2);
const server = createServer({ host, port: Number(port), root, denyPUT: true });
server.on('error', (error) => console.log(String(error)));
server.on('listening', () => console.log(`${host}:${port}`));
server.listen();

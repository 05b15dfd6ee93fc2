// Feeds hexadecimal packets to the server of the npm package `dhcp` without a network, and prints the message type and
// address of each reply: `npm-dhcp.mjs CONFIG PACKET...`.
import dhcp from 'dhcp';

const [config, ...packets] = process.argv.slice(2);
const server = dhcp.createServer(JSON.parse(config));
/* eslint-disable no-underscore-dangle -- there is no other way to reach the server without a network */
server._send = (_, { options, yiaddr }) => console.log(options[53], yiaddr);
for (const packet of packets) server._sock.emit('message', Buffer.from(packet, 'hex'));
server._sock.close();

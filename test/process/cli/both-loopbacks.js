// Loaded ahead of the program: on this machine `localhost` is both 127.0.0.1 and ::1, as it is on most.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const lookup = dns.lookup;
const BOTH = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

dns.lookup = (hostname, options, callback) => {
  if (hostname !== "localhost") return lookup(hostname, options, callback);
  if (options.all) process.nextTick(callback, null, BOTH);
  else process.nextTick(callback, null, BOTH[0].address, BOTH[0].family);
};
syncBuiltinESMExports();

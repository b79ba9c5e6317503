import { startCalls, startServer } from './script-server.js';

/** The servers of tests of scripts, for one that kills them. */
const [server, calls] = await Promise.all([startServer(), startCalls()]);
process.send?.({ http: server.host, grpc: calls.host });
process.once('disconnect', () => process.exit());

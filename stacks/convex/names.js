/** Version of the client whose protocol is spoken; it stands in the path of the sync protocol. */
export const CLIENT_VERSION = '1.48.0';

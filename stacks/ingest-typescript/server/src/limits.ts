/** The limits that the contract states. */
export const EVENT_BYTES = 65_536;
export const BATCH_BYTES = 4_194_304;
export const BATCH_EVENTS = 1000;
export const PAYLOAD_DEPTH = 8;
export const PAGE_EVENTS = 1000;
export const PAGE_DEFAULT = 100;
export const STATS_MINUTES = 1440;
export const STATS_MINUTES_DEFAULT = 60;
export const STATS_NAMES = 1000;
export const STREAM_UNSENT_BYTES = 4_194_304;
/** At a time; another is closed at once. */
export const CONNECTIONS = 20_000;
export const STREAM_COMMENT_MS = 15_000;

export { burst, listening, open, templates } from '../_ingest/client.js';

export { burst, open, templates } from '../_shared/resp-counters.js';

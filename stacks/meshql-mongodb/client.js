export { open } from '../_meshql/client.js';

/** The name under which the module is published. */
export const DATABASE = 'ladderbench';

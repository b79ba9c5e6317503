/** @param {number} id */
export const nameOf = (id) => `item ${id}`;

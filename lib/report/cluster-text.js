import { significant } from '../format.js';

/**
 * @param {{version: string | null, nodes: {cpus: string, memory: string, system: string}[] | null}} cluster
 * @returns {string} `Kubernetes v1.33.5, 2 nodes (2 × 4 CPU, 15.6 GiB, Debian GNU/Linux 12, amd64)`
 */
export function clusterText({ version, nodes }) {
  const name = `Kubernetes ${version ?? 'of an unknown version'}`;
  if (!nodes) return `${name}, whose nodes may not be looked at`;
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const { cpus, memory, system } of nodes) {
    const kind = `${cpus} CPU, ${memoryText(memory)}, ${system}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const each = [...kinds].map(([kind, n]) => (n > 1 ? `${n} × ${kind}` : kind)).join('; ');
  return `${name}, ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} (${each})`;
}

/**
 * @param {string} quantity as Kubernetes has it
 * @returns {string}
 */
function memoryText(quantity) {
  const kibibytes = /^(\d+)Ki$/.exec(quantity)?.[1];
  return kibibytes ? `${significant(Number(kibibytes) / 1_048_576)} GiB` : quantity;
}

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/**
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string[]} Markdown: who has no figure at all, and where it is said why
 */
export function absentAnswers(plan, rows) {
  const failed = plan.systems.flatMap((s) => {
    const own = s.role === 'system' ? rows.filter((r) => r.system === s.id) : [];
    return own.length > 0 && own.every((r) => r.status === 'FAILED')
      ? [`**${s.title} has no figure**: ${own[0].failure}.`]
      : [];
  });
  const absent = plan.absent.flatMap(({ system, title = system }) => title ?? []);
  return [
    ...failed,
    ...(absent.length > 0 ? [`Not measured: ${absent.join(', ')} (the details say why).`] : []),
  ];
}

/** Audit entries list up to this many addresses; of more, only the number. */
const NAMED_MAX = 20;

/** Details of an audit entry for several addresses. */
export const auditSummary = (emails: string[]) => ({
  count: emails.length,
  ...(emails.length <= NAMED_MAX && { emails: emails.toSorted() }),
});

/** So many addresses are read in an audit entry; of more only the number. */
const NAMED_MAX = 20;

/** Addresses that were changed together, as the audit log has them. */
export const auditSummary = (emails: string[]) => ({
  count: emails.length,
  ...(emails.length <= NAMED_MAX && { emails: emails.toSorted() }),
});

/** Whether a user's status in an export, such as Google Workspace's, means that the account isn't in use. */
export const isInactiveStatus = (status: string): boolean =>
  /^(suspended|archived)$/i.test(status.trim());

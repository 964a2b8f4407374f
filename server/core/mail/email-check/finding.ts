/** Something about an email that a sender should know before sending it. */
export type Finding = {
  /** `error`: it isn't sent, or not to everyone. `warning`: receivers may reject it, or it may not display properly. */
  level: "error" | "warning";
  /** Stable, for programs. */
  code: string;
  /** What is wrong and what to do. */
  message: string;
};

export const warning = (code: string, message: string): Finding => ({
  level: "warning",
  code,
  message,
});
